"""A new paper and a new page: the files that they need, with words to fill in."""

import keyword
import re
from typing import Annotated

import typer

from claimbook.records.errors import InputError
from claimbook.records.files import PROJECT, read_text, write_together

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
PAPER = """\
order: {order}  # among the papers
title: "Fill in: the title"
short: {name}  # in tables
question: "Fill in: what does the paper ask?"
claim: "Fill in: the paper's answer, in a sentence."
answer: "Fill in: ours, in a sentence."  # must not say more than the verdicts do
# figure: a page whose first figure stands on the front page
links:
  the paper: https://arxiv.org/abs/0000.00000
citation: |
  @misc{{{name},
    author = {{Fill, In}},
    title  = {{Fill in}},
    year   = {{2000}},
  }}
pages: []
"""
CLAIMS = """\
# Claims of the paper. Tolerances are fixed before the run that decides, but for claims marked post_hoc.
paper: {name}
claims: []
"""
PACKAGE = '''\
"""The paper {name}: a module for each page.

`runs` of a page's module lists the runs of a profile. This file only imports the classes that
records name, as "papers.{name}.<class>".
"""
'''
CHAPTER = """\
# Fill in: the title

**The question:** what does the paper {{cite:p}}`{name}` ask?

**In short:** what came out, at which profile, and what the paper says.

## Pages

```{{tableofcontents}}
```

## Claims

Bounds and ranges that a claim does not quote are ours. [How a verdict is made](verdicts.md) tells what
*exact*, *paper*, *paper's model* and *smaller model* say of the evidence.

```{{include}} _generated/claims_{name}.md
```

## Errata

None was found.
"""
MODULE = '''\
"""Fill in: what the page {page} shows."""

from dataclasses import dataclass

import numpy as np

from claimbook.records import Component

PAIRS = (10, 20, 40)  # Fill in: where the paper says so, or ASSUMED and why


@dataclass(frozen=True)
class {measured}(Component):
    """Fill in: what is measured. In the example, the error of a mean of n numbers."""

    seed: int = 0

    def measure(self) -> dict:
        """The mean squared error for each number of pairs, and that of copies of one number, a control:
        (len(PAIRS),) each."""
        numbers = np.random.default_rng(self.seed).normal(size=(1000, max(PAIRS)))
        errors = lambda of: [(of[:, :pairs].mean(1) ** 2).mean() for pairs in PAIRS]
        return {{"error": errors(numbers),
                "control": errors(np.repeat(numbers[:, :1], max(PAIRS), axis=1))}}


def runs(profile) -> list[{measured}]:
    """The runs of a profile; these train nothing and are the same in each."""
    return [{measured}(seed) for seed in range(5)]
'''
CLAIM = """\
  - id: {name}.{number}
    source: "Fill in: figure, table, proposition or section"
    statement: "Fill in: the claim in our words. In the example, 40 pairs have less than half the error of 10."
    printed: {{value: less than half, read: figure}}
    predicate: ordering
    scale: log
    statistic: mean squared error with 40 pairs, divided by that with 10
    parts: [40 against 10 pairs]
    tolerance: {{below: 0.5}}
    control: other data
    page: {name}/{page}
"""
HEADLINE = "    headline: true  # the one claim of the paper that comes first\n"
NOTEBOOK = '''\
# %% [markdown]
# # Fill in: the item, and in a few words what came out
#
# **The question:** fill in.
#
# **In short:** fill in: what came out, at which profile, and what the paper says.

# %% tags=["parameters"]
profile = "stored"

# %% tags=["hide-output"]
import claimbook
import icllib
from papers.{name} import {page} as sheet

page = claimbook.Page("{name}/{page}")
records = icllib.records(sheet.runs, profile, page=page.name)
shown = claimbook.shown_profile(records)
claimbook.settings_table(sheet.runs(shown)[0])

# %% [markdown]
# ## Figure

# %% mystnb={{"figure": {{"caption": "Fill in: what is drawn, on which axes, and what to see, in one to three sentences that stay true when records change."}}, "image": {{"alt": "Fill in: the figure in words, for those who cannot see it."}}}} tags=["figure"]
import matplotlib.pyplot as plt

from claimbook.pages.plotting import draw, numbers, series

errors = claimbook.samples(records, "error")
table = page.save_figure(series("error", "ours", sheet.PAIRS, errors, shown))
figure, axes = plt.subplots(figsize=(5, 3.4))
draw(axes, table, "error", "ours", label="ours")
axes.set(xlabel="pairs", ylabel="mean squared error")
legend = axes.legend()

# %% [markdown]
# ## Numbers

# %% tags=["numbers"]
numbers(table, ["error"], xs=sheet.PAIRS, x="pairs")

# %% [markdown]
# ## The claims, one by one

# %%
ratios = lambda of: {{"40 against 10 pairs": of[:, -1] / of[:, 0]}}
control = claimbook.samples(records, "control")
page.decide("{name}.{number}", ratios(errors), shown, control=ratios(control))
page.verdicts()

# %% [markdown]
# ## What differs and why
#
# Fill in.
#
# The numbers behind the figure:
# {{download}}`figure.csv <../../results/{name}/{page}/figure.csv>`.

# %% tags=["provenance"]
print(claimbook.provenance_line(records, page.name))
'''
PAGES = re.compile(r"^(pages:.*\n(?:  - .*\n)*)", re.MULTILINE)


@app.command("paper", epilog="Example:  python -m claimbook new paper in_context_trees")
def paper(name: Annotated[str, typer.Argument(help="Of its folder: small letters, digits and _.")]):
    """Write the files of a paper: what it says, its claims, its chapter."""
    typer.echo("\n".join([*new_paper(name), f"Fill them in, then: python -m claimbook new page {name} PAGE"]))


@app.command("page", epilog="Example:  python -m claimbook new page in_context_trees fig01_depth")
def page(
    paper: Annotated[str, typer.Argument(help="The folder of its paper.")],
    name: Annotated[str, typer.Argument(help="Of its files: small letters, digits and _.")],
):
    """Write the files of a page that works as it stands, with a claim to fill in."""
    typer.echo("\n".join([*new_page(paper, name), "Fill them in, then: python -m claimbook run "
                          f"{paper}/{name} --profile cpu"]))


# ---- the files that are written -------------------------------------------------------------


def new_paper(name: str) -> list[str]:
    """Writes the files of a paper without pages, and the table of contents anew; returns what it wrote.

    Raises InputError for a name that no Python package can have, and for one that is taken.
    """
    from claimbook.claims import papers

    check_name("paper", name)
    known = papers()
    folder, chapter = PROJECT / "papers" / name, PROJECT / "book" / f"{name}.md"
    check_free(folder, chapter)
    words = {"name": name,
             "order": max((paper.order for paper in known.values()), default=0) + 1}
    return written({folder / "paper.yml": PAPER.format(**words),
                    folder / "claims.yml": CLAIMS.format(**words),
                    folder / "__init__.py": PACKAGE.format(**words),
                    chapter: CHAPTER.format(**words)})


def new_page(name: str, page: str) -> list[str]:
    """Writes the files of a page, which works as it stands, adds it to its paper with a claim, and
    writes the table of contents anew; returns what it wrote.

    Raises InputError for a paper that is not there, and for a page's name that no Python module can
    have or that is taken.
    """
    from claimbook.claims import load_claims
    from claimbook.pages.names import notebooks_folder

    claims = load_claims(name)
    check_name("page", page)
    folder, notebook = PROJECT / "papers" / name, notebooks_folder() / name / f"{page}.py"
    module = folder / f"{page}.py"
    check_free(module, notebook)
    measured = "".join(part.capitalize() for part in page.split("_"))
    words = {"name": name, "page": page, "number": len(claims) + 1, "measured": measured}
    of = lambda file: read_text(folder / file)
    return written({
        module: MODULE.format(**words),
        notebook: NOTEBOOK.format(**words),
        folder / "__init__.py": of("__init__.py")
        + f"\nfrom papers.{name}.{page} import {measured}\n",
        folder / "paper.yml": PAGES.sub(rf"\g<1>  - {page}\n",
                                        of("paper.yml").replace("pages: []\n", "pages:\n")),
        folder / "claims.yml": of("claims.yml").replace("claims: []\n", "claims:\n")
        + CLAIM.format(**words) + HEADLINE * (not claims)})


def check_name(what: str, name: str) -> None:
    """Raises InputError unless the name can be that of a Python module and part of an address."""
    if not re.fullmatch("[a-z][a-z0-9_]{0,63}", name) or keyword.iskeyword(name):
        raise InputError(f"{what}: expected a name of at most 64 small letters, digits and _, got {name!r:.100}")


def check_free(*paths) -> None:
    """Raises InputError where one of these files is there already."""
    for path in paths:
        if path.exists():
            raise InputError(f"{path.relative_to(PROJECT)}: expected a name that is not taken, got one "
                             "that is there already")


def written(texts: dict) -> list[str]:
    """Writes these files and the lists of papers and pages; returns the names of all of them."""
    from claimbook.website.contents import write_contents

    write_together(texts)
    return [*(str(path.relative_to(PROJECT)) for path in texts), *write_contents()]
