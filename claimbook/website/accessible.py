"""What the pages of the theme and of Sphinx lack: names for screen readers, and links that work."""

import re
from pathlib import Path

TOGGLE = re.compile(r"(<a [^>]*>([^<]*)</a><details[^>]*>)<summary>")
SIDEBAR = '<div class="bd-sidebar-primary bd-sidebar'
LINES = re.compile(r"<dl>\n((?:<dd>.*?</dd>\n)+)</dl>", re.DOTALL)  # of a long signature, in its <dt>
SOURCES = re.compile(r"(All modules for which code is available</h1>\s*<ul>)((?:<li>.*?</li>\s*|</?ul>)+)")
NAMES = re.compile(r'(<summary| title="Search") aria-label="(Toggle hidden content|Search)"')  # not as read
UNTITLED = re.compile(r'<th class="head( stub)?"><p></p></th>')
BACK = re.compile(r'(<a class="viewcode-back" href="[^"#]*#)([^"]+)(">\[docs\]</a>)')


def repair(app, exception) -> None:
    """Repairs every page of the built site."""
    if exception:
        return
    places = {name: entry.node_id for name, entry in app.env.get_domain("py").objects.items()}
    for path in Path(app.outdir).rglob("*.html"):
        html = path.read_text("utf-8")
        if (new := repaired(html, places)) != html:
            path.write_text(new, "utf-8")


def repaired(html: str, places: dict[str, str]) -> str:
    """A page in which toggles have the names that are read on them, the sidebar is a landmark, lists have
    terms and items alone, no heading of a table is empty, and links to documentation lead to their places
    there, if there are any."""
    html = TOGGLE.sub(r'\1<summary aria-label="Pages of: \2">', html)
    html = NAMES.sub(r"\1", html)
    html = html.replace(SIDEBAR, f'<div role="complementary" aria-label="Contents" {SIDEBAR[5:]}')
    plain = lambda lines: lines[1].replace("<dd>", "<div>").replace("</dd>", "</div>")
    html = LINES.sub(lambda lines: f'<div class="sig-lines">\n{plain(lines)}</div>', html)
    html = SOURCES.sub(lambda found: found[1] + re.sub("</?ul>", "", found[2]) + "</ul>", html)
    html = UNTITLED.sub('<td class="head"></td>', html)
    html = html.replace('role="doc-biblioentry"', 'role="listitem"')
    return BACK.sub(lambda link: link[1] + places[link[2]] + link[3] if link[2] in places else "", html)
