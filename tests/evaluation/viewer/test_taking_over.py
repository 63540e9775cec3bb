"""A person takes over a resident in the page of a run that goes on, and hands it back."""

import re
import subprocess
import sys
from contextlib import contextmanager

import pytest

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.human_override import decided_by_people, taken_over
from language_models.transcript.transcript import Transcript

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")

STEPS = 30


@contextmanager
def going_on(command):
    """A process that does not outlive a test that fails, for which a run would wait."""
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def check_accessible(browser, link):
    """What somebody else finds who opens the same page now, where the policy lets axe-core in."""
    page = browser.new_page(bypass_csp=True)
    page.set_default_timeout(60_000)
    page.goto(f"{link}#who=LL&tab=resident")
    page.get_by_role("button", name="Hand LL back", exact=True).wait_for()
    page.get_by_role("region", name="Your resident").get_by_text("You are LL").first.wait_for()
    results = axe.Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    page.close()


def test_a_resident_is_taken_over_and_handed_back(browser, tmp_path):
    out, said = tmp_path / "run", []
    command = [sys.executable, "-m", "evaluation", "run", "--model", "scripted", "--steps", str(STEPS), "--seed", "3"]
    with going_on([*command, "--view", "--out", str(out)]) as process:
        link = next(found[0] for line in process.stderr if (found := re.search(r"http://\S+", line)))
        page = browser.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda message: said.append(message.text))
        page.goto(f"{link}#who=LL&tab=resident")
        page.get_by_role("button", name="Pause the run").click()
        # A step that goes on would ask whoever takes over in it.
        page.get_by_role("button", name="Go on").wait_for()
        page.get_by_role("button", name="Take over LL").click()
        page.get_by_role("button", name="Hand LL back", exact=True).wait_for()
        page.get_by_role("button", name="Go on").click()
        seat = page.get_by_role("region", name="Your resident")
        seat.get_by_text("You are LL").first.wait_for()
        page.get_by_text("The run waits for you as LL.").wait_for()
        check_accessible(browser, link)
        # The run waits as long as the person likes, and nobody else is asked.
        before = len(RunDirectory(out).records())
        page.wait_for_timeout(1500)
        assert len(RunDirectory(out).records()) == before
        seat.get_by_role("group", name="go to").get_by_role("button").first.click()
        page.wait_for_function(
            "steps => document.querySelector('.facts > :last-child dd').textContent.startsWith(steps)",
            arg=str(before // 6 + 1),
        )
        seat.get_by_role("button", name="wait").click()
        seat.get_by_text(f"in step {before // 6 + 2}").wait_for()
        page.get_by_role("button", name="Hand LL back", exact=True).click()
        page.get_by_text("The run is finished.").wait_for()
        assert process.wait(300) == 0
        process.stderr.read()
    first = before // 6
    page.evaluate("step => { location.hash = `#step=${step}&who=LL&tab=why`; }", first)
    page.get_by_text("A person decided").wait_for()
    page.evaluate("step => { location.hash = `#step=${step}&who=LL&tab=why`; }", first + 2)
    page.wait_for_function(
        "step => document.querySelector('#panel h2').textContent.includes(`step ${step}`)", arg=first + 2
    )
    assert page.get_by_text("A person decided").count() == 0
    assert page.get_by_role("button", name="Take over").count() == 0
    page.close()
    assert said == []
    with Transcript(out / "transcript.sqlite") as transcript:
        asked, decided = taken_over(transcript), decided_by_people(transcript)
    assert asked == {("LL", first + step) for step in range(3)}
    assert decided == {("LL", first), ("LL", first + 1)}
    own = {one["time"]: one for one in RunDirectory(out).records() if one["resident"] == "LL"}
    assert own[first]["action"].startswith("go to ")
    assert own[first + 1]["action"] is None
    assert f"LL in steps {first} to {first + 1}" in (out / "report.html").read_text()
    assert main(["replay", str(out)]) == 0
