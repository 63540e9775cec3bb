"""The page in a real browser: what it shows, held against events.jsonl; by keyboard, on a phone, and as it is heard."""

import json
import random
import re
import shutil

import pytest
from viewed import copy_of_life, page_file, recorded, step_of

from benchmarks.analysis.view import made_up
from evaluation.viewer.page import page_of, told, write_view
from evaluation.viewer.poses import landmarks, pose_of
from irollan_env.map.generate import generate_towns
from irollan_env.map.valley_map import ValleyMap

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no test in a browser")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed: no test in a browser")

PHONE = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True, "device_scale_factor": 2}
WIDE = {"viewport": {"width": 1280, "height": 800}}
INSTALLED = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PLANTED = "<img src=x onerror='globalThis.hacked=1'><script>globalThis.hacked=1</script>"
NAMES = ("AY", "SG", "MD", "WL", "LL", "WM")


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        program = next((path for name in INSTALLED if (path := shutil.which(name))), None)
        try:
            browser = playwright.chromium.launch(executable_path=program)
        except sync_api.Error as error:
            pytest.skip(
                f"no Chromium is installed, so that nothing was tried in a browser: {str(error).splitlines()[0]}"
            )
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser):
    """A page in a browser of its own, which must have said nothing to the console, and reached for nothing outside."""
    contexts, said = [], []

    def open_page(address, **options):
        context = browser.new_context(**{**WIDE, "reduced_motion": "reduce", **options})
        context.set_default_timeout(60_000)  # a machine may be busy
        page = context.new_page()
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda message: said.append(message.text))
        page.on("request", lambda request: said.append(request.url) if request.url.startswith("http") else None)
        contexts.append(context)
        page.goto(address)
        page.locator("[role=tab]").first.wait_for()
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert said == []


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("view")
    return page_file(copy_of_life(folder / "life"), folder / "page.html", finds=[["Nobody leads."]])


def go(page, hash):
    """Follow a link within the page."""
    page.evaluate("hash => { location.hash = hash; }", hash)
    page.wait_for_function("hash => location.hash.startsWith(hash)", arg=hash.split("&")[0])


def panel(page):
    return page.locator("#panel").inner_text()


def test_nothing_is_said_to_the_console_over_a_whole_life(open_page, address):
    page = open_page(address)
    for tab in ("resident", "why", "society", "find", "step"):
        page.locator(f"#tab-{tab}").click()
        page.locator("#panel").focus()
        for _ in range(8):
            page.keyboard.press("ArrowRight")
    assert page.locator(".moment-shown").inner_text() == "step 39"


def test_the_picture_agrees_with_the_records_at_50_random_moments(open_page, address):
    page = open_page(address)
    marks = landmarks(ValleyMap.default())
    for time, name in random.Random(3).sample(sorted(step_of()), 50):
        record = step_of()[time, name]
        go(page, f"#step={time}&who={name}&tab=resident")
        person = page.locator(f".person[data-name={name}]")
        x, y = map(float, person.get_attribute("data-at").split())
        pose = pose_of(record["percepts"], marks[record["place"]])
        assert (x, y) == pytest.approx(pose[:2], abs=0.01)
        held = [one["name"] for one in record["percepts"] if one["held"]]
        assert person.get_attribute("data-holds") == "; ".join(held)
        assert person.get_attribute("aria-label").startswith(f"{name} in {record['place']}: ")
        box, (west, south, east, north) = person.locator(".disc").bounding_box(), on_screen(page, record["place"])
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        assert west <= middle[0] <= east
        assert north <= middle[1] <= south
        bubble = page.locator(".bubble").filter(
            has=page.locator(".head > b:first-child", has_text=re.compile(f"^{name}$"))
        )
        said = re.match(r'chat with (\w+): "(.*)"$', record["action"] or "", re.DOTALL)
        if record["action"] is None:
            assert bubble.count() == 0
        elif said:
            assert bubble.locator(".text").inner_text() == said[2]
            assert f"→ {said[1]}" in bubble.locator(".head").inner_text()
        assert bubble.locator("i").all_inner_texts() == (["held back"] if record["outcome"] == "filtered" else [])
        words = panel(page)
        assert record["thought"] in words
        assert record["goal"] in words
        shown = f"Pleasure {record['pleasure']:.2f}".replace("-", "−")
        assert shown in words


def on_screen(page, place):
    """The rectangle of a place in pixels: west, south, east, north."""
    box = page.evaluate(
        """place => {
          const titles = [...document.querySelectorAll(".map title")];
          const title = titles.find((one) => one.textContent.split(":")[0] === place);
          const { left, right, top, bottom } = title.parentElement.getBoundingClientRect();
          return [left, bottom, right, top];
        }""",
        place,
    )
    return box


def test_a_link_opens_the_moment_the_resident_and_the_call(open_page, address):
    page = open_page(f"{address}#step=12&who=LL&call=120004")
    assert panel(page).startswith("Why LL used toy 1")
    call = page.locator("#call-120004")
    assert call.get_attribute("open") is not None
    prompts = call.locator("pre").all_inner_texts()
    assert any("Your goal (since step 8): Play a game with WL." in one for one in prompts)
    assert "1 call, 922 tokens" in panel(page)
    page.get_by_role("link", name="step 8").first.click()
    sync_api.expect(page.locator(".moment-shown")).to_have_text("step 8")
    assert page.evaluate("location.hash") == "#step=8&who=LL&tab=why"


def test_a_link_to_a_call_alone_finds_who_made_it(open_page, address):
    page = open_page(f"{address}#step=12&call=120004")
    assert panel(page).startswith("Why LL used toy 1")


@pytest.mark.parametrize("hash", ["#step=9999", "#step=x&who=Nobody&tab=zzz", "#call=77", "#%", "#step=-3"])
def test_a_link_to_what_is_not_there_shows_what_is(open_page, address, hash):
    page = open_page(address + hash)
    assert page.locator(".moment-shown").inner_text() in ("step 0", "step 39")
    assert page.locator("#panel").inner_text()


def test_who_heard_it_and_what_they_did_then(open_page, address):
    """Forward from words: AY invites SG in step 10, and SG answers."""
    page = open_page(f"{address}#step=10&who=AY&tab=why")
    followed = page.locator(".chain > li", has_text="What followed")
    assert "Who heard it" in followed.inner_text()
    assert "I'd love to come, AY" in followed.inner_text()


def test_a_thing_is_traced_through_hands(open_page, address):
    page = open_page(address)
    page.locator("#tab-find").click()
    page.get_by_label("A thing, a word, a name").fill("toy 1")
    page.get_by_role("button", name="Trace").click()
    told = panel(page)
    hands = told[told.index("Whose hands it was in") :]
    assert hands.index("WL, step 12") < hands.index("LL, step 12")
    assert page.evaluate("location.hash") == "#step=0&tab=find&find=toy+1".replace("+", "%20")
    assert page.locator(".hit").count() > 2


def test_food_1_is_not_found_in_food_12(open_page, address):
    page = open_page(f"{address}#find=food 1&tab=find")
    rows = page.locator(".trace li").all_inner_texts()
    assert not any(re.search(r"food 1\d", row) and not re.search(r"food 1(?!\d)", row) for row in rows)


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
    # Everything can be reached with Tab, and what has the focus is seen.
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
    assert "Pinecone" in panel(page)
    for tab in ("why", "society", "find", "step"):
        page.locator(f"#tab-{tab}").tap()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.locator(".caption").inner_text().startswith("SG ")
    page.get_by_role("button", name="A step on").tap()
    assert page.locator(".moment-shown").inner_text() == "step 13"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility(open_page, address, scheme):
    """By axe-core: labels, roles, structure, contrast."""
    page = open_page(f"{address}#step=12&who=LL", color_scheme=scheme, bypass_csp=True)
    for tab in ("step", "resident", "why", "society", "find"):
        page.locator(f"#tab-{tab}").click()
        for details in page.locator("#panel details").all()[:3]:
            details.evaluate("one => { one.open = true; }")
        results = axe.Axe().run(page)
        assert results.violations_count == 0, f"{tab}: {results.generate_report()}"


def test_what_a_screen_reader_is_told(open_page, address):
    page = open_page(f"{address}#step=7")
    tree = page.locator("main").aria_snapshot()
    assert 'slider "Time step"' in tree
    assert "LL in outside: hands beefsteak to WL" in tree
    told = page.locator("aside").aria_snapshot()
    assert 'tab "This step" [selected]' in told
    assert "Why? LL, step 7" in told


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
    page = open_page(page_file(run, tmp_path / "page.html", finds=[[PLANTED]]))
    for tab in ("resident", "why", "society", "step"):
        page.locator(f"#tab-{tab}").click()
        for details in page.locator("#panel details").all():
            details.evaluate("one => { one.open = true; }")
        assert PLANTED in panel(page)
        assert page.locator("img").count() == 0
        assert page.locator("script").count() == 0
    go(page, "#step=1&find=<img src=x>&tab=find")
    assert page.evaluate("typeof hacked") == "undefined"


def test_two_runs_side_by_side_with_what_differs(open_page, tmp_path):
    def change(record):
        if record["time"] == 2 and record["resident"] == "WM":
            record.update(action="use chair 1", outcome="executed")

    one, other = copy_of_life(tmp_path / "one", steps=4), copy_of_life(tmp_path / "other", steps=4, change=change)
    write_view([one, other], tmp_path / "page.html")
    page = open_page((tmp_path / "page.html").as_uri())
    assert page.locator(".stage").count() == 2
    assert page.locator(".hit").count() == 1
    go(page, "#step=2")
    assert page.locator(".person.marked").evaluate_all("all => all.map((one) => one.dataset.name)") == ["WM", "WM"]
    assert "there: uses chair 1" in panel(page)
    page.get_by_role("button", name="other", exact=True).click()
    assert "uses chair 1" in panel(page)


def test_every_word_said_in_a_step_is_told(open_page, address):
    page = open_page(address)
    for time in (6, 11, 24, 39):
        go(page, f"#step={time}")
        told = panel(page)
        for record in recorded():
            if record["time"] == time and record["action"] and record["action"].startswith("chat with"):
                assert record["action"].split(': "', 1)[1][:-1] in told


def test_a_run_before_its_first_step(open_page, tmp_path):
    run = copy_of_life(tmp_path / "life", steps=0, status="running")
    page = open_page(page_file(run, tmp_path / "page.html"))
    for key in ("ArrowRight", "End", "w", "t", "+", "0", "f", "1", "s"):
        page.keyboard.press(key)
    page.locator(".person").first.dispatch_event("click")
    assert "The first step is under way." in panel(page)


def test_a_crowd_is_drawn_on_a_canvas(open_page, tmp_path):
    view = made_up(tmp_path / "crowd", generate_towns(320), 2)
    (tmp_path / "page.html").write_text(page_of([told(view)]), encoding="utf-8")
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
