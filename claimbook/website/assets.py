"""Takes out of built pages the scripts, style sheets and icons that nothing on them uses."""

import re
import shutil
from pathlib import Path

# What a page contains where the files with these words in their names are of use to it.
USED_BY = {
    "mathjax": 'class="math', "mystnb": 'class="cell ', "copybutton|clipboard": 'class="highlight',
    "sphinx-design": 'class="sd-', "design-tabs|sd-tabs": 'class="sd-tab',
    "toggle": r'class="[^"]*\b(toggle|dropdown)\b',
    "thebe": 'class="thebe',  # it would load from the network
}
ICON = re.compile(r'((?:\.fa-[\w-]+:before,?)+)\{content:"\\([0-9a-f]+)"\}')
WOFF2 = re.compile(r'url\([^)]*\.woff2\) format\("woff2"\),')


def leave_out(files, body: str) -> list:
    """Of the scripts or style sheets of a page those that its body uses."""
    unused = [names for names, mark in USED_BY.items() if not re.search(mark, body)]
    told = lambda file: f"{file.filename} {file.attributes}".lower()
    return [file for file in files if not any(re.search(names, told(file)) for names in unused)]


def cut_icons(app, exception) -> None:
    """Leaves of Font Awesome, in the built site, what its pages and their scripts name."""
    site = Path(app.outdir)
    folder = next(site.glob("_static/vendor/fontawesome/*"), None)
    if exception or folder is None:
        return
    css = (folder / "css/all.min.css").read_text("utf-8")
    codes = icons_used(site, css)
    css = ICON.sub(lambda icon: icon[0] if icon[2] in codes else "", css)
    (folder / "css/all.min.css").write_text(WOFF2.sub("", css), "utf-8")
    from fontTools import subset  # which only a machine that builds the book needs

    for path in folder.glob("webfonts/*"):
        if path.suffix == ".ttf":
            font, chosen = subset.load_font(path, subset.Options()), subset.Subsetter()
            chosen.populate(unicodes=[int(code, 16) for code in codes])
            chosen.subset(font)
            subset.save_font(font, path, subset.Options())
        else:
            path.unlink()
    shutil.rmtree(folder / "js", ignore_errors=True)  # the same icons once more


def icons_used(site: Path, css: str) -> set[str]:
    """The hexadecimal characters of the icons that pages, scripts or style sheets name."""
    texts = [path.read_text("utf-8") for kind in ("html", "js", "css") for path in site.rglob(f"*.{kind}")
             if "fontawesome" not in path.parts]
    names = {name for text in texts for name in re.findall(r"\bfa-[\w-]+", text)}
    codes = {code for text in texts for code in re.findall(r"\\([ef][0-9a-f]{3})\b", text)}
    return codes | {code for selectors, code in ICON.findall(css)
                    if names & set(re.findall(r"fa-[\w-]+", selectors))}
