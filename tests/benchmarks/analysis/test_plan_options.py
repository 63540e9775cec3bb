"""A recorded life is led along its record, and what its plans name is looked for among the options."""

import pytest

from benchmarks.analysis.plan_options import ROOT, Missing, options_of
from itcma_s.deliberation.llm_policy import llm_policy

LIFE = ROOT / "examples" / "recorded_life"


@pytest.mark.needs_torch
def test_a_step_that_no_option_does_is_found(monkeypatch):
    real = llm_policy.options
    whole = options_of(LIFE, steps=2)
    monkeypatch.setattr(
        llm_policy, "options", lambda *given: [one for one in real(*given) if "chair" not in "".join(one.actions)]
    )
    without = options_of(LIFE, steps=2)
    assert whole.decisions == without.decisions == 12
    assert without.options < whole.options
    assert {*without.missing} - {*whole.missing} == {Missing(time=1, resident="WM", step="sit down on the chair")}
