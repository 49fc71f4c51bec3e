"""What a class needs, in Chromium: a first screen, the result first, scores, slides and frames."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

import algolens as al
from algolens.cli.scores import check_score_command
from algolens.graphs import load_graph
from tests.player.runs import read_run, side

VILLAGE = "examples/village.csv"


def village(name: str, **given: str):
    return side(read_run(name, load_graph(VILLAGE, 0), **given))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("quicksort", "Sorted"),
        ("lcs_length", "Longest common subsequence: BCBA, length 4"),
        ("strong_components", "4 components: {A B C} {D E F} {G} {H}"),
        ("graham_scan", "Hull: 6 of 8 points"),
        ("matrix_chain_order", "multiplications"),
        ("activity_selection", "Schedule: 4 of 11 activities"),
        ("kmp_matcher", "the pattern begins at letter 3 of the text"),
        ("topological_sort", "Order"),
        ("coloring", "colors: "),
    ],
)
def test_the_result_comes_first_in_the_words_of_the_problem(show, name, said):
    run = al.execute(name).run
    page = show(side(run), at=f"#step={run.num_steps}")
    assert said in page.inner_text("#answer")
    frame = page.locator("#answer").bounding_box()
    assert 0 <= frame["y"] < frame["y"] + frame["height"] < 400  # above the fold
    assert frame["y"] < page.locator("#reason").bounding_box()["y"]
    page.set_viewport_size({"width": 390, "height": 844})
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    assert said in page.inner_text("#strip")


def test_sorted_numbers_stand_in_the_result_and_a_subsequence_is_lit(show):
    run = al.execute("quicksort").run
    page = show(side(run), at=f"#step={run.num_steps}")
    numbers = [int(text) for text in page.locator("#answer .chip").all_inner_texts()]
    assert numbers == sorted(run.inputs["key"].tolist())
    run = al.execute("lcs_length").run
    page = show(side(run), at=f"#step={run.num_steps}")
    lit = page.locator("#drawings .node.lit")
    assert 4 <= lit.count() < 14
    assert show(side(run), at="#step=1").locator("#drawings .node.lit").count() == 0


def test_the_first_screen_says_the_problem_and_how_to_begin(show):
    page = show(village("dijkstra", source="Mill"))
    assert "Find the shortest path from one node to every other." in page.inner_text("header")
    assert "Press Play" in page.inner_text("#reason")
    assert "concept" not in page.inner_text("main").lower()


def test_controls_stay_where_they_are(show):
    for name, given in (("kruskal", {}), ("dfs", {}), ("prim", {"source": "Mill"})):
        page = show(village(name, **given))
        places = []
        for _ in range(6):
            places.append(page.locator("#forward").bounding_box())
            page.click("#forward")
        assert all(one == other for one, other in pairwise(places))


def test_logic_is_shown_where_it_is_asked_for(show):
    page = show(village("dijkstra", source="Mill"), at="#step=2&node=1")
    told = page.inner_text("body")
    for word in ("is next", "has visited", "is_", "concepts:", "formula", "sender"):
        assert word not in told.lower()
    page.click("#logic")
    assert "is next" in page.inner_text("#tables thead")
    assert page.locator("#chosen .seen").count() > 0
    assert page.locator("#program").is_visible()
    page.click("#logic")
    assert page.locator("#chosen .seen").count() == 0


def test_a_score_ends_in_a_code_that_the_command_reads(show, capsys):
    page = show(village("dijkstra", source="Mill"))
    page.click("#predict")
    names = page.locator("#drawings .node title").all_text_contents()
    while page.locator("#score").count() == 0:
        asked = page.inner_text("#question")
        if "1 of 1 right" in asked:  # one right, the rest shown
            page.locator("#question button").first.click()
        elif " 0 of 0 right" in asked:
            page.locator("#drawings .node .body").nth(names.index("Mill")).click()
        else:
            page.locator("#question button").first.click()
    check_score_command(page.inner_text("#score"))
    assert "1 of 7 right" in capsys.readouterr().out


def test_a_frame_shows_no_table_and_plays_what_it_is_asked_to(show):
    page = show(village("kruskal"), at="#embed&from=3&to=5&loop&speed=faster")
    assert page.locator("#tables").is_hidden()
    assert page.locator("#share").is_hidden()
    assert page.inner_text("#moment") == "Step 3 of 9"
    page.click("#play")  # reduced motion: it does not begin by itself
    seen = set()
    for _ in range(80):
        seen.add(page.inner_text("#moment"))
        page.wait_for_timeout(50)
    assert {f"Step {step} of 9" for step in (3, 4, 5)} == seen


def test_a_presentation_is_the_drawing_and_its_sentence_large(show):
    page = show(village("kruskal"), at="#step=6", width=1920, height=1080)
    before = page.locator("#drawings .node").first.bounding_box()["width"]
    page.click("#present")
    page.locator("body.presenting").wait_for()
    assert page.locator("#code").is_hidden()
    assert page.locator("#tables").is_hidden()
    assert "is rejected" in page.inner_text("#reason")
    assert page.locator("#drawings .node").first.bounding_box()["width"] > 1.3 * before
    bottom = page.locator("#reason").bounding_box()
    assert bottom["y"] + bottom["height"] <= 1080
    page.click("#present")
    assert page.locator("#code").is_visible()


def test_pictures_carry_title_legend_and_sentence_and_a_run_moves(show):
    page = show(village("kruskal"), at="#step=6")
    page.click("#share summary")
    for kind in ("svg", "run"):
        with page.expect_download() as saved:
            page.click(f"#save-{kind}")
        text = Path(saved.value.path()).read_text(encoding="utf-8")
        assert "Kruskal" in text
        assert "rejected" in text
        assert "Well - Smithy (6) is rejected: both ends are already" in text
        assert text.count("<animate ") == (10 if kind == "run" else 0)
    assert len(re.findall(r'keyTimes="[^"]*"', text)) == 10
    assert page.inner_text("#moment") == "Step 6 of 9"


@pytest.mark.parametrize("name", ["kruskal", "quicksort", "floyd_warshall", "activity_selection"])
def test_what_a_step_decides_has_the_accent_that_no_class_uses(show, name):
    run = al.execute(name).run
    page = show(side(run), at=f"#step={max(1, run.num_steps // 2)}")
    accent = page.evaluate("""() => {
      const probe = document.createElement("i");
      probe.style.color = "var(--decided)";
      document.body.append(probe);
      return getComputedStyle(probe).color;
    }""")
    strokes = page.evaluate("""() =>
      [...document.querySelectorAll("#drawings .halo, #drawings .node.changed .body")]
        .map((each) => getComputedStyle(each).stroke)""")
    assert strokes
    assert set(strokes) == {accent}
    others = page.evaluate("""() => [...document.querySelectorAll(
      "#drawings .node:not(.changed) .body, #drawings .edge")].flatMap((each) => {
        const { fill, stroke } = getComputedStyle(each);
        return [fill, stroke];
      })""")
    assert accent not in others
