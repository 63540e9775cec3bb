"""Tests of the page of a run in a notebook."""

import pytest
from viewed import copy_of_life

from evaluation.viewer.notebook import show_run

PLANTED = "<img src=x onerror='top.hacked=1'><script>top.hacked=1</script>"


def test_a_notebook_shows_the_moment_in_a_frame_that_cannot_reach_it(open_tab, tmp_path):
    def change(record):
        record["thought"] = PLANTED

    run = copy_of_life(tmp_path / "life", steps=3, change=change)
    frame = show_run(run.path, step=2, who="LL", tab="why")._repr_html_()
    said = []
    page = open_tab(said)
    page.set_content(f"<!doctype html><p>A notebook</p>{frame}")
    shown = page.frame_locator("iframe")
    shown.locator("#panel", has_text="Why LL").wait_for()
    assert shown.locator(".moment-shown").inner_text() == "step 2"
    assert PLANTED in shown.locator("#panel").inner_text()
    # Links within it lead within it.
    shown.locator("#tab-step").click()
    shown.get_by_role("link", name="Why? WM").click()
    shown.locator("#panel", has_text="Why WM").wait_for()
    assert shown.locator("body").evaluate(
        "() => { try { return top.document.title; } catch { return 'kept out'; } }"
    ) == ("kept out")
    assert page.evaluate("typeof hacked") == "undefined"
    assert said == []
    page.context.close()


def test_there_must_be_a_run(tmp_path):
    with pytest.raises(ValueError, match="there is no run directory"):
        show_run(tmp_path / "none")
