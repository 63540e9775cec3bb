"""Tests of accessibility and safety: keyboard, phone, screen reader, many residents, injected scripts."""

import json

import pytest
from chromium import PHONE
from random_run import random_run
from viewed import copy_of_life, go, page_file, panel, step_of

from evaluation.viewer.html_page import page_data, page_of
from irollan_env.map.generate import generate_towns

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no test in a browser")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed: no test in a browser")

PLANTED = "<img src=x onerror='globalThis.hacked=1'><script>globalThis.hacked=1</script>"


def test_nothing_is_said_to_the_console_in_any_tab(open_page, address):
    page = open_page(address)
    for tab in ("resident", "why", "society", "find", "step"):
        page.locator(f"#tab-{tab}").click()
        page.locator("#panel").focus()
        for _ in range(3):
            page.keyboard.press("ArrowRight")
    assert page.locator(".moment-shown").inner_text() == "step 15"


def test_by_keyboard_alone(open_page, address):
    page = open_page(address)
    shown = page.locator(".moment-shown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    assert shown.inner_text() == "step 6"
    page.keyboard.press("ArrowLeft")
    assert shown.inner_text() == "step 5"
    page.keyboard.press("5")
    assert "Suzuran" in panel(page)
    page.keyboard.press("w")
    assert panel(page).startswith("Why LL")
    assert page.evaluate("document.activeElement.id") == "panel"
    page.keyboard.press("End")
    assert shown.inner_text() == "step 39"
    page.keyboard.press("Home")
    page.keyboard.press("]")
    assert page.get_by_label("Speed").input_value() == "2"
    page.keyboard.press(" ")
    assert page.get_by_role("button", name="Pause").count() == 1
    page.keyboard.press(" ")
    page.keyboard.press("/")
    page.keyboard.type("w beefsteak")
    page.keyboard.press("Enter")
    assert "Found nowhere" in panel(page)
    # Every control is reachable with Tab, and the focus is visible.
    reached = set()
    page.locator("body").click(position={"x": 5, "y": 5})
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.getAttribute('role') ?? document.activeElement.tagName"))
    assert {"A", "BUTTON", "SELECT", "slider", "tab", "button"} <= reached


def test_playing_comes_to_the_end_and_stops(open_page, address):
    page = open_page(f"{address}#step=36")
    page.get_by_label("Speed").select_option("16")
    page.get_by_role("button", name="Play").click()
    sync_api.expect(page.locator(".moment-shown")).to_have_text("step 39")
    sync_api.expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert page.evaluate("location.hash") == "#step=39"


def test_people_walk_through_doors(open_page, address):
    """Between AY's step 0 at home and step 1 outside, AY is drawn near its door."""
    page = open_page(address, reduced_motion="no-preference")
    page.get_by_label("Speed").select_option("0.25")
    ways = page.evaluate(
        """async () => {
          const person = document.querySelector(".person[data-name=AY]"), seen = [];
          const shown = document.querySelector(".moment-shown");
          document.querySelector("[aria-label='A step on']").click();
          for (let frame = 0; frame < 120 && shown.textContent !== "step 1"; frame += 1) {
            await new Promise(requestAnimationFrame);
            seen.push(person.getAttribute("transform"));
          }
          return [...new Set(seen)].length;
        }"""
    )
    assert ways > 4


def test_on_a_phone(open_page, address):
    page = open_page(f"{address}#step=12", **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.locator(".person[data-name=SG]").tap()
    assert step_of()[12, "SG"]["thought"] in panel(page)
    for tab in ("why", "society", "find", "step"):
        page.locator(f"#tab-{tab}").tap()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, tab
    assert page.locator(".caption").inner_text().startswith("SG ")
    for control in page.locator(".controls > button, .controls > select, .controls > output").all():
        box = control.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
    assert not page.locator(".legend").is_visible()
    page.locator("summary", has_text="Signs").tap()
    assert "first meeting indoors" in page.locator(".legend").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.locator("summary", has_text="Signs").tap()
    page.get_by_role("button", name="A step on").tap()
    assert page.locator(".moment-shown").inner_text() == "step 13"


@pytest.mark.parametrize(
    ("scheme", "tabs", "rules"),
    [
        ("light", ("step", "resident", "why", "society", "find"), {}),
        ("dark", ("why", "society"), {"runOnly": ["color-contrast"]}),
    ],
)
@pytest.mark.slow
def test_accessibility(open_page, address, scheme, tabs, rules):
    """Check labels, roles, structure and contrast with axe-core; only contrast differs in the dark theme."""
    page = open_page(f"{address}#step=12&who=LL", color_scheme=scheme, bypass_csp=True)
    for tab in tabs:
        page.locator(f"#tab-{tab}").click()
        for details in page.locator("#panel details").all()[:3]:
            details.evaluate("one => { one.open = true; }")
        results = axe.Axe().run(page, context=None if tab == tabs[0] else "aside", options=rules)
        assert results.violations_count == 0, f"{tab}: {results.generate_report()}"


def test_what_a_screen_reader_hears(page):
    go(page, "#step=12&tab=step")
    tree = page.locator("main").aria_snapshot()
    assert 'slider "Time step"' in tree
    assert step_of()[12, "LL"]["action"] == "take book 9 from bookshelf 9"
    assert "LL in Public Reading Room: takes book 9 from bookshelf 9" in tree
    aside = page.locator("aside").aria_snapshot()
    assert 'tab "This step" [selected]' in aside
    assert "Why? LL, step 12" in aside


def test_no_planted_script_runs(open_page, tmp_path):
    def change(record):
        record.update(
            thought=PLANTED, goal=PLANTED, result=PLANTED, failure=PLANTED, observation=PLANTED, plan=[PLANTED]
        )
        record["messages"] = [{"time": record["time"], "sender": "AY", "addressee": PLANTED, "text": PLANTED}]
        record["explanation"] = {PLANTED: 1.0}
        record["action"] = f'chat with SG: "{PLANTED}"'
        record["admissible"] = [PLANTED]
        record["relevance"], record["protention"] = {PLANTED: 3.0}, {PLANTED: PLANTED}

    run = copy_of_life(tmp_path / "life", steps=3, change=change)
    manifest = json.dumps(run.read_manifest()).replace("itcma-s", json.dumps(PLANTED)[1:-1])
    run.write_manifest(json.loads(manifest))
    page = open_page(page_file(run, tmp_path / "page.html", finds=[[(PLANTED, PLANTED)]]))
    for tab in ("resident", "why", "society", "step"):
        page.locator(f"#tab-{tab}").click()
        for details in page.locator("#panel details").all():
            details.evaluate("one => { one.open = true; }")
        assert PLANTED in panel(page)
        assert page.locator("img").count() == 0
        assert page.locator("script").count() == 0
    go(page, "#step=1&find=<img src=x>&tab=find")
    assert page.evaluate("typeof hacked") == "undefined"


def test_a_run_before_its_first_step(open_page, tmp_path):
    run = copy_of_life(tmp_path / "life", steps=0, status="running")
    page = open_page(page_file(run, tmp_path / "page.html"))
    for key in ("ArrowRight", "End", "w", "t", "+", "0", "f", "1", "s"):
        page.keyboard.press(key)
    page.locator(".person").first.dispatch_event("click")
    assert "The first step is under way." in panel(page)


def test_a_crowd_is_drawn_on_a_canvas(open_page, tmp_path):
    view = random_run(tmp_path / "crowd", generate_towns(320), 2)
    (tmp_path / "page.html").write_text(page_of([page_data(view)]), encoding="utf-8")
    page = open_page((tmp_path / "page.html").as_uri())
    assert page.locator("canvas.valley").get_attribute("aria-label") == (
        "The valley from above, with 320 people, at step 0"
    )
    for _ in range(8):
        page.keyboard.press("+")
    page.keyboard.press("ArrowRight")
    # Somebody is where the canvas shows people: a click finds one of them.
    box = page.locator("canvas.valley").bounding_box()
    for across in range(1, 24):
        for down in range(1, 14):
            page.mouse.click(box["x"] + box["width"] * across / 24, box["y"] + box["height"] * down / 14)
            if "who=" in page.evaluate("location.hash"):
                assert "Feelings so far" in panel(page)
                return
    raise AssertionError("nobody was found on the canvas")
