"""The first use of a word of the glossary is a link, and only the first."""

from claimbook.website.links import linked_terms, pattern

MEANINGS = {"seed": ("where random numbers begin", "term-seed"),
            "attention": ("a weighted average", "term-attention"),
            "linear attention": ("without softmax", "term-linear-attention")}


def links(text, meanings):
    nodes = linked_terms(text, meanings, "glossary.html", pattern(MEANINGS))
    assert "".join(node.astext() for node in nodes) == text
    return [(node.astext(), node["refuri"], node["reftitle"]) for node in nodes
            if node.tagname == "reference"]


def test_first_uses_are_linked_with_their_meaning():
    meanings = dict(MEANINGS)
    assert links("Three Seeds, one seed; seedling", meanings) == [
        ("Seeds", "glossary.html#term-seed", "where random numbers begin")]
    assert links("a seed", meanings) == []


def test_longer_terms_come_first():
    meanings = dict(MEANINGS)
    assert [name for name, *_ in links("linear attention", meanings)] == ["linear attention"]
    assert links("more linear attention", meanings) == []
    assert [name for name, *_ in links("attention and more", meanings)] == ["attention"]


def test_parts_of_words_are_left():
    assert links("pre-attentional, attention-only", dict(MEANINGS)) == []
