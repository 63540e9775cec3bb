"""Tests of the report of many residents: it summarises, and shows those that a reader finds and picks."""

import base64
import json
import re
import zlib
from collections import Counter

import pytest
from chromium import PHONE, chromium
from made_up_runs import made_up_run
from synthetic_run import SIX, manifest, synthetic_run

from evaluation.html_theme.scripts import policy_hash
from evaluation.records import run_directory
from evaluation.report.html_page import ReportData, render_report
from evaluation.report.society_section import permutations_for, society_section
from evaluation.viewer.run_pages import write_pages
from language_models.embedders.hash_embedder import HashEmbedder

WIDE = {"viewport": {"width": 1400, "height": 900}}
COPIES = 4
EVIL = "</script><script>alert(1)</script>"


def crowd(steps):
    """Records and metrics of four societies of six beside each other, each in places of its own."""
    records, metrics, _ = synthetic_run(steps=steps)
    names = rf"\b({'|'.join(SIX)}|Public|outside)\b"
    copies = [json.loads(re.sub(names, rf"\g<1>{copy}", json.dumps([records, metrics]))) for copy in range(COPIES)]
    together = [record for own, _ in copies for record in own]
    return sorted(together, key=lambda one: one["time"]), [row for _, own in copies for row in own]


def data_of(text):
    packed = re.search(r'id="crowd">([^<]*)</script>', text)[1]
    return json.loads(zlib.decompress(base64.b64decode(packed)))


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    records, metrics = crowd(5)
    society = society_section(records, None)
    text = render_report(ReportData(manifest=manifest(5), records=records, metrics=metrics, society=society))
    path = tmp_path_factory.mktemp("crowd") / "report.html"
    path.write_text(text, encoding="utf-8")
    return path


def test_figures_and_tables_summarise_and_the_page_has_every_step(report):
    text = report.read_text(encoding="utf-8")
    # Those of the axes, and the median.
    assert len(re.findall(r'<g id="driver-line2d_', text)) < 24
    assert 'id="driver-driver"' in text
    assert "<article" not in text
    assert len(re.findall("<tr data-who=", text)) == 3 * 24
    assert re.search(r'<th scope="col" class="n">Society</th>\s*<th scope="col" class="n">Lowest', text)
    data = data_of(text)
    assert len(data["names"]) == 24
    assert [len(own) for own in data["steps"]] == [5] * 24
    assert data["picked"]
    assert {panel["quantity"] for panel in data["panels"]} == {
        *("driver", "pleasure", "arousal", "dominance", "resources")
    }


def test_text_cannot_leave_the_data_and_only_the_pages_own_script_may_run():
    records, _ = crowd(1)
    records[0] |= {"thought": EVIL, "resident": EVIL}
    text = render_report(ReportData(manifest={}, records=records, metrics=[]))
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert len(scripts) == 1
    assert policy_hash(scripts[0]) in text
    assert data_of(text)["steps"][data_of(text)["names"].index(EVIL)][0]["thought"] == EVIL


def test_a_reader_finds_and_picks_residents_and_reads_their_stories(report):
    with chromium() as browser:
        for options in (WIDE, PHONE):
            find_and_pick(browser.new_context(**options).new_page(), report, options["viewport"]["width"])


def find_and_pick(tab, report, width):
    faults = []
    tab.on("pageerror", lambda error: faults.append(str(error)))
    tab.on("request", lambda request: faults.append(request.url) if request.url != report.as_uri() else None)
    tab.goto(report.as_uri())
    tab.wait_for_selector("#picker:not([hidden])")
    lines = tab.locator("figure.driver svg:visible path.line")
    tab.get_by_role("button", name="Tick nobody").click()
    assert lines.count() == 0
    tab.fill("#search", "wm")
    assert tab.inner_text("#found") == "4 of 24 residents found."
    assert tab.locator("#residents .cards tbody tr:visible").count() == 4
    for name in ("WM0", "WM3"):
        tab.get_by_label(name).check()
    assert lines.count() == 2
    assert tab.locator("figure.emotion svg:visible path.line").count() == 6
    # A link to a step of somebody who is not picked opens it.
    tab.evaluate("location.hash = '#s5-3'")
    tab.wait_for_selector("#s5-3")
    assert lines.count() == 3
    assert tab.locator("details.story").count() == 3
    assert "You are in" in tab.inner_text("#s5-3")
    # Words that were said are found, and the steps with them marked.
    tab.fill("#search", "book about coins")
    assert "24 residents found" in tab.inner_text("#found")
    assert tab.evaluate("document.documentElement.scrollWidth") == width
    assert faults == []


def test_six_residents_keep_a_line_a_story_and_a_column_each_and_no_script():
    records, metrics, _ = synthetic_run(steps=1)
    text = render_report(ReportData(manifest={}, records=records, metrics=metrics))
    assert "<script" not in text
    assert "<article" in text


def test_many_residents_get_fewer_samples_and_no_fewer_than_a_finding_needs():
    assert permutations_for(6) == permutations_for(60) == 1000
    assert [permutations_for(many) for many in (200, 1000)] == [199, 99]


@pytest.mark.slow
def test_a_report_reads_the_manifest_the_checksums_and_the_transcript_once(tmp_path, with_report, monkeypatch):
    records, metrics = crowd(1)
    run = made_up_run(tmp_path / "run", records, metrics)
    read = Counter()

    def counted(name):
        before = getattr(run_directory, name)

        def read_once(*arguments, **options):
            read[name] += 1
            return before(*arguments, **options)

        monkeypatch.setattr(run_directory, name, read_once)

    for name in ("read_manifest", "read_chain", "Transcript"):
        counted(name)
    monkeypatch.setattr("evaluation.viewer.run_pages.MOST_DECISIONS", 0)
    told = []
    progress = type("Progress", (), {"say": lambda self, text: told.append(text)})()
    assert write_pages(run, progress, HashEmbedder()) == run.report_path
    assert read == {"read_manifest": 1, "read_chain": 1, "Transcript": 1}
