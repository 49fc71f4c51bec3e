"""A run as a page: ``algolens execute --html`` and ``algolens play``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

VILLAGE = str(Path(__file__).parents[2] / "examples" / "village.csv")


def pages_in(page: Path) -> Any:
    (written,) = re.findall(r'id="run">(.*?)</script>', page.read_text(), re.DOTALL)
    return json.loads(written)


def data_in(page: Path) -> Any:
    (only,) = pages_in(page)
    return only


def test_several_algorithms_share_a_graph_and_what_is_drawn(run, tmp_path):
    page = tmp_path / "run.html"
    words = ("kruskal", "prim", "boruvka", "erdos_renyi:9", "--seed", "2", "--html", str(page))
    status, _, _ = run("play", *words)
    assert status == 0
    pages = pages_in(page)
    assert [each["algorithm"]["name"] for each in pages] == ["kruskal", "prim", "boruvka"]
    assert pages[0]["inputs"]["weight"] == pages[1]["inputs"]["weight"]
    assert pages[0]["inputs"]["weight"] == pages[2]["inputs"]["weight"]
    assert pages[0]["graph"]["places"] == pages[1]["graph"]["places"]


def test_a_source_goes_to_those_that_have_one(run, tmp_path):
    page = tmp_path / "run.html"
    words = ("kruskal", "prim", VILLAGE, "--html", str(page))
    status, _, _ = run("play", *words, "--source", "Well")
    assert status == 0
    assert pages_in(page)[1]["inputs"]["source"] == [2]
    status, _, err = run("play", "kruskal", "boruvka", VILLAGE, "--source", "Well")
    assert status != 0
    assert "no input of kruskal is called 'source'" in err


def test_a_page_is_written_and_the_steps_are_not_printed(run, tmp_path):
    page = tmp_path / "run.html"
    status, out, err = run("execute", "bfs", VILLAGE, "--source", "Mill", "--html", str(page))
    assert status == 0
    assert out == ""
    assert "open it in a browser" in err
    data = data_in(page)
    assert data["graph"]["nodes"][:2] == ["Mill", "Bridge"]
    assert [side["by"] for side in data["sides"]] == ["algorithm"]


def test_json_and_a_page_go_together(run, tmp_path):
    page = tmp_path / "run.html"
    _, out, _ = run("execute", "bfs", VILLAGE, "--source", "Mill", "--json", "--html", str(page))
    assert json.loads(out)["steps"] == data_in(page)["sides"][0]["steps"] == 4


def test_runs_stand_side_by_side_with_the_first_difference(run, tmp_path):
    page = tmp_path / "run.html"
    words = (
        "--source",
        "Mill",
        "--by",
        "algorithm",
        "--by",
        "network",
        "--set",
        "has_visited_neighbours=false@Bridge#1",
    )
    status, _, _ = run("execute", "bfs", VILLAGE, *words, "--html", str(page))
    assert status == 0
    sides = data_in(page)["sides"]
    assert [side["by"] for side in sides] == ["algorithm", "network"]
    for side in sides:  # a concept was set by hand in both
        assert (side["difference"]["step"], side["difference"]["field"]) == (
            1,
            "has_visited_neighbours",
        )
    _, out, err = run(
        "execute", "bfs", VILLAGE, "--source", "Mill", "--by", "algorithm", "--by", "network"
    )
    assert out == ""
    assert "Give --html run.html" in err


def test_a_network_and_its_rules_agree_on_the_page(run, tmp_path):
    page = tmp_path / "run.html"
    words = ("--by", "network", "--by", "rules", "--by", "algorithm")
    assert run("execute", "coloring", VILLAGE, *words, "--html", str(page))[0] == 0
    sides = data_in(page)["sides"]
    assert len(sides) == 3
    assert all(side["difference"] is None for side in sides)
    assert len({json.dumps(side["trace"]) for side in sides}) == 1


def test_play_opens_the_page(run, tmp_path, monkeypatch):
    opened: list[str] = []

    def open_page(where: str) -> bool:
        opened.append(where)
        return len(opened) == 1  # the second time there is no browser

    monkeypatch.setattr("webbrowser.open", open_page)
    page = tmp_path / "run.html"
    status, _, err = run("play", "dijkstra", VILLAGE, "--source", "Mill", "--html", str(page))
    assert status == 0
    assert opened == [page.as_uri()]
    assert str(page) in err.replace("\n", "")
    _, _, err = run("play", "dijkstra", VILLAGE, "--source", "Mill", "--html", str(page))
    assert "open it in one" in err


def test_a_place_that_cannot_be_written_is_refused(run, tmp_path):
    (tmp_path / "file").write_text("")
    status, _, err = run("execute", "bfs", VILLAGE, "--html", str(tmp_path / "file" / "run.html"))
    assert status == 2
    assert "cannot be written" in err


def test_of_a_graph_that_is_too_large_a_part_is_shown(run, tmp_path):
    page = tmp_path / "run.html"
    status, _, _ = run("execute", "bfs", "tree:5100", "--html", str(page))
    assert status == 0
    assert page.stat().st_size < 2_000_000


def test_nothing_is_written_over_but_a_page_of_ours(run, file, tmp_path, monkeypatch):
    monkeypatch.setattr("webbrowser.open", lambda *_: True)
    roads = file("a,b\nb,c\n", "roads.csv")
    others = [roads, file("<!doctype html><p>mine", "mine.html"), file("", "empty.html")]
    for command in ("execute", "play"):
        for there in others:
            before = Path(there).read_bytes()
            status, out, err = run(command, "bfs", roads, "--html", there)
            assert (status, out) == (2, "")
            assert (
                f"{there} is there already, and is no page of ours: nothing is written over it."
                in err
            )
            assert Path(there).read_bytes() == before
        for _ in range(2):  # a page of ours is made anew
            assert run(command, "bfs", roads, "--html", str(tmp_path / "run.html"))[0] == 0
        assert data_in(tmp_path / "run.html")["graph"]["nodes"] == ["a", "b", "c"]
