"""Tests that speech bubbles stand beside their residents at any map size."""

import math

import pytest
from viewed import go

ON_THE_STAGE = """() => {
  const box = document.querySelector(".stage").getBoundingClientRect();
  const of = (one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    return [left, top, right, bottom];
  };
  return {
    high: box.height,
    stage: [box.left, box.top, box.right, box.bottom],
    bubbles: [...document.querySelectorAll(".bubble")].map(of),
    ties: [...document.querySelectorAll(".tie")].map((one) => ["x1", "y1"].map((key) => Number(one.getAttribute(key)))),
    people: [...document.querySelectorAll(".person .disc")].map((one) => {
      const [left, top, right, bottom] = of(one);
      return [(left + right) / 2 - box.left, (top + bottom) / 2 - box.top, (right - left) / 2];
    }),
  };
}"""


@pytest.mark.parametrize("moment", ["#step=12", "#step=31"])
def test_bubbles_follow_the_map_when_the_keys_take_of_its_room(page, moment):
    go(page, moment)
    before = page.evaluate(ON_THE_STAGE)
    page.locator("summary", has_text="Keys").click()
    page.wait_for_function("high => document.querySelector('.stage').clientHeight < high - 10", arg=before["high"])
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    check_layout(page.evaluate(ON_THE_STAGE))
    page.locator("summary", has_text="Keys").click()
    page.wait_for_function("high => document.querySelector('.stage').clientHeight >= high", arg=int(before["high"]))
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate(ON_THE_STAGE) == before


def check_layout(seen):
    west, north, east, south = seen["stage"]
    assert seen["bubbles"]
    for left, top, right, bottom in seen["bubbles"]:
        assert west <= left < right <= east
        assert north <= top < bottom <= south
    for x, y in seen["ties"]:
        edges = [math.dist((x, y), (across, down)) - radius for across, down, radius in seen["people"]]
        assert min(map(abs, edges)) < 6
