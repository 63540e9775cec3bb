"""Tests of the figure of mechanisms, from hand-made comparisons."""

from dataclasses import replace

from configs import run_config

from evaluation.mechanisms.counterfactual import Outcome
from evaluation.mechanisms.drawing import drawn
from evaluation.mechanisms.measuring import Comparison, Measured
from itcma_s.ablation.mechanisms import MECHANISMS

FIRST, SECOND = MECHANISMS[:2]
STAYS, GOES = Outcome(action="use bed 2", goal="rest"), Outcome(action="go to outside", goal="rest")


def compared(name, how, time, changed):
    return Comparison(
        mechanism=name, how=how, resident="SG", time=time, formed=False, was=STAYS, became=GOES if changed else STAYS
    )


def measured(*comparisons, **chosen):
    return Measured(
        configuration=run_config(model="scripted", **chosen),
        mechanisms=(FIRST, SECOND),
        decisions=4,
        comparisons=comparisons,
    )


def test_a_panel_for_each_mechanism_counts_the_decisions_that_changed_so_far():
    run = measured(
        *(compared(FIRST.name, "removed", time, time > 0) for time in range(4)),
        compared(FIRST.name, "replaced", 3, True),
        compared(SECOND.name, "removed", 3, False),
    )
    figure = drawn([[run]])
    first, second = [axes for axes in figure.axes if axes.axison]
    assert [first.get_title(loc="left"), second.get_title(loc="left")] == [FIRST.name, SECOND.name]
    assert [line.get_ydata().tolist() for line in first.lines] == [[0, 25, 50, 75], [0, 0, 0, 25]]
    assert [line.get_ydata().tolist() for line in second.lines] == [[0, 0, 0, 0]]


def test_of_several_architectures_each_panel_says_whose_it_is():
    one = measured(compared(FIRST.name, "removed", 0, True))
    other = replace(one, configuration=replace(one.configuration, architecture="itcma"))
    titles = [axes.get_title(loc="left") for axes in drawn([[one], [other]]).axes if axes.axison]
    assert titles == [f"{FIRST.name} (itcma-s)", f"{FIRST.name} (itcma)"]
