"""Links from "claim N" to its page, and from the first use of each word of the glossary to its meaning."""

import re

from docutils import nodes

GLOSSARY = "book/start_here/glossary"
# Words that are common outside the glossary, or have links of their own.
LEFT = {"example", "pair", "claim", "verdict", "consistent", "token", "query", "exponent", "control"}
NOT_WITHIN = (nodes.reference, nodes.title, nodes.literal, nodes.math, nodes.term, nodes.raw,
              nodes.FixedTextElement)  # code and displayed formulas
NAMED = re.compile(r"\b([Cc]laims?\s+)(\d+(?:(?:,\s+and|,|\s+and|\s+to)\s+\d+)*)")


def linked(text: str, known: set[str], address) -> list:
    """The nodes of a text in which each number of a known claim is a link, to its `address(number)`."""
    found, end = [], 0
    for match in NAMED.finditer(text):
        for number in re.compile(r"\d+").finditer(text, *match.span(2)):
            if number[0] in known:
                found += [nodes.Text(text[end:number.start()]),
                          nodes.reference("", number[0], refuri=address(number[0]), internal=True)]
                end = number.end()
    return [*found, nodes.Text(text[end:])]


def linked_html(html: str, known: set[str], address) -> str:
    """HTML in which each number of a known claim is a link, but for text that is in a link already."""
    pieces, inside = re.split(r"(<[^>]*>)", html), False
    link = lambda own: f'<a href="{address(own[0])}">{own[0]}</a>' if own[0] in known else own[0]
    for place, piece in enumerate(pieces):
        if piece.startswith("<"):
            inside = piece.startswith("<a ") or inside and piece != "</a>"
        elif not inside:
            pieces[place] = NAMED.sub(lambda named: re.sub(r"\d+", link, named[0]), piece)
    return "".join(pieces)


def link_terms(app, doctree, docname: str) -> None:
    """Makes links of the first uses of terms on this page, each with its meaning as a tooltip."""
    meanings = dict(found_terms(app.env))
    if docname == GLOSSARY or not meanings:
        return
    of_anchor = {anchor: meaning for meaning, anchor in meanings.values()}
    for link in doctree.findall(nodes.reference):  # those that a page makes itself
        page, _, anchor = link.get("refuri", "").partition("#")
        if anchor in of_anchor and "glossary" in page:
            link["reftitle"] = of_anchor[anchor]
            link["classes"] += ["term"]
    words = pattern(meanings)  # of all: "linear attention" has no link for "attention" in it
    for text in list(doctree.findall(nodes.Text)):
        within = [text]
        while parent := within[-1].parent:
            within.append(parent)
        on_card = any("sd-card" in getattr(node, "attributes", {}).get("classes", ()) for node in within)
        if not on_card and not any(isinstance(node, NOT_WITHIN) for node in within):  # a card is one link
            text.parent.replace(text, linked_terms(
                text, meanings, app.builder.get_relative_uri(docname, GLOSSARY), words))


def linked_terms(text: str, meanings: dict, address: str, words: re.Pattern) -> list:
    """The nodes of a text in which terms are links; these are taken out of the meanings."""
    found, end = [], 0
    for match in words.finditer(text):
        name = match[1].lower()
        if name in meanings:
            meaning, anchor = meanings.pop(name)
            link = nodes.reference("", match[0], refuri=f"{address}#{anchor}", internal=True,
                                   reftitle=meaning, classes=["term"])
            found += [nodes.Text(text[end:match.start()]), link]
            end = match.end()
    return [*found, nodes.Text(text[end:])]


def pattern(names) -> re.Pattern:
    """Any of these names as a word of its own, longer ones first, or its plural."""
    longest_first = sorted(map(re.escape, names), key=len, reverse=True)
    return re.compile(rf"\b({'|'.join(longest_first)})s?\b(?![-/])", re.IGNORECASE)


def found_terms(env):
    """Each term of the glossary in lower case, with its meaning and its anchor."""
    if GLOSSARY not in env.found_docs:
        return
    for item in env.get_doctree(GLOSSARY).findall(nodes.definition_list_item):
        meaning = item[-1].astext()
        for term in item.findall(nodes.term):
            if term.astext().lower() not in LEFT:
                yield term.astext().lower(), (meaning, term["ids"][0])
