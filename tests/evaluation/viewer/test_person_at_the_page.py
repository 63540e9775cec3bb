"""A person lives in a run from the page that shows it."""

import re
import subprocess
import sys

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from language_models.transcript.transcript import Transcript


def test_a_person_lives_from_the_page(browser, tmp_path):
    out, said = tmp_path / "run", []
    command = [sys.executable, "-m", "evaluation", "run", "--model", "scripted", "--seed", "3", "--steps", "4"]
    command += ["--mind", "LL=me", "--view", "--out", str(out)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        link = next(found[0] for line in process.stderr if (found := re.search(r"http://\S+", line)))
        page = browser.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda message: said.append(message.text))
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
            # The button may go away at any moment.
            seat.get_by_role("button", name="wait").evaluate_all("all => all.forEach(one => one.click())")
            page.wait_for_timeout(300)
        assert process.wait() == 0
        process.stderr.read()
    page.close()
    assert [text for text in said if "ERR_" not in text] == []
    acts = [one["action"] for one in RunDirectory(out).records() if one["resident"] == "LL"]
    assert acts[0] == "go to outside"
    assert f'chat with {spoken}: "<b>Hello</b>, 1 f w"' in acts
    with Transcript(out / "transcript.sqlite") as transcript:
        answers = [call.response for call in transcript.calls() if call.caller.module == "person"]
    assert answers[0]["option"] == "go to outside"
    assert "<b>Hello</b>, 1 f w" in [one.get("text") for one in answers]
    assert main(["replay", str(out)]) == 0
