"""What authors of algorithms write, and what the commands say of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from algolens.algorithms import _discovery, algorithms

HEAD = """
import networkx as nx

from algolens.algorithms import Algorithm, Graph, Node, category, mask, number
from algolens.errors import GraphError
from algolens.graphs import At, Recipe

"""
SPREAD = '''
class Spread(Algorithm):
    """A node that has a reached neighbour is reached."""

    name = "spread"

    first = Node.input(mask)
    reached = Node.output(mask, start="first", becomes="reached | is_near")
    is_near = Node.derived("some neighbour (reached)")
    goes_on = "some node (~reached & is_near)"

    def reference(self, graph, inputs):
        first = {node for node in graph if graph.nodes[node]["first"]}
        parts = nx.connected_components(graph)
        return {"reached": {node: bool(part & first) for part in parts for node in part}}
'''
ROADS = "source,target\na,b\nb,c\nd,e\n"
NODES = "node,first\na,1\nb,0\nc,0\nd,0\ne,0\n"


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    """An empty folder to work in, where no file of an algorithm is known."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ALGOLENS_ALGORITHMS", raising=False)
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    """As in a new process."""
    _discovery.ADDED.clear()
    algorithms.cache_clear()


def write(name: str, *classes: str) -> str:
    """A file of algorithms; each is Spread with other words."""
    Path(name).write_text(HEAD + "\n\n".join(classes))
    return name


def changed(*changes: tuple[str, str]) -> str:
    """Spread with other words."""
    text = SPREAD
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def wrong(run, file: str) -> str:
    """The one line that `check` finds wrong with a file."""
    status, out, err = run("check", file)
    assert status == 1
    assert "Traceback" not in out + err
    (line,) = [line for line in out.splitlines() if line.startswith("Wrong: ")]
    return line


# ---- what a state may hold


@pytest.mark.parametrize("kind", ["mask", "category('new', 'old')", "number(3)"])
def test_a_state_without_what_it_becomes_is_refused_with_what_to_write(run, kind):
    spoilt = changed(("    goes_on", f"    been = Node.state({kind}, start='new')\n    goes_on"))
    spoilt = spoilt.replace(
        "start='new'",
        "start=0" if "number" in kind else "start='first'" if kind == "mask" else "start='new'",
    )
    assert "'been' has no becomes: add becomes=" in wrong(run, write("spread.py", spoilt))


def test_a_mask_in_the_state_that_is_no_output_decides(run):
    """It remembers the nodes that waited: all that are reached, but the first."""
    remembering = changed(
        (
            "    goes_on",
            "    waited = Node.state(mask, start='False', becomes='waited | is_newly_reached')\n"
            "    is_newly_reached = Node.derived('is_near & ~reached')\n"
            "    came_later = Node.output(mask, becomes='waited | is_newly_reached')\n"
            "    goes_on",
        ),
        (
            "        return {",
            "        later = {node: bool(part & first) and node not in first for part in "
            "list(nx.connected_components(graph)) for node in part}\n        return "
            '{"came_later": later, ',
        ),
    )
    status, out, _ = run("check", write("spread.py", remembering), "--json")
    (found,) = json.loads(out)["algorithms"]
    assert status == 0
    assert found["reference"]["agrees"]
    assert set(found["reference"]["compared"]) == {"came_later", "reached"}
    assert found["provable"]


# ---- files in the place of names


@pytest.fixture
def roads():
    Path("roads.csv").write_text(ROADS)
    Path("nodes.csv").write_text(NODES)
    return ("roads.csv", "--nodes", "nodes.csv")


OTHER = changed(('"spread"', '"flood"'), ("class Spread", "class Flood"))


@pytest.mark.parametrize("named", ["spread.py", "two.py:Spread"])
def test_commands_take_a_file_in_the_place_of_a_name(run, roads, named):
    write("spread.py", SPREAD)
    write("two.py", SPREAD, OTHER)
    status, out, _ = run("execute", named, *roads, "--json")
    assert status == 0
    reached = json.loads(out)["outputs"]["reached"]
    assert reached == {"a": True, "b": True, "c": True, "d": False, "e": False}
    assert run("play", named, *roads, "--html", "page.html")[0] == 0
    assert "spread" in Path("page.html").read_text()
    assert run("check", named)[0] == 0
    assert run("compare", named, named)[0] == 0
    status, out, _ = run("discover", named, "--runs", "4", "--nodes", "2", "--json")
    assert status == 0
    assert Path("discovered_spread.py").is_file()


def test_two_algorithms_of_one_file_are_played_side_by_side(run, roads):
    write("two.py", SPREAD, OTHER)
    assert run("play", "two.py:Spread", "two.py:Flood", *roads, "--html", "page.html")[0] == 0
    page = Path("page.html").read_text()
    assert "Spread" in page
    assert "Flood" in page


def test_a_file_that_has_changed_is_read_anew(run, roads):
    write("spread.py", SPREAD)
    assert run("execute", "spread.py", *roads, "--json")[0] == 0
    write("spread.py", changed(('"some node (~reached & is_near)"', '"False"')))
    status, out, _ = run("execute", "spread.py", *roads, "--json")
    assert status == 0
    assert not json.loads(out)["outputs"]["reached"]["c"]


@pytest.mark.parametrize("command", ["execute", "play", "train", "check"])
def test_a_file_with_several_algorithms_asks_which(run, command):
    write("two.py", SPREAD, OTHER)
    if command == "check":  # which looks over all of them
        assert run("check", "two.py")[0] == 0
        named = "two.py:Flod"
    else:
        more = () if command == "train" else ("grid:5",)
        status, _, err = run(command, "two.py", *more)
        assert (status, err.count("\n")) == (2, 1)
        assert "two.py defines several algorithms: give two.py:Spread or two.py:Flood." in err
        named = "two.py:Flod"
    status, _, err = run(command, named, *(("grid:5",) if command in ("execute", "play") else ()))
    assert (status, err.count("\n")) == (2, 1)
    assert "Did you mean 'Flood'?" in err


def test_a_model_of_a_file_is_trained_and_says_how_it_is_found_again(run, roads, monkeypatch):
    write("spread.py", SPREAD)
    status, _, err = run("train", "spread.py", "--sizes", "20", "--no-picture")
    assert status == 0, err
    assert Path("runs/spread-exact").is_dir()
    assert run("execute", "runs/spread-exact", *roads)[0] == 0
    forget()
    for command in ("execute", "explain", "evaluate", "certify", "report"):
        more = roads if command == "execute" else ()
        status, _, err = run(command, "runs/spread-exact", *more)
        assert (status, err.count("\n")) == (2, 1)
        assert "export ALGOLENS_ALGORITHMS=spread.py" in err, command
        assert "instead of" not in err
    monkeypatch.setenv("ALGOLENS_ALGORITHMS", "spread.py")
    forget()
    assert run("certify", "runs/spread-exact")[0] == 0


@pytest.mark.parametrize("command", ["execute", "play", "train"])
def test_a_name_whose_file_lies_here_says_so(run, command):
    write("spread.py", SPREAD)
    status, _, err = run(command, "spread", *(() if command == "train" else ("grid:5",)))
    assert (status, err.count("\n")) == (2, 1)
    assert "spread.py is here: give spread.py instead of spread" in err
    assert "export ALGOLENS_ALGORITHMS=spread.py" in err


@pytest.mark.parametrize("words", [("list",), ("execute", "bfs", "grid:5"), ("check", "bfs")])
def test_a_file_that_the_variable_names_and_that_is_missing_is_an_error(run, monkeypatch, words):
    monkeypatch.setenv("ALGOLENS_ALGORITHMS", "sprad.py")
    forget()
    status, out, err = run(*words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "ALGOLENS_ALGORITHMS names sprad.py, and no such file is there" in err


def test_the_machines_of_a_cluster_need_the_variable(run):
    write("spread.py", SPREAD)
    status, _, err = run("train", "spread.py", "--cluster", "ray")
    assert (status, err.count("\n")) == (2, 1)
    assert "export ALGOLENS_ALGORITHMS" in err


# ---- families of an author's own


ROW = '''
def row(num_nodes, rng):
    """Rows, each from a node to the next; the first node of all is reached first."""
    graph = nx.empty_graph(num_nodes)
    graph.add_edges_from((node - 1, node) for node in range(1, num_nodes) if rng.random() < 0.7)
    nx.set_node_attributes(graph, {node: node == 0 for node in graph}, "first")
    return graph


class Row(Spread):
    """Spread on rows alone, from the first node on."""

    name = "row"
    recipe = Recipe(families=(row,), size=8, train=6, held_out=3, test_sizes=(8, 12))

    def sample(self, graph, rng):
        return {"first": graph.place("node") == 1}

    def check(self, graph, inputs):
        starts, ends = graph.edges
        is_first = graph.place("node") == 0
        if (ends != starts + 1).any() or (inputs["first"] != is_first).any():
            raise GraphError("it runs on rows, from the first node on.")
'''
TREES = changed(
    (
        '    name = "spread"',
        '    name = "spread"\n    recipe = Recipe(size=6, train=9, held_out=3)',
    ),
    (
        "    def reference(",
        "    def check(self, graph, inputs):\n"
        "        for one in range(graph.num_graphs):\n"
        "            alone = graph.take([one]).graph\n"
        "            known = nx.empty_graph(alone.num_nodes)\n"
        "            known.add_edges_from(alone.edges.T.tolist())\n"
        "            if not nx.is_tree(known):\n"
        '                raise GraphError("it runs on trees alone.")\n\n'
        "    def reference(",
    ),
)


def row_file(*changes: tuple[str, str]) -> str:
    """A file with the algorithm on rows, in other words."""
    text = ROW
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return write("row.py", SPREAD, text)


@pytest.mark.parametrize("family", ["row", '"elsewhere.py:row"'])
def test_a_family_of_the_recipe_is_used_by_every_command(run, family):
    """Another graph than a row in its order, or another input, would be refused."""
    Path("elsewhere.py").write_text(HEAD + ROW[: ROW.index("class Row")])
    row_file(("families=(row,)", f"families=({family},)"))
    status, out, _ = run("check", "row.py:Row", "--json")
    (found,) = json.loads(out)["algorithms"]
    assert status == 0
    assert (found["random_graphs"], found["reference"]["graphs"]) == (20, 20)
    assert not any("refused" in told for told in found["notices"])
    edges = [(edge["source"], edge["target"]) for edge in found["example"]["graph"]["edges"]]
    assert edges
    assert set(edges) <= set(zip("abcde", "bcdef", strict=True))
    status, _, err = run("train", "row.py:Row", "--no-picture")
    assert status == 0, err
    assert "refused" not in err
    status, out, err = run("evaluate", "runs/row-exact", "--sizes", "9", "--json")
    assert status == 0, err
    assert json.loads(out)["sizes"]["9"]["graphs_right"] == 100
    status, out, _ = run("certify", "runs/row-exact", "--json")
    assert status == 0
    checks = {one["name"]: one for one in json.loads(out)["checks"]}
    assert checks["larger graphs"]["cases"] == 10  # of 12 nodes, as many as the largest test has
    assert "left out" not in checks["larger graphs"]["says"]
    for command in ("explain", "report"):
        status, _, err = run(command, "runs/row-exact")
        assert status == 0, err


def test_what_check_refuses_is_left_out_and_counted(run):
    write("spread.py", TREES)
    status, out, _ = run("check", "spread.py", "--json")
    (found,) = json.loads(out)["algorithms"]
    assert status == 0
    (told,) = [one for one in found["notices"] if "left out" in one]
    refused, of_all = told.split(" random")[0].split(" of ")
    assert int(of_all) == 140
    assert found["random_graphs"] == 140 - int(refused)
    assert "it runs on trees alone" in told
    assert len(found["example"]["graph"]["edges"]) == 5  # a tree of six nodes
    status, _, err = run("train", "spread.py", "--no-picture", "--sizes", "7")
    assert status == 0, err
    assert "graphs are refused and left out: it runs on trees alone" in err
    status, out, _ = run("certify", "runs/spread-exact", "--json")
    assert status == 0
    checks = {one["name"]: one for one in json.loads(out)["checks"]}
    assert "180 that spread refuses are left out" in " ".join(
        checks["larger graphs"]["says"].split()
    )


def test_what_is_refused_altogether_is_said_in_one_line(run):
    row_file(("families=(row,)", 'families=("grid", "caveman")'))
    status, out, _ = run("check", "row.py:Row")
    (line,) = [line for line in out.splitlines() if line.startswith("Wrong: ")]
    assert status == 1
    assert "all 40 random graphs of the recipe are refused" in line
    assert "it runs on rows, from the first node on" in line
    assert "Recipe(families=(my_family,))" in line
    assert "It ran on" not in out
    status, _, err = run("train", "row.py:Row", "--preset", "paper", "--epochs", "1")
    assert status == 2
    assert "random graphs of the recipe are refused (it runs on rows" in err.splitlines()[-1]
    assert "Traceback" not in err


def test_a_family_beside_a_recipe_that_is_refused(run):
    """It is checked and trained on the family, and what is proven stays proven."""
    row_file(("families=(row,)", 'families=("grid",)'))
    status, out, _ = run("check", "row.py:Row", "--family", "row.py:row")
    assert status == 0
    assert "It agrees with its reference on 20 graphs of yours, in reached." in out
    assert "all 20 random graphs of the recipe are refused" in " ".join(out.split())
    status, _, err = run("train", "row.py:Row", "--family", "row.py:row", "--no-picture")
    assert status == 0, err
    status, out, _ = run("certify", "runs/row-exact")
    assert status == 0
    assert "No random graph was tried: all 10 random graphs of the recipe are" in " ".join(
        out.split()
    )


def test_named_families_and_functions_stand_in_one_recipe(run):
    row_file(
        ("families=(row,)", 'families=("tree", row)'),
        ("raise GraphError", "return"),
    )
    status, out, err = run("check", "row.py:Row", "--json")
    assert json.loads(out)["algorithms"][0]["random_graphs"] == 40
    status, _, err = run(
        "train", "row.py:Row", "--no-picture", "--preset", "paper", "--epochs", "1"
    )
    assert status == 0, err


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (
            "families=(row,)",
            "families=row",
            'write a tuple of names and functions, as in families=("tree"',
        ),
        ("families=(row,)", 'families="tree"', "write a tuple of names and functions"),
        ("families=(row,)", "families=(3,)", "write a tuple of names and functions"),
        ("families=(row,)", 'families=("row",)', "no family of graphs is called 'row'"),
        ("families=(row,)", 'families=("no.py:row",)', "no.py, which is not there"),
        (
            "nx.empty_graph(num_nodes)",
            "nx.empty_graph(3 // 0)",
            "row(2, rng) failed (ZeroDivisionError",
        ),
        ("    return graph\n", "    return nx.path_graph(1)\n", "let it give one graph of 2"),
        (
            "    return graph\n",
            "    return [graph]\n",
            "row(2, rng): a graph is a NetworkX graph",
        ),
        (
            "nx.empty_graph(num_nodes)",
            "nx.empty_graph(num_nodes, nx.DiGraph)",
            "write Recipe(directed=True)",
        ),
    ],
)
def test_a_wrong_family_is_told_in_one_line(run, old, new, complaint):
    row_file((old, new))
    status, out, err = run("check", "row.py:Row")
    assert status in (1, 2)
    (line,) = [line for line in (out + err).splitlines() if line.startswith(("Wrong: ", "error: "))]
    assert complaint in line
    assert "Traceback" not in out + err


# ---- sentences


def test_a_reference_that_gives_something_else_is_told_in_one_true_sentence(run):
    file = write("spread.py", changed(('return {"reached"', 'return {"rached"')))
    line = wrong(run, file)
    assert "it cannot be compared with its reference: reference() gives 'rached'" in line
    out = run("check", file)[1]
    assert "does not run" not in out
    assert "gave None" not in out


def test_an_example_shows_a_change_where_there_is_one(run):
    """The first draw has nothing that is first."""
    rare = changed(
        (
            "    def reference(",
            "    def sample(self, graph, rng):\n"
            "        is_first = graph.place('node') == 0\n"
            '        return {"first": is_first if rng.random() < 0.4 else is_first & False}\n\n'
            "    def reference(",
        )
    )
    status, out, _ = run("check", write("spread.py", rare))
    assert status == 0
    assert "because is near: yes" in out


@pytest.mark.parametrize(
    ("old", "new", "advice"),
    [
        ("some neighbour (", "some neigbour (", "Did you mean 'neighbour'?"),
        ("some neighbour (", "some incomming link (", "Did you mean 'incoming'?"),
        ("some neighbour (reached)", "degree > 3", "exactly 3 neighbours (...)"),
        ("goes_on", "go_on", "Did you mean 'goes_on'?"),
        ("becomes=", "become=", "Did you mean 'becomes'?"),
    ],
)
def test_what_cannot_be_said_names_what_to_write(run, old, new, advice):
    assert advice in wrong(run, write("spread.py", changed((old, new))))


def test_reasons_why_no_preset_learns_it_are_one_sentence(run):
    many = "".join(f'    c{i} = Node.derived("first | reached & first")\n' for i in range(24))
    names = " | ".join(f"c{i}" for i in range(24))
    mixed = changed(
        ("    goes_on", f"    length = Graph.input(number(4))\n{many}    goes_on"),
        ('becomes="reached | is_near"', f'becomes="reached | is_near | {names}"'),
    )
    out = run("check", write("spread.py", mixed))[1]
    assert ".;" not in out
