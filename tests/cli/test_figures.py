"""Figures and answers on pages are those of today's code."""

import json
import re
import runpy

import networkx as nx

import algolens as al
from tests.docs.blocks import ROOT

PAGES = ROOT / "docs"


def said(page: str, pattern: str) -> tuple[str, ...]:
    """What a page says, on whatever lines."""
    found = re.search(pattern, " ".join((PAGES / page).read_text().split()))
    assert found is not None, f"{page} has no {pattern}"
    return found.groups()


def test_cases_and_sizes_are_those_of_list(run):
    status, printed, _ = run("list", "--json")
    assert status == 0
    shipped = [one for one in json.loads(printed)["algorithms"] if one["shipped"]]
    cases = [one["cases"] for one in shipped]
    least, most = said("limits.md", r"between (\d+) and ([\d,]+) for the algorithms that ship")
    assert (int(least), int(most.replace(",", ""))) == (min(cases), max(cases))
    every, most = said(
        "exactness.md",
        r"There are few cases: ([\d,]+) for .* `dag_shortest_paths` has the most, ([\d,]+),",
    )
    of = {one["name"]: one["cases"] for one in shipped}
    assert int(every.replace(",", "")) == sum(cases)
    assert int(most.replace(",", "")) == of["dag_shortest_paths"] == max(cases)
    numbers = said(
        "limits.md",
        r"(\d+) of the (\d+) shipped models are scored at up to 1,024 nodes, (\d+) at up to 256, "
        r"and (\d+) at up to 64",
    )
    largest = [max(map(int, one["graphs_right"])) for one in shipped]
    counts = [largest.count(1024), len(shipped), largest.count(256), largest.count(64)]
    assert list(map(int, numbers)) == counts


def test_how_short_a_road_must_be_for_a_shortest_path():
    """Answer 5 of the lesson, at its boundary too."""
    (most,) = said("teaching.md", r'"Answer" (\d+) or shorter\.')

    def leads_by_the_road(weight: int) -> bool:
        roads = nx.Graph()
        for line in (ROOT / "examples" / "village.csv").read_text().split()[1:]:
            source, target, length = line.split(",")
            roads.add_edge(source, target, weight=int(length))
        roads.edges["Mill", "Well"]["weight"] = weight
        parent = al.execute("dijkstra", roads, source="Mill").result["parent"]
        return parent["Smithy"] == "Well" and parent["Well"] == "Mill"

    assert [leads_by_the_road(weight) for weight in range(1, 10)] == [
        weight <= int(most) for weight in range(1, 10)
    ]


def test_the_students_sheet_has_every_question_and_no_answer():
    lesson = (PAGES / "teaching.md").read_text()
    sheet = runpy.run_path(str(PAGES / "build.py"))["sheet"]()
    questions = re.findall(r"^\*\*Exercise \d+\.\*\* [^,:\n]*", lesson, re.MULTILINE)
    assert len(questions) == 11
    assert [question for question in questions if question not in sheet] == []
    answers = re.findall(r'"Answer"\n +(.{20})', lesson)
    assert len(answers) == 11
    assert [answer for answer in answers if answer in sheet] == []


def test_errors_are_sentences(run, tmp_path):
    roads = tmp_path / "roads.csv"
    roads.write_text("source,target,weight\na,b,-2\n")
    _, _, misspelt = run("exceute", "bfs")
    assert "Did you mean 'execute'? See `" in misspelt
    _, _, negative = run("execute", "dijkstra", str(roads), "--source", "a")
    assert "; use bellman_ford or dag_shortest_paths, which accept a negative weight." in negative
