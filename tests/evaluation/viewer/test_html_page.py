"""Tests of the page file: its security policy, and that data of a run is never markup."""

import base64
import hashlib
import re

import pytest
from made_up_runs import made_up_run
from viewed import copy_of_life

from evaluation.viewer.html_page import page_data, page_of, write_view
from evaluation.viewer.run_view import RunView

PLANTED = "</script><script>globalThis.hacked = 1</script><!--<img src=x onerror=hacked=1>"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    directory = copy_of_life(
        tmp_path_factory.mktemp("page") / "life", steps=3, change=lambda one: one.update(thought=PLANTED)
    )
    return page_of([page_data(RunView(directory))])


def test_the_policy_lets_only_the_pages_own_script_and_style_run(page):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1].replace("&#39;", "'")
    for kind, part in (("script", "<script>(.*?)</script>"), ("style", "<style>(.*?)</style>")):
        own = re.search(part, page, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "connect-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"\son\w+=|style=", re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL))


def test_nothing_in_a_run_ends_the_element_it_is_in(page):
    assert page.count("<script") == 3
    assert page.count("</script>") == 3
    assert "<!--" not in page
    assert "\\u003c/script>\\u003cscript>globalThis.hacked" in page


def test_what_would_act_on_the_text_around_it_is_shown_instead(tmp_path):
    words = "a \ud800 b, \x1b[31m red, \x9b1m, \u202eturned\u202c\u2066,\nthe next line"
    directory = copy_of_life(tmp_path / "life", steps=1, change=lambda one: one.update(thought=words, plan=[words]))
    write_view([directory], tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    told = "a ? b, ?[31m red, ?1m, ?turned??,\\nthe next line".replace("?", "\N{REPLACEMENT CHARACTER}")
    assert page.count(told) == 2 * 6
    assert not re.search(r"[\x1b\x9b\u202c\u202e\u2066]|\\u001b|\\ud800", page)


def test_75_steps_stay_below_20_megabytes(tmp_path):
    write_view([copy_of_life(tmp_path / "life")], tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size * 75 / 40 < 20_000_000


def test_a_run_without_a_step_is_refused(tmp_path):
    run = made_up_run(tmp_path, [], status="failed")
    with pytest.raises(ValueError, match="no time step to show yet"):
        write_view([run], tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()
