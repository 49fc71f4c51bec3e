"""What is shown: texts, HTML, pictures, the page, and the widget."""

from __future__ import annotations

import sys
import webbrowser
import xml.etree.ElementTree as ElementTree
from base64 import b64decode
from types import SimpleNamespace

import matplotlib
import networkx as nx
import pytest
from matplotlib import pyplot

import algolens as al
from algolens.algorithms import algorithms
from algolens.text.display import Frame
from algolens.text.sentences import Sentences

matplotlib.use("Agg")
EVIL = nx.Graph([("<img src=x onerror=alert(1)>", "[red]b[/]"), ("[red]b[/]", "c")])


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@pytest.mark.parametrize("name", algorithms())
def test_every_concept_is_as_those_say_who_make_it_so(name):
    found = al.execute(name, "erdos_renyi:5", seed=3)
    declaration = found.run.algorithm.declaration
    for step in (0, found.steps - 1):
        sentences = Sentences(found.run)
        seen, speech = sentences.seen(step), sentences.speech
        assert seen
        assert speech
        for concept in declaration.concepts:
            for place in range(len(found.elements)):
                let = speech.lets[concept]
                says = seen.holds(let.value, let.at, place)
                assert says is bool(found.run[concept][step][place])
                assert sentences.reason(step, concept, place)
    for element in found.elements[:2]:
        text = found.explain(element, step=1, formulas=True)
        assert text.splitlines()[0].endswith(f"step 1 of {found.steps}, by algorithm:")
        assert all(f"{concept}: " in text for concept in declaration.concepts)


def test_a_reason_names_those_that_decide():
    star = nx.star_graph(3)
    nx.set_node_attributes(star, {0: 5, 1: 9, 2: 3, 3: 7}, "priority")
    colored = al.execute("coloring", star)
    text = colored.explain(0, step=1)
    assert "0 waits for 1 and 3: higher priority" in text
    assert "has_priority: no (uncolored neighbours have a higher priority: 1 and 3)" in text
    assert "~is_colored & ~has_priority" not in text
    assert "color: ~is_colored & ~has_priority" in colored.explain(0, step=1, formulas=True)


def test_what_a_network_sees_otherwise_than_declared_is_told():
    found = al.execute("bfs", nx.path_graph(3), source=0, set={"has_been_visited@2#1": True})
    said = "has_been_visited: yes (the definition says no; yes was seen)"
    assert said in found.explain(2, step=1)


def test_names_are_text_whatever_they_say():
    found = al.execute("bfs", EVIL)
    for shown in (found, al.execute("bfs_tree", EVIL)):
        assert "<img" not in shown._repr_html_()
        assert "&lt;img" in shown._repr_html_()
        assert "[red]b[/]" in str(shown)
    assert "<img src=x" not in Frame(found.page(), 100, "")._repr_html_()


def test_everything_is_shown_as_text_and_as_html():
    model = al.load("bfs")
    certified = al.certify(model)
    assert certified
    for shown in (model, al.explain(model), certified, model.evaluate(sizes=(8,), graphs=1)):
        assert len(str(shown)) > 40
        assert shown._repr_html_().startswith(("<pre", "<div"))
        assert "\n" not in repr(shown)
    found = al.execute("bfs", nx.path_graph(3))
    assert repr(found) == "Execution(bfs on the graph, 2 steps, by algorithm)"
    assert "<svg" in found._repr_html_()
    assert "step 2" in found.table()


def test_a_step_is_plotted_on_ones_own_axes_or_on_new_ones():
    found = al.execute("kruskal", nx.Graph([("a", "b", {"weight": 2}), ("b", "c", {"weight": 3})]))
    own = pyplot.subplots()[1]
    assert found.plot(0, axes=own) is own
    assert own.get_title() == "Kruskal's algorithm: start"
    assert found.plot().get_title() == "Kruskal's algorithm: step 2 of 2"
    assert {"a", "b", "c", "2", "3"} <= {text.get_text() for text in own.texts}


@pytest.mark.parametrize(
    "name", ["bridges", "coloring", "components", "dijkstra", "topological_sort"]
)
def test_masks_classes_groups_numbers_and_directions_are_drawn(name):
    found = al.execute(name, "erdos_renyi:5")
    assert found.plot(1).collections


def test_playing_opens_a_page(monkeypatch):
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    found = al.execute("bfs", nx.path_graph(3), by="network")
    path = al.play(found, found.truth)
    assert opened == [path.as_uri()]
    page = path.read_text()
    assert '"by":"network"' in page
    assert '"by":"algorithm"' in page


def test_a_page_is_written_where_it_is_asked_for(tmp_path):
    found = al.execute("bfs", nx.path_graph(3))
    assert found.save_html(tmp_path / "run.html").read_text() == found.page()
    (tmp_path / "file").write_text("")
    with pytest.raises(al.AlgoLensError, match="cannot be written"):
        found.save_html(tmp_path / "file" / "run.html")
    found.save_html(tmp_path / "run.html")
    (tmp_path / "roads.csv").write_text("a,b\n")
    with pytest.raises(
        al.AlgoLensError, match=r"roads.csv is there already, and is no page of ours"
    ):
        found.save_html(tmp_path / "roads.csv")
    (tmp_path / "notes.json").write_text("{}")
    with pytest.raises(
        al.AlgoLensError,
        match=r"notes.json is there already: give another place, or --overwrite",
    ):
        al.explain("bfs").save(tmp_path / "notes.json")
    assert (tmp_path / "notes.json").read_text() == "{}"
    assert (
        al.execute(
            al.explain("bfs").save(tmp_path / "notes.json", overwrite=True), nx.path_graph(3)
        ).steps
        == 2
    )


@pytest.fixture
def notebook(monkeypatch):
    """As if a notebook's kernel were running this."""
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))


@pytest.mark.usefixtures("notebook")
def test_in_a_notebook_a_frame_shows_the_page_and_a_picture_where_it_is_dropped():
    found = al.execute("bfs", nx.path_graph(3))
    shown = al.play([found], height=300)
    assert isinstance(shown, Frame)
    drawn = ElementTree.fromstring(shown._repr_html_())
    frame, picture = drawn.find("iframe"), drawn.find("img")
    assert frame is not None
    assert picture is not None
    assert frame.attrib["srcdoc"].strip() == " ".join(found.page(compact=True).split("\n")).strip()
    assert frame.attrib["sandbox"] == "allow-scripts"  # and no origin
    assert "height: 300px" in frame.attrib["style"]
    svg = b64decode(picture.attrib["src"].removeprefix("data:image/svg+xml;base64,"))
    assert b"<svg" in svg
    assert "iframe + img { display: none }" in (drawn.findtext("style") or "")


def test_in_marimo_too(monkeypatch):
    monkeypatch.setitem(sys.modules, "marimo", SimpleNamespace(running_in_notebook=lambda: True))
    assert isinstance(al.play(al.execute("bfs", nx.path_graph(3))), Frame)


def test_without_pandas_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(al.AlgoLensError, match=r"pip install 'algolens\[table\]'"):
        al.execute("bfs", nx.path_graph(3)).to_pandas()
