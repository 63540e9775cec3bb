"""A run that is watched while it goes on: paused, taken step by step, and in the end the same as any other."""

import json
import re
import subprocess
import sys

from evaluation.records.run_directory import RunDirectory
from evaluation.viewer.html_page import write_view

STEPS = 40


def test_a_run_is_watched_paused_and_taken_step_by_step(browser, tmp_path):
    out, said = tmp_path / "run", []
    command = [sys.executable, "-m", "evaluation", "run", "--model", "scripted", "--steps", str(STEPS), "--view"]
    with subprocess.Popen([*command, "--out", str(out)], stderr=subprocess.PIPE, text=True) as process:
        link = next(found[0] for line in process.stderr if (found := re.search(r"http://\S+", line)))
        page = browser.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda message: said.append(message.text))
        page.goto(link)
        page.get_by_role("button", name="Pause the run").click()
        page.get_by_text("The run waits.").wait_for()
        page.wait_for_timeout(2500)  # the step that went on ends
        here = steps(page)
        page.wait_for_timeout(800)
        assert steps(page) == here < STEPS
        page.get_by_role("button", name="One step").click()
        page.wait_for_function(
            "steps => document.querySelector('.facts > :last-child dd').textContent.startsWith(steps)",
            arg=str(here + 1),
        )
        page.get_by_text("The run waits.").wait_for()
        assert len(RunDirectory(out).records()) == 6 * (here + 1)
        page.get_by_role("button", name="Go on").click()
        page.get_by_text("The run is finished.").wait_for()
        assert process.wait(300) == 0
        process.stderr.read()
    assert steps(page) == STEPS
    # What has come step by step is what the finished run shows.
    write_view([RunDirectory(out)], tmp_path / "page.html")
    finished = browser.new_page()
    finished.goto((tmp_path / "page.html").as_uri())
    for hash in (f"#step={STEPS - 1}", f"#step={STEPS // 2}&who=LL&tab=why", "#step=7&tab=society"):
        told = []
        for one in (page, finished):
            one.evaluate("hash => { location.hash = hash; }", hash)
            one.wait_for_function("step => location.hash.startsWith(step)", arg=hash.split("&")[0])
            one.wait_for_timeout(100)
            told.append(one.locator("#panel").inner_text())
        assert told[0] == told[1]
    assert said == []
    given = json.loads((out / "manifest.json").read_bytes())["configuration"]["given"]
    assert "view" not in given
    page.close()
    finished.close()


def steps(page):
    """How many steps the page has."""
    return int(page.locator(".facts > :last-child dd").inner_text().split()[0])
