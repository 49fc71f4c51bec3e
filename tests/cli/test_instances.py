"""Numbers, words and edges as the command takes them, and examples that need none."""

from __future__ import annotations


def test_letters_in_a_table_of_nodes(run, tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\nc,d\n")
    (tmp_path / "nodes.csv").write_text(
        "node,letter,in_pattern\na,X,false\nb,Y,false\nc,X,false\nd,Y,true\n"
    )
    words = ("execute", "kmp_matcher", str(tmp_path / "edges.csv"))
    status, out, _ = run(*words, "--nodes", str(tmp_path / "nodes.csv"))
    assert status == 0
    assert "The first letter of the pattern is Y" in out
    assert "it begins at letter 2 of the text" in out


def test_the_command(run, tmp_path):
    assert "1 is not larger than the pivot 6" in run("execute", "quicksort")[1]
    assert "Quicksort on 4 numbers, by algorithm." in run("execute", "quicksort", "5,2,9,1")[1]
    assert "in the best run: 4" in run("execute", "maximum_subarray", "-1,4")[1]
    words = ("execute", "binary_search", "--target", "3", "1,3,5")
    assert "the result: 3" in run(*words)[1]
    assert "the result: 3" in run("execute", "binary_search", "1,3,5", "3")[1]
    page = tmp_path / "page.html"
    assert run("play", "lcs_length", "ABCBDAB", "BDCABA", "--html", str(page))[0] == 0
    assert "ABCBDAB and BDCABA</title>" in page.read_text()
    assert run("play", "prim", "kruskal", "--html", str(page))[0] == 0
    assert "a graph of 8 nodes and 10 edges</title>" in page.read_text()
    assert "no such file" in run("play", "prim", "kruskall", "boruvka", "--html", str(page))[2]
