"""What a link to a page shows elsewhere, by the Open Graph protocol (ogp.me)."""

import textwrap
from html import escape
from pathlib import Path

import matplotlib.pyplot as plt

from claimbook.claims import papers
from claimbook.claims.decisions import Decision
from claimbook.pages.plotting import use_style
from claimbook.website.contents import config
from claimbook.website.ledger import in_words


def write_previews(decisions: list[Decision], folder: Path) -> None:
    """A picture of each paper's question and of what came out."""
    plain = dict(parse_math=False, color="#222832", verticalalignment="top")
    use_style()
    for paper in papers().values():
        own = [item for item in decisions if item.claim.paper == paper.name and not item.claim.ours]
        figure = plt.figure(figsize=(12, 6.3), layout="none")
        figure.text(0.06, 0.9, f"{config()['title']}: {paper.short}", fontsize=22, **plain)
        figure.text(0.06, 0.76, textwrap.fill(paper.question, 40), fontsize=36, **plain)
        counts = textwrap.fill(f"{len(own)} claims of the paper: {in_words(own)}", 76)
        figure.text(0.06, 0.2, counts, fontsize=20, **plain)
        save_picture(figure, folder / f"{paper.name}.png")


def save_picture(figure, path: Path) -> None:
    """A figure of 12 by 6.3 inches as PNG, and closes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with plt.rc_context({"savefig.bbox": None}):
        figure.savefig(path, format="png", dpi=100, metadata={"Software": None})
    plt.close(figure)


def tags(app, pagename: str, title: str, about: str) -> str:
    """The tags of a page. Their addresses are whole ones where _config.yml has the site's address
    (html: baseurl), which most readers of links ask for, and relative ones elsewhere."""
    base = (app.config.html_baseurl or "").rstrip("/")
    root = f"{base}/" if base else "../" * pagename.count("/")
    paper = next((part for part in pagename.replace(".", "/").split("/") if part in papers()), None)
    first = next(iter(papers()), None)
    own = app.config.html_context.get("preview")  # of pages about no paper, in html_static_path
    picture = f"_static/{own}" if own and not paper else f"previews/{paper or first}.png"
    if pagename.startswith("book/findings/"):
        picture = f"previews/{Path(pagename).name}.png"
    told = {"og:type": "article" if paper else "website", "og:site_name": app.config.html_title,
            "og:title": title, "og:description": about, "og:image": root + picture,
            "og:url": f"{base}/{pagename}.html" if base else ""}
    lines = [f'<meta property="{name}" content="{escape(text)}">' for name, text in told.items() if text]
    return "\n".join([*lines, '<meta name="twitter:card" content="summary_large_image">']) + "\n"
