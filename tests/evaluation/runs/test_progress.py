import io

import pytest
from rich.console import Console

from evaluation.html_theme.printable import printable
from evaluation.runs.progress import PlainProgress, TerminalProgress, doings, progress_on
from evaluation.runs.society import Step

RECORDS = [
    {"resident": "AY", "action": 'chat with SG: "Hello\x1b[2J"', "outcome": "executed"},
    {"resident": "SG", "action": "go to outside", "outcome": "filtered"},
    {"resident": "MD", "action": None, "outcome": "executed"},
    {"resident": "WL", "action": None, "outcome": "failed"},
    {"resident": "LL", "action": "use bed 9", "outcome": "inadmissible"},
]
SHORT = (
    "AY chat with SG · SG go to outside (filtered) · MD waits · WL has no answer from the model · "
    "LL use bed 9 (in vain)"
)


def test_who_does_what():
    assert doings(RECORDS) == SHORT
    assert printable("a\x1b[2Jb\n") == "a\N{REPLACEMENT CHARACTER}[2Jb\N{REPLACEMENT CHARACTER}"


def test_lines():
    stream = io.StringIO()
    progress = PlainProgress(stream, least=0.0, most=0.0)
    progress.say("loading ...")
    progress.begin(2, 4)
    progress.act("AY")
    progress.act("SG")
    progress.step(Step(2, RECORDS, []))
    progress.step(Step(3, [], []))
    progress.end()
    assert stream.getvalue().splitlines() == [
        "loading ...",
        "step 3/4: everyone thinks ...",
        "step 3/4: decided so far: AY",
        "step 3/4: decided so far: AY, SG",
        f"step 3/4, 0:00 elapsed, 0:00 left: {SHORT}",
        "step 4/4, 0:00 elapsed, 0:00 left: ",
    ]


def test_a_replay_says_that_it_asks_nobody():
    stream = io.StringIO()
    PlainProgress(stream).begin(0, 4, meanwhile="replaying ...")
    assert stream.getvalue() == "step 1/4: replaying ...\n"
    PlainProgress(stream).begin(4, 4)
    assert stream.getvalue().count("\n") == 1


def test_quick_steps_do_not_flood():
    stream = io.StringIO()
    progress = PlainProgress(stream, least=100.0)
    progress.begin(0, 50)
    for time in range(50):
        progress.step(Step(time, RECORDS, []))
    assert len(stream.getvalue().splitlines()) == 2


@pytest.mark.parametrize("records", [RECORDS, []])
def test_a_bar_on_a_terminal(records):
    stream = io.StringIO()
    progress = TerminalProgress(Console(file=stream, force_terminal=True, width=200))
    progress.say("loading [bold]x[/] ...")
    progress.begin(0, 2)
    progress.act("AY")
    progress.step(Step(0, records, []))
    progress.end()
    assert "loading [bold]x[/] ..." in stream.getvalue()
    assert "\x1b[2J" not in stream.getvalue()
    assert isinstance(progress_on(io.StringIO()), PlainProgress)
