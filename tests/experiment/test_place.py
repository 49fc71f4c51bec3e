"""What is in the place of a run: replaced only if it is a run, by one process at a time, and never
lost by a kill.
"""

from __future__ import annotations

import json
import os
import signal
import time
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algolens.errors import AlgoLensError
from algolens.experiment.model import FILES, claim, recover
from tests.children import ended, forked, killed_before_touching

DESCRIBED = dict.fromkeys(("algorithm", "preset", "architecture", "schedule", "seeds"), 0)


def files(which: str) -> dict[str, str | bytes]:
    described = json.dumps({**DESCRIBED, "which": which})
    return {"experiment.json": described, "weights.safetensors": which * 100, "scores.json": which}


def install(folder: Path, which: str) -> None:
    with claim(folder, overwrite=True) as place:
        place.install(files(which))


def there(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_killed_at_any_moment_a_whole_run_has_the_name(tmp_path):
    old, new = files("old"), files("new")
    times, seen, was_killed = 0, set(), True
    while was_killed:
        parent = tmp_path / str(times)
        install(parent / "run", "old")
        was_killed = killed_before_touching(parent, times, partial(install, parent / "run", "new"))
        recover(parent / "run")  # as whoever loads it does
        found = there(parent / "run")
        assert found in (old, new)
        seen.add(found["scores.json"])
        install(parent / "run", "new")  # given again, it tidies up
        assert there(parent / "run") == new
        assert [path.name for path in parent.iterdir()] == ["run"]
        times += 1
    assert seen == {"old", "new"}
    assert times > 15


def test_a_run_with_files_of_somebody_else_is_not_replaced(tmp_path):
    install(tmp_path / "run", "old")
    (tmp_path / "run" / "remarks.md").write_text("of the old one")
    (tmp_path / "run" / "drafts").mkdir()
    with pytest.raises(AlgoLensError, match=r"holds more than .* \(drafts, remarks\.md\)"):
        install(tmp_path / "run", "new")
    assert (tmp_path / "run" / "remarks.md").read_text() == "of the old one"
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


names = st.sampled_from([*FILES, "thesis.tex", "notes", ".hidden"])
contents = st.sampled_from(["", "{", "[]", '{"algorithm": "bfs"}', "a year's work"])


@given(st.dictionaries(names, contents, min_size=1))
def test_a_folder_that_is_no_run_is_never_touched(tmp_path_factory, texts):
    folder = tmp_path_factory.mktemp("parent") / "precious"
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text)
    for overwrite, complaint in ((False, "is there already"), (True, "is no model of ours")):
        with (
            pytest.raises(AlgoLensError, match=complaint) as problem,
            claim(folder, overwrite=overwrite),
        ):
            pass
        assert "\n" not in str(problem.value)
        assert there(folder) == texts
        assert [path.name for path in folder.parent.iterdir()] == ["precious"]


def test_what_came_there_while_it_was_trained_is_not_replaced(tmp_path):
    with claim(tmp_path / "run") as place:
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / "thesis.tex").write_text("a year's work")
        with pytest.raises(AlgoLensError, match="is there already"):
            place.install(files("new"))
    assert there(tmp_path / "run") == {"thesis.tex": "a year's work"}
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_an_empty_folder_or_none_is_a_place(tmp_path):
    (tmp_path / "empty").mkdir()
    for name in ("empty", "new", "deep/new"):
        install(tmp_path / name, "new")
        assert there(tmp_path / name) == files("new")


def test_where_a_link_leads_is_replaced(tmp_path):
    install(tmp_path / "elsewhere" / "run", "old")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere" / "run")
    install(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert there(tmp_path / "elsewhere" / "run") == files("new")


@pytest.mark.parametrize("folder", [".", "..", "/"])
def test_a_place_has_a_name(folder):
    with (
        pytest.raises(AlgoLensError, match="does not name a folder"),
        claim(Path(folder), overwrite=True),
    ):
        pass


def test_a_place_is_one_process_s_until_it_dies(tmp_path):
    def hold() -> None:
        with claim(tmp_path / "run"):
            (tmp_path / "claimed").touch()
            time.sleep(600)

    child = forked(hold)
    while not (tmp_path / "claimed").exists():
        time.sleep(0.01)
    complaint = (
        f"{tmp_path / 'run'} is being written by process {child} on .*: wait until that has ended, "
        "or give another"
    )
    with pytest.raises(AlgoLensError, match=complaint), claim(tmp_path / "run"):
        pass
    os.kill(child, signal.SIGKILL)
    ended(child)
    install(tmp_path / "run", "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["claimed", "run"]
