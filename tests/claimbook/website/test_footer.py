"""The foot of a page says how to run it, from the repository's address where there is one."""

from types import SimpleNamespace

import pytest

from claimbook.website.extension import offer_colab
from claimbook.website.footer import run_box

PAGE = "notebooks/causal_lm/fig05_masks"
ADDRESS = "https://example.org/owner/name"


def app(**options):
    return SimpleNamespace(config=SimpleNamespace(html_theme_options=options))


def test_a_page_says_its_command():
    html = run_box(app(), PAGE)
    assert "python -m claimbook run causal_lm/fig05_masks --profile gpu" in html
    assert "git clone" not in html and "Colab" not in html
    assert run_box(app(), "book/index") == ""


def test_with_a_repository_it_says_where_to_get_the_project():
    html = run_box(app(repository_url=ADDRESS), PAGE)
    assert f"git clone {ADDRESS} &amp;&amp; cd name &amp;&amp; make" in html
    assert f"!git clone --depth 1 {ADDRESS} &amp;&amp; pip install -q -e name/claimbook -e name\n%cd name" in html


@pytest.mark.parametrize("options", [{}, {"repository_url": ADDRESS}])
def test_colab_is_offered_where_a_repository_is_named(options):
    built = app(**options)
    offer_colab(built, built.config)
    assert ("launch_buttons" in built.config.html_theme_options) == bool(options)
