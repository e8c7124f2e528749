"""What is repaired in the pages of the theme and of Sphinx, and what links show elsewhere."""

from types import SimpleNamespace

import pytest

from claimbook.website.accessible import repaired
from claimbook.website.previews import tags


def test_toggles_have_names_and_the_sidebar_is_a_landmark():
    html = repaired('<div class="bd-sidebar-primary bd-sidebar"><a href="x">One</a><details>'
                  '<summary><i></i></summary></details></div>', {})
    assert '<summary aria-label="Pages of: One">' in html
    assert '<div role="complementary" aria-label="Contents" class="bd-sidebar-primary' in html


def test_signatures_are_no_lists_and_other_lists_stay():
    assert "<d" not in repaired("<dl>\n<dd>a</dd>\n<dd>b</dd>\n</dl>", {}).replace("<div", "")
    terms = "<dl>\n<dt>a</dt>\n<dd>b</dd>\n</dl>"
    assert repaired(terms, {}) == terms


def test_the_list_of_sources_has_no_lists_between_its_items():
    title, item = "<h1>All modules for which code is available</h1>\n", '<li><a href="a.html">a</a></li>\n'
    html = repaired(f"{title}<ul>{item}<ul>{item}</ul>{item}<ul>{item}</ul></ul>\n<ul>{item}</ul>", {})
    assert html == f"{title}<ul>{4 * item}</ul>\n<ul>{item}</ul>"


def test_empty_headings_are_cells_and_works_are_items_of_a_list():
    assert repaired('<th class="head"><p></p></th><th class="head"><p>a</p></th>', {}) == (
        '<td class="head"></td><th class="head"><p>a</p></th>')
    work = '<div role="list"><div class="citation" role="{}">a</div></div>'
    assert repaired(work.format("doc-biblioentry"), {}) == work.format("listitem")


def test_source_views_lead_back_to_what_is_documented_only():
    link = '<a class="viewcode-back" href="../a.html#icllib.a">[docs]</a>'
    assert repaired(link, {"icllib.a": "icllib.a"}) == link and repaired(link, {}) == ""
    assert "#icllib.b" in repaired(link, {"icllib.a": "icllib.b"})  # where it is documented by another name


@pytest.mark.parametrize("base, start", [("", "../"), ("https://a.org/b/", "https://a.org/b/")])
def test_pictures_of_links_have_whole_addresses_where_the_site_has_one(base, start):
    app = SimpleNamespace(config=SimpleNamespace(html_baseurl=base, html_title="T", html_context={}))
    html = tags(app, "claims/causal_lm.1", 'a "b"', "about")
    assert f'"og:image" content="{start}previews/causal_lm.png"' in html
    assert 'content="a &quot;b&quot;"' in html and ("og:url" in html) == bool(base)
