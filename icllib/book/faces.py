"""The book's own type: IBM Plex, cut to the characters that a book like this one can need.

    python -m icllib.book.faces FOLDER

cuts the faces of the releases @ibm/plex-sans 1.1.0 and @ibm/plex-mono 2.5.0, which lie in FOLDER as woff2,
and writes book/_static/type. The licence keeps the name Plex for faces as they were released, so the
cut ones are called Book Sans and Book Mono.
"""

import argparse
from pathlib import Path

from icllib.files import PROJECT

TYPE = PROJECT / "book/_static/type"
FACES = {"IBMPlexSans-Regular": "BookSans-Regular", "IBMPlexSans-Italic": "BookSans-Italic",
         "IBMPlexSans-SemiBold": "BookSans-SemiBold", "IBMPlexMono-Regular": "BookMono-Regular"}
# ASCII, Latin letters of names in Europe, Greek, and punctuation and signs of mathematics.
CHARACTERS = [*range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x391, 0x3CA), *map(ord, (
    "–—‘’“”„†•…′″⁰⁴⁵⁶⁷⁸⁹⁺⁻₀₁₂₃₄₅₆₇₈₉ℓ←↑→↓↔∂∆∏∑−√∞∫≈≠≤≥"))]


def cut(path: Path, name: str) -> None:
    """Writes the characters of one face, with kerning and without other features, as woff2."""
    from fontTools import subset

    options = subset.Options(flavor="woff2", layout_features=["kern", "ccmp", "mark"],
                             hinting=False, name_IDs=[1, 2, 4, 6, 13, 14])
    font = subset.load_font(path, options)
    chosen = subset.Subsetter(options)
    chosen.populate(unicodes=CHARACTERS)
    chosen.subset(font)
    family, _, style = name.replace("Book", "Book ").partition("-")
    for number, words in {1: family, 2: style, 4: f"{family} {style}", 6: name}.items():
        font["name"].setName(words, number, 3, 1, 0x409)
    subset.save_font(font, TYPE / f"{name}.woff2", options)


def main() -> None:
    """Cuts every face."""
    parser = argparse.ArgumentParser(prog="python -m icllib.book.faces", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the faces of IBM Plex lie as woff2")
    folder = parser.parse_args().folder
    for source, name in FACES.items():
        cut(folder / f"{source}.woff2", name)


if __name__ == "__main__":
    main()
