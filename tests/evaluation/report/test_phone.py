"""Tests in a real browser that no figure is cut off, on a phone and on a wide screen."""

import pytest
from chromium import PHONE, chromium
from synthetic_run import synthetic_run

from evaluation.report.html_page import ReportData, write_page

WIDE = {"viewport": {"width": 1280, "height": 800}}
CUT = """width => [...document.querySelectorAll('figure svg text')].filter(text => {
    const box = text.getBoundingClientRect();
    return box.width && (box.left < 0 || box.right > width);
}).map(text => text.textContent)"""
SHOWN = "[...document.querySelectorAll('figure svg')].filter(svg => svg.getBoundingClientRect().width).length"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    records, metrics, _ = synthetic_run(steps=12)
    long = [{**one, "resources": one["resources"] * 1000} for one in records]
    data = ReportData(manifest={}, records=long, metrics=metrics)
    return write_page(data, tmp_path_factory.mktemp("report") / "report.html", limit=1)


def test_no_figure_is_cut_off(page):
    with chromium() as browser:
        for options in (PHONE, WIDE):
            tab = browser.new_context(**options).new_page()
            tab.goto(page.as_uri())
            width = options["viewport"]["width"]
            assert tab.evaluate("document.documentElement.scrollWidth") == width
            assert tab.evaluate(CUT, width) == []
            assert tab.evaluate(SHOWN) == 6
