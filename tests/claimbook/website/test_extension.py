"""What the book's extension makes of the nodes of a page."""

from docutils import nodes

from claimbook.website.extension import hold_punctuation, join_texts


def paragraph(*children):
    return nodes.paragraph("", "", *(nodes.Text(child) if isinstance(child, str) else child
                                     for child in children))


def test_a_formula_and_the_marks_around_it_stay_together():
    page = paragraph("in compute (", nodes.math("", "x"), "), and ", nodes.math("", "y"), " too")
    hold_punctuation(None, page, "page")
    assert page.astext() == "in compute (x), and y too"
    together, = page.findall(nodes.inline)
    assert together.astext() == "(x)," and together["classes"] == ["unbroken"]


def test_texts_of_two_lines_become_one():
    page = paragraph("claims 25 and", "\n", "41", nodes.emphasis("", "here"), "end")
    join_texts(page)
    assert [child.astext() for child in page] == ["claims 25 and\n41", "here", "end"]
