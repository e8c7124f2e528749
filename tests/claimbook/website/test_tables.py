"""Tables of pandas keep all their texts and have no empty headings."""

import re

import pandas as pd
import pytest

from claimbook.website.tables import tidy

NAMED = pd.DataFrame({"value": [1, 2], "from": ["paper", "cpu"]}, pd.Index(["steps", "rate"], name="setting"))
BOTH = NAMED.rename_axis(columns="what")
GROUPED = pd.concat({"linear": NAMED, "classes": NAMED}, axis=1)


def texts(html, tag="t[hd]"):
    found = re.findall(rf"<{tag}\b[^>]*>(.*?)</{tag}>", html)
    return sorted(filter(None, found))


@pytest.mark.parametrize("table", [NAMED, BOTH, GROUPED, NAMED.reset_index()])
def test_no_heading_is_empty_and_no_text_is_lost(table):
    before, after = table.to_html(), tidy(table.to_html())
    assert "<th></th>" in before and "" not in re.findall(r"<th\b[^>]*>(.*?)</th>", after)
    assert texts(before) == texts(after)


def test_the_name_of_the_index_comes_into_the_row_of_the_columns():
    assert re.findall(r"<th>(\w+)</th>", tidy(NAMED.to_html()))[:3] == ["setting", "value", "from"]
    assert tidy(NAMED.to_html()).count("<tr") == 3 and tidy(BOTH.to_html()).count("<tr") == 4


def test_numbers_and_equations_do_not_break_and_answers_are_words():
    table = pd.DataFrame({"sigma = 1": ["[5.2e-05, 0.1]"], "is it": [True]})
    html = tidy(table.to_html())
    assert "[<span class=\"number\">5.2e-05</span>, 0.1]" in html and "<td>yes</td>" in html
    assert "&nbsp;=&nbsp;1</th>" in html


def test_symbols_are_typeset_in_cells_and_names_of_code_are_not():
    table = pd.DataFrame({"psi_L linear": ["2 sigma^2"], "task.alpha": ["arg_str-dropped_arg"]})
    html = tidy(table.to_html())
    assert "<th><i>ψ</i><sub>L</sub> linear</th>" in html and "2 <i>σ</i><sup>2</sup>" in html
    assert "task.alpha" in html and "arg_str-dropped_arg" in html
    assert tidy("<td>\\(x_N\\)</td><p>psi_L</p>") == "<td>\\(x_N\\)</td><p>psi_L</p>"
