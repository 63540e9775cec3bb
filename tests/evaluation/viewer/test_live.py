"""Tests of a running run: watching, pausing, single steps, decisions by a person, and the final page."""

import pytest
from watched_run import watched_run

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.human_override import decided_by_people, taken_over
from evaluation.viewer.html_page import write_view
from language_models.transcript.transcript import Transcript

STEPS = 6


def steps(page):
    """Return the number of steps on the page."""
    return int(page.locator(".facts > :last-child dd").inner_text().split()[0])


def wait_for_steps(page, count):
    page.wait_for_function(
        "steps => document.querySelector('.facts > :last-child dd').textContent.startsWith(steps)", arg=str(count)
    )
    assert steps(page) == count


# It waits for a browser and a run that goes on beside it.
@pytest.mark.slow
def test_a_run_is_paused_a_resident_taken_over_and_handed_back(open_tab, tmp_path):
    out, said = tmp_path / "run", []
    page = open_tab(said)
    with watched_run(out, "--steps", STEPS, wait=True) as (process, link):
        page.goto(f"{link}#who=LL&tab=resident")
        page.get_by_role("button", name="Pause the run").click()
        page.get_by_text("The run waits.").wait_for()
        wait_for_steps(page, 1)
        page.get_by_role("button", name="One step").click()
        wait_for_steps(page, 2)
        page.get_by_text("The run waits.").wait_for()
        assert len(RunDirectory(out).records()) == 6 * 2
        page.get_by_role("button", name="Take over LL").click()
        page.get_by_role("button", name="Hand LL back", exact=True).wait_for()
        page.get_by_role("button", name="Go on").click()
        seat = page.get_by_role("region", name="Your resident")
        seat.get_by_text("You are LL").first.wait_for()
        page.get_by_text("The run waits for you as LL.").wait_for()
        check_accessible(open_tab, link)
        # The run waits for the person without a time limit, and nobody else is asked.
        page.wait_for_timeout(500)
        assert len(RunDirectory(out).records()) == 6 * 2
        seat.get_by_role("group", name="go to").get_by_role("button").first.click()
        wait_for_steps(page, 3)
        seat.get_by_role("button", name="wait").click()
        seat.get_by_text("in step 4").wait_for()
        page.get_by_role("button", name="Hand LL back", exact=True).click()
        page.get_by_text("The run is finished.").wait_for()
        assert process.wait(300) == 0
        page.locator("#tab-society").click()
        page.locator("dl.found", has_text="Nobody leads.").wait_for()
    assert steps(page) == STEPS
    run = RunDirectory(out)
    check_as_finished(page, run, open_tab(said), tmp_path / "page.html")
    assert page.get_by_role("button", name="Take over").count() == 0
    page.context.close()
    assert said == []
    with Transcript(run.transcript_path) as transcript:
        assert taken_over(transcript) == {("LL", step) for step in (2, 3, 4)}
        assert decided_by_people(transcript) == {("LL", 2), ("LL", 3)}
    actions = {one["time"]: one["action"] for one in run.records() if one["resident"] == "LL"}
    assert actions[2].startswith("go to ")
    assert actions[3] is None
    assert "view" not in run.read_manifest()["configuration"]["given"]
    assert main(["replay", str(out)]) == 0


def check_accessible(open_tab, link):
    """Check the accessibility of the same page in a new tab whose policy allows axe-core."""
    from axe_playwright_python.sync_playwright import Axe

    page = open_tab([], bypass_csp=True)
    page.goto(f"{link}#who=LL&tab=resident")
    page.get_by_role("button", name="Hand LL back", exact=True).wait_for()
    page.get_by_role("region", name="Your resident").get_by_text("You are LL").first.wait_for()
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    page.context.close()


def check_as_finished(page, run, finished, path):
    """Check that the live page equals the page of the finished run, including decisions by a person."""
    write_view([run], path, [[("Who leads", "Nobody leads.")]])
    finished.goto(path.as_uri())
    shown = {}
    for link in (
        f"#step={STEPS - 1}&tab=step",
        "#step=2&who=LL&tab=why",
        "#step=4&who=LL&tab=why",
        "#step=3&tab=society",
    ):
        for one in (page, finished):
            one.evaluate("hash => { location.hash = hash; }", link)
            one.wait_for_function("step => location.hash.startsWith(step)", arg=link.split("&")[0])
            one.wait_for_timeout(100)
        shown[link], again = (one.locator("#panel").inner_text() for one in (page, finished))
        assert shown[link] == again
    assert ["A person decided" in shown[f"#step={step}&who=LL&tab=why"] for step in (2, 4)] == [True, False]
    finished.context.close()


# Waits for a whole run, step by step; who answers is tested without a browser in test_seat.py.
@pytest.mark.slow
def test_a_person_lives_from_the_page(open_tab, tmp_path):
    out, said = tmp_path / "run", []
    page = open_tab(said)
    with watched_run(out, "--steps", 4, "--mind", "LL=me") as (process, link):
        page.goto(link)
        seat = page.get_by_role("region", name="Your resident")
        seat.get_by_text("You are in LL's Home.").wait_for()
        page.get_by_text("The run waits for you as LL.").wait_for()
        seat.get_by_role("group", name="go to").get_by_role("button", name="go to outside").click()
        seat.get_by_text("You go to outside.").wait_for()
        spoken = ""
        while not spoken:
            seat.get_by_role("button", name="wait").wait_for()
            chats = seat.get_by_role("button", name="chat with")
            if chats.count():
                spoken = chats.first.inner_text().removeprefix("chat with ").removesuffix(" …")
                chats.first.click()
            else:
                seat.get_by_role("button", name="wait").click()
                page.wait_for_timeout(1000)  # its button is gone, and the next one may be there
        seat.get_by_role("textbox", name="Your words").fill("<b>Hello</b>, 1 f w")
        page.keyboard.press("Enter")
        while process.poll() is None:
            # The button may disappear at any time.
            seat.get_by_role("button", name="wait").evaluate_all("all => all.forEach(one => one.click())")
            page.wait_for_timeout(300)
        assert process.wait() == 0
    page.context.close()
    assert [text for text in said if "ERR_" not in text] == []
    acts = [one["action"] for one in RunDirectory(out).records() if one["resident"] == "LL"]
    assert acts[0] == "go to outside"
    assert f'chat with {spoken}: "<b>Hello</b>, 1 f w"' in acts
    with Transcript(out / "transcript.sqlite") as transcript:
        answers = [call.response for call in transcript.calls() if call.caller.module == "person"]
    assert answers[0]["option"] == "go to outside"
    assert "<b>Hello</b>, 1 f w" in [one.get("text") for one in answers]
    assert main(["replay", str(out)]) == 0
