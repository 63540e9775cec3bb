"""Tests of the four sentences at the top of the report."""

from dataclasses import replace

import pytest
from made_up_runs import made_up_run
from synthetic_run import synthetic_run

from evaluation.measures import actions
from evaluation.report.findings import findings
from evaluation.report.html_page import ReportData
from evaluation.report.society_section import society_section
from evaluation.social import social_structure
from evaluation.viewer.findings import findings_of

USAGE = [{"calls": 30, "prompt_tokens": 900, "generated_tokens": 300, "dollars": 0.5}]


def told(records, structure=None, usage=(), step_tokens=(), days=""):
    return dict(findings(records, structure, usage, step_tokens, days))


def turns(steps, choose):
    """Return records of residents in one place; ``choose`` returns whom a resident turns to at a time step."""
    records, _, _ = synthetic_run(steps=steps)
    return [
        {**one, "place": "outside", "outcome": "executed", "action": choose(one["resident"], one["time"])}
        for one in records
    ]


def structure_of(records):
    return social_structure(actions(records), seed=0, permutations=199)


@pytest.fixture(scope="module")
def led():
    def choose(name, time):
        others = [other for other in ("AY", "SG", "WL", "WM") if other != name]
        return f'chat with {others[time % len(others)] if name == "LL" or time % 4 == 0 else "LL"}: "hi"'

    records = turns(24, choose)
    return records, structure_of(records)


def test_who_leads_and_who_is_left_out_with_counts_and_p(led):
    records, structure = led
    said = told(records, structure)
    times, expected = structure.residents.loc["LL", ["received", "expected"]]
    assert said["Who leads"].startswith(f"LL leads: others turned to LL {times:.0f} times where {expected:.1f} were")
    assert f"q\u00a0=\u00a0{structure.tests['q']['leader']:.3f}" in said["Who leads"]
    expected = structure.residents.loc["MD", "expected"]
    assert f"beyond chance: MD, 0 times where {expected:.1f} were to be expected" in said["Who was left out"]


def test_a_p_value_that_many_tests_explain_finds_nobody(led):
    """As in a run with p = .009 of being left out and p = .037 of resources, whose q were .153 and .209."""
    records, structure = led
    tests = structure.tests.assign(q=0.2)
    said = told(records, replace(structure, tests=tests, sentences={"leader": ""}))
    assert said["Who leads"].startswith("No leader was found")
    assert said["Who was left out"].startswith("Nobody was found to be left out: nearest to it is MD")
    assert "were not found to go" in said["What resources did"]
    assert "What else was found" not in said
    assert "Ties persist" in told(records, structure)["What else was found"]


def test_what_was_not_found_is_not_said_to_be_absent():
    def choose(name, time):
        others = [other for other in ("AY", "SG", "MD", "WL", "LL", "WM") if other != name]
        return f'chat with {others[time % 5]}: "hi"'

    records = turns(10, choose)
    said = told(records, structure_of(records))
    assert said["Who leads"].startswith("No leader was found: others turned to ")
    assert said["Who was left out"].startswith("Nobody was found to be left out: nearest to it is ")


@pytest.mark.slow
def test_the_viewer_says_what_the_report_says(led, tmp_path):
    records = led[0]
    report = ReportData(manifest={}, records=records, metrics=[], society=society_section(records, None)).findings()
    viewer = findings_of(made_up_run(tmp_path / "run", records))
    assert [subject for subject, _ in viewer][:3] == ["Who leads", "Who was left out", "What resources did"]
    assert viewer == report


def test_resources_from_the_least_to_the_most(led):
    records, structure = led
    end = {one["resident"]: one["resources"] for one in records if one["time"] == 23}
    least, most = min(end, key=end.get), max(end, key=end.get)
    said = told(records, structure)["What resources did"]
    test = structure.tests.loc["resources of the sociable"]
    assert f"({least}) to " in said
    assert f"({most}); they " in said
    assert f"q\u00a0=\u00a0{test['q']:.3f}" in said
    assert f"by chance {test['null_low']:.2f} to".replace("-", "−") in said
    without = [{**one, "resources": None} for one in records]
    assert told(without)["What resources did"] == "There are none to tell of: without LTRHA nobody has resources."


def test_what_it_cost_and_how_much_that_varies(led):
    records = led[0][:12]
    steps = [600, 600]
    assert told(records, usage=USAGE, step_tokens=steps, days="2026-11-01")["What it cost"] == (
        "30 model calls and 1,200 tokens, 100 a resident and step (nine in ten time steps between 100 and 100); "
        "$0.50 at prices of 2026-11-01."
    )
    half = [*USAGE, {**USAGE[0], "dollars": None}]
    assert told(records, usage=half)["What it cost"].endswith("at least $0.50, as some prices are not known.")
    unknown, free = ({**USAGE[0], "dollars": one} for one in (None, 0.0))
    for usage in ([unknown], [unknown, free]):
        assert told(records, usage=usage)["What it cost"].endswith(
            "; no price: the run was given none (irollan run --prices FILE)."
        )
    assert told(records, usage=[free], days="2026-11-01")["What it cost"].endswith(
        "a resident and step, which cost nothing."
    )
    assert told(records)["What it cost"] == "Nothing that was counted: no model was called."


def test_what_was_not_counted_is_told_with_the_cost(led):
    clause = "tokens of mute are not counted: its server reports none"

    def cost(dollars):
        usage = [{**USAGE[0], "dollars": dollars}]
        return dict(findings(led[0][:12], None, usage, (), "", [clause]))["What it cost"]

    told = "30 model calls and 1,200 tokens, 100 a resident and step"
    assert cost(0.0) == f"{told}. T{clause[1:]}."
    assert cost(0.5) == f"{told}; at least $0.50. T{clause[1:]}."


def test_a_run_in_which_nobody_turns_to_anybody():
    records = turns(3, lambda *_: "use bed 2")
    said = told(records, structure_of(records))
    assert said["Who leads"].startswith("Nobody can be said to lead: nobody turned to anybody")
    assert said["Who was left out"].startswith("Nobody can be said to be left out")
    assert "cannot be tested" in said["What resources did"]
