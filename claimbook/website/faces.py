"""The book's own type: IBM Plex, cut to the characters that a book like this one can need.

    python -m claimbook.website.faces FOLDER

cuts the faces of the releases @ibm/plex-sans 1.1.0 and @ibm/plex-mono 2.5.0, which lie in FOLDER as woff2,
and writes claimbook/website/static/type; of those again claimbook/pages/type, with the characters of figures, as
ttf. The licence keeps the name Plex for faces as they were released, so the cut ones are called Book Sans and Book Mono.
"""

import argparse
from pathlib import Path

from claimbook.records.files import PACKAGE

TYPE, FIGURES = PACKAGE / "website/static/type", PACKAGE / "pages/type"
FACES = {"IBMPlexSans-Regular": "BookSans-Regular", "IBMPlexSans-Italic": "BookSans-Italic",
         "IBMPlexSans-SemiBold": "BookSans-SemiBold", "IBMPlexMono-Regular": "BookMono-Regular"}
ASCII_AND_GREEK = [*range(0x20, 0x7F), *range(0x391, 0x3CA)]
SIGNS = "–—‘’“”†•…′″⁰⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉ℓ←↑→↓↔∂∆∏∑−√∞∫≈≠≤≥"  # punctuation and mathematics
# With the Latin letters of names in Europe, for text; with a few of them, for figures.
CHARACTERS = [*ASCII_AND_GREEK, *range(0xA0, 0x180), *map(ord, f"{SIGNS}„⁺⁻")]
OF_FIGURES = [*ASCII_AND_GREEK, *map(ord, f"{SIGNS}\u00a0±²³·×÷éöüäÖ¼½¾°")]


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


def cut_for_figures(name: str) -> None:
    """Writes the characters that figures need of a face of the book, as ttf, which matplotlib reads."""
    from fontTools import subset

    options = subset.Options(layout_features=[], hinting=False, name_IDs=[1, 2, 4, 6, 13, 14])
    font = subset.load_font(TYPE / f"{name}.woff2", options)
    chosen = subset.Subsetter(options)
    chosen.populate(unicodes=OF_FIGURES)
    chosen.subset(font)
    font.flavor = None  # not compressed
    font.save(FIGURES / f"{name}.ttf")


def main() -> None:
    """Cuts every face."""
    parser = argparse.ArgumentParser(prog="python -m claimbook.website.faces", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the faces of IBM Plex lie as woff2")
    folder = parser.parse_args().folder
    for source, name in FACES.items():
        cut(folder / f"{source}.woff2", name)
    for name in ("BookSans-Regular", "BookSans-Italic"):
        cut_for_figures(name)


if __name__ == "__main__":
    main()
