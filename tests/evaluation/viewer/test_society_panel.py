"""Tests of the society panel up to a step against events.jsonl."""

import re

import pytest
from viewed import go, panel, recorded, step_of

from evaluation.records.interactions import interaction_counts
from ltrha import execution_rate


def test_those_who_are_level_are_named_together(page):
    go(page, "#step=39&tab=society")
    names, counts = interaction_counts(recorded())
    turned_to = dict(zip(names, counts.sum(axis=0).tolist(), strict=True))
    most = [name for name in names if turned_to[name] == max(turned_to.values())]
    assert len(most) == 2
    assert f"{most[0]} and {most[1]} were turned to most ({turned_to[most[0]]} times each)" in panel(page)


def test_after_one_step_nothing_is_counted(page):
    go(page, "#step=0&tab=society")
    text = panel(page)
    assert " most (" not in text
    assert "-" not in text[: text.index("Who turned to whom")]


def test_a_circle_chooses_its_resident(page):
    go(page, "#step=12&tab=society")
    page.locator(".node", has_text="SG").click()
    assert page.evaluate("location.hash") == "#step=12&who=SG&tab=society"
    assert page.locator(".node.chosen").get_attribute("aria-label").startswith("SG")


def test_filtered_is_said_with_its_odds(page):
    """WL is filtered in step 10, with the probability of Eq. 18 by shares."""
    then = {name: one["resources"] for (time, name), one in step_of().items() if time == 10}
    assert step_of()[10, "WL"]["outcome"] == "filtered"
    rate = dict(zip(then, execution_rate(list(then.values()), share=True).tolist(), strict=True))["WL"]
    go(page, "#step=10&who=WL&tab=why")
    resources = f"{then['WL']:.2f}".replace("-", "−")
    assert f"WL's were {100 * rate:.0f}\xa0%, with resources of {resources}" in panel(page)
    go(page, "#step=10&tab=step")
    assert "They act one after another: " in panel(page)
    assert f"WL's {100 * rate:.0f}\xa0%" in panel(page)  # beside another's
    acts = [record for (time, name), record in step_of().items() if time <= 10 and name == "WL" and record["action"]]
    so_far = f"{sum(record['outcome'] == 'filtered' for record in acts)} of {len(acts)}"
    assert f"({so_far} filtered so far)" in panel(page)
    go(page, "#step=10&tab=society")
    row = page.locator(".standing tbody tr", has_text="WL").inner_text()
    assert f"{100 * rate:.0f}\xa0%" in row
    assert so_far in row


@pytest.mark.parametrize("time", [7, 39])
def test_the_network_and_figure_8_grow_with_time(page, time):
    go(page, f"#step={time}&tab=society")
    names, counts = interaction_counts([record for record in recorded() if record["time"] <= time])
    turned = {
        (one, other): count
        for one, row in zip(names, counts.tolist(), strict=True)
        for other, count in zip(names, row, strict=True)
    }
    edges = page.locator(".network .edge:not(.tip) title").evaluate_all("all => all.map((one) => one.textContent)")
    assert sorted(edges) == sorted(f"{one} to {other}: {count}" for (one, other), count in turned.items() if count)
    assert page.locator(".matrix thead th").evaluate_all("all => all.map((one) => one.textContent)") == list(names)
    cells = page.locator(".matrix tbody td").evaluate_all("all => all.map((one) => one.textContent)")
    assert cells == ["" if one == other else str(turned[one, other]) for one in names for other in names]


@pytest.mark.parametrize("time", [7, 39])
def test_figures_6_and_7_are_drawn_up_to_the_step_that_is_shown(page, time):
    go(page, f"#step={time}&tab=society")
    for title, key in (("Resources", "resources"), ("Driver", "driver"), ("Pleasure", "pleasure")):
        chart = page.locator("figure.chart", has=page.locator("figcaption span", has_text=re.compile(f"^{title}$")))
        shown = dict(re.findall(r"(\w\w) (−?[\d.]+)", chart.locator("svg").get_attribute("aria-label")))
        assert set(shown) == {"AY", "SG", "MD", "WL", "LL", "WM"}
        for name, value in shown.items():
            assert float(value.replace("−", "-")) == pytest.approx(step_of()[time, name][key], abs=0.005001)
        lines = chart.locator("path.line:not(.after)").evaluate_all("all => all.map((one) => one.getAttribute('d'))")
        assert [len(re.findall("[ML]", line)) for line in lines] == [time + 1] * 6
