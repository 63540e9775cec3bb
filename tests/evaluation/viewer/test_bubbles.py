"""Tests that speech bubbles stand beside their residents at any map size."""

import math

import pytest
from viewed import LIFE, go, page_file

from evaluation.records.run_directory import RunDirectory

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


OVERLAPS = """() => {
  const box = (one) => [one.textContent, one.getBoundingClientRect()];
  const boxes = (query) => [...document.querySelectorAll(query)].map(box).filter(([, { width }]) => width);
  const found = [];
  const compare = (one, other) => one.forEach(([text, a], first) => other.forEach(([name, b], second) => {
    if (one === other && second <= first) return;
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (across > 1 && down > 1) found.push([text, name]);
  }));
  const bubbles = boxes(".bubble"), rooms = boxes(".label:not(.gone)");
  const people = boxes(".person .name");
  for (const other of [bubbles, rooms, people, boxes(".person .disc")]) compare(bubbles, other);
  compare(people, people);
  compare(rooms, rooms);
  return found;
}"""


@pytest.mark.parametrize("width", [1400, pytest.param(1000, marks=pytest.mark.slow)])
def test_no_bubble_hides_a_name_or_another(open_page, address, width):
    page = open_page(address, viewport={"width": width, "height": 800})
    shown = 0
    for step in range(0, 40, 3):
        go(page, f"#step={step}")
        shown += page.locator(".bubble").count()
        assert page.evaluate(OVERLAPS) == [], step
    assert shown > 40


def test_residents_in_one_corner_are_drawn_apart(open_page, tmp_path):
    """In steps 36 and 37 of this life four stand in a row along a wall."""
    run = RunDirectory(LIFE.with_name("recorded_life_itcma"))
    page = open_page(page_file(run, tmp_path / "page.html"), viewport={"width": 1000, "height": 700})
    for step in (36, 37):
        go(page, f"#step={step}")
        assert page.evaluate(OVERLAPS) == [], step


def check_layout(seen):
    west, north, east, south = seen["stage"]
    assert seen["bubbles"]
    for left, top, right, bottom in seen["bubbles"]:
        assert west <= left < right <= east
        assert north <= top < bottom <= south
    for x, y in seen["ties"]:
        edges = [math.dist((x, y), (across, down)) - radius for across, down, radius in seen["people"]]
        assert min(map(abs, edges)) < 6
