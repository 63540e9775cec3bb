"""Rating in a real browser, as raters do: by mouse, by keyboard alone, on a phone, and without JavaScript."""

import re
import signal

import pytest
from chromium import PHONE, chromium
from rating_studies import QUOTED, SCRIPT, free_port, load, on_a_thread, served, small_study

from evaluation.rating.rating_scale import ATTENTION_CHECK, DIMENSIONS

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no test in a browser")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed: no test in a browser")


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture
def open_page(browser):
    """A page in a browser of its own, which must have no script running and no error at its end."""
    contexts = []

    def open_page(**options):
        context = browser.new_context(**options)
        context.set_default_timeout(10_000)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("dialog", lambda dialog: errors.append(dialog.message) or dialog.dismiss())
        contexts.append(context)
        return page

    errors = []
    yield open_page
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A study with enough raters that every test has one of its own."""
    directory = small_study(tmp_path_factory.mktemp("study"), raters=8, steps=12)
    with on_a_thread(directory) as links:
        yield directory, links


def answers(directory, rater, number):
    _, store = load(directory)
    try:
        return {question: answer.value for question, answer in store.answers(rater, number).items()}
    finally:
        store.close()


def item_of(directory, rater, number=1):
    study, store = load(directory)
    store.close()
    return study.items[rater][number - 1]


def read_check(page):
    """The number that the note between the steps asks for."""
    return int(re.search(r"choose (\d)", page.locator(".check").inner_text()).group(1))


def open_study(page, link):
    """The overview, after the text about taking part."""
    page.goto(link)
    page.get_by_role("button", name="I agree, and take part").click()


def test_by_mouse_with_a_stop_in_between(study, open_page):
    directory, links = study
    page = open_page()
    open_study(page, links[0])
    page.get_by_label("A name or initials").fill("Ada")
    page.get_by_role("button", name="Save").click()
    sync_api.expect(page.locator(".who")).to_contain_text("rater-1, Ada")
    page.get_by_role("link", name="Begin").click()
    page.wait_for_url("**/1")
    with page.expect_response(lambda response: response.url.endswith("/place")):
        page.mouse.wheel(0, 2500)
    page.locator("summary", has_text="Comment on logicality").click()
    page.get_by_label("Comment on logicality").fill("It goes round in circles.")
    page.locator("label[for=logicality-3]").click()
    page.locator("label[for=exploration-6]").click()
    page.locator("label[for=exploration-5]").click()
    sync_api.expect(page.locator("#saved")).to_have_text("Saved")
    # Nothing was submitted; the page is simply left, and opened again elsewhere.
    assert answers(directory, "rater-1", 1) == {
        "logicality.comment": "It goes round in circles.",
        "logicality": 3,
        "exploration": 5,
    }
    page.context.close()
    page = open_page()
    page.goto(links[0])
    link = page.get_by_role("link", name="Go on")
    assert re.search(r"/1#step-\d+$", link.get_attribute("href"))
    link.click()
    page.wait_for_url("**/1#step-*")
    assert page.locator("#logicality-3").is_checked()
    assert page.locator("#exploration-5").is_checked()
    assert page.get_by_label("Comment on logicality").input_value() == "It goes round in circles."
    page.get_by_role("button", name="Save and go on").click()
    alert = page.get_by_role("alert")
    sync_api.expect(alert).to_contain_text("4 answers are missing")
    alert.get_by_role("link", name="Personification").click()
    assert page.evaluate("document.activeElement.id") == "personification-1"
    for dimension in ("personification", "consistency", "proactiveness"):
        page.locator(f"label[for={dimension}-7]").click()
    page.locator(f"label[for={ATTENTION_CHECK}-{read_check(page)}]").click()
    page.get_by_role("button", name="Save and go on").click()
    page.wait_for_url("**/2")
    kept = answers(directory, "rater-1", 1)
    assert kept[ATTENTION_CHECK] == item_of(directory, "rater-1").check.answer
    assert {kept[dimension] for dimension in ("personification", "consistency", "proactiveness")} == {7}


def test_by_keyboard_alone(study, open_page):
    directory, links = study
    page = open_page()
    open_study(page, links[1])

    def tab_to(selector):
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"the keyboard does not get to {selector}")

    tab_to("a.button")
    page.keyboard.press("Enter")
    page.wait_for_url("**/1")
    # Reading: what the resident sees opens from the keyboard.
    tab_to("#step-1 summary")
    page.keyboard.press("Enter")
    assert page.locator("#step-1 details p").is_visible()
    page.reload()
    tab_to(".skip")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "ratings"
    asked = read_check(page)
    for dimension in DIMENSIONS:
        tab_to(f"input[name={dimension}]")
        page.keyboard.press("Space")
        for _ in range(4):
            page.keyboard.press("ArrowRight")
        tab_to("summary")
    page.keyboard.press("Enter")
    tab_to("textarea")
    page.keyboard.type("typed, not clicked")
    tab_to(f"input[name={ATTENTION_CHECK}]")
    page.keyboard.press("Space")
    for _ in range(asked - 1):
        page.keyboard.press("ArrowRight")
    tab_to("button[value=next]")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Enter")
    page.wait_for_url("**/2")
    expected = {**dict.fromkeys(DIMENSIONS, 5), ATTENTION_CHECK: asked, "proactiveness.comment": "typed, not clicked"}
    assert answers(directory, "rater-2", 1) == expected


def test_on_a_phone(study, open_page):
    directory, links = study
    page = open_page(**PHONE)
    page.goto(links[2])
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    open_study(page, links[2])
    for path in ("", "/1"):
        page.goto(links[2] + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for target in page.locator(".scale label").all():
        box = target.bounding_box()
        assert box["width"] >= 42
        assert box["height"] >= 44
    for dimension in DIMENSIONS:
        page.locator(f"label[for={dimension}-2]").tap()
    page.locator(f"label[for={ATTENTION_CHECK}-{read_check(page)}]").tap()
    sync_api.expect(page.locator("#saved")).to_have_text("Saved")
    page.get_by_role("button", name="Save and go on").tap()
    page.wait_for_url("**/2")
    assert answers(directory, "rater-3", 1)["logicality"] == 2


def test_nothing_is_lost_while_the_server_is_down(tmp_path, open_page):
    directory, port = small_study(tmp_path), free_port()
    page = open_page()
    with served(directory, port) as (process, links):
        open_study(page, links[0])
        page.goto(links[0] + "/1")
        page.locator("label[for=logicality-3]").click()
        sync_api.expect(page.locator("#saved")).to_have_text("Saved")
        process.send_signal(signal.SIGKILL)
        process.wait()
        page.locator("label[for=logicality-6]").click()
        page.locator("label[for=exploration-2]").click()
        sync_api.expect(page.locator("#saved")).to_contain_text("Not saved yet; trying again")
        assert answers(directory, "rater-1", 1) == {"logicality": 3}
    with served(directory, port):
        sync_api.expect(page.locator("#saved")).to_have_text("Saved")
        assert answers(directory, "rater-1", 1) == {"logicality": 6, "exploration": 2}


@pytest.mark.parametrize("pages", ["with", "without"])
def test_two_pages_of_one_study(tmp_path, open_page, pages):
    """A conflict shows both values on the page that was behind, and the rater chooses."""
    directory = small_study(tmp_path)
    first, second = open_page(java_script_enabled=pages == "with"), open_page(java_script_enabled=pages == "with")
    with on_a_thread(directory) as links:
        open_study(first, links[0])
        for page in (first, second):
            page.goto(links[0] + "/1")
        answer(first, "logicality", 5)
        answer(first, "exploration", 4)
        if pages == "without":
            first.get_by_role("button", name="Save and stop here").click()
        assert answers(directory, "rater-1", 1) == {"logicality": 5, "exploration": 4}
        answer(second, "logicality", 2, saved=False)
        if pages == "without":
            second.get_by_role("button", name="Save and go on").click()
        box = second.locator(".conflict")
        sync_api.expect(box).to_contain_text("You have answered on two pages")
        assert [one[0] for one in box.locator("label").all_inner_texts()] == ["5", "2"]
        assert answers(directory, "rater-1", 1) == {"logicality": 5, "exploration": 4}
        box.locator("label").nth(1).click()
        settled = {"logicality": 2, "exploration": 4}
        if pages == "with":
            # A choice is not saved at once, and the page does not say that it is, whatever else is saved.
            unsaved = "Not saved yet: press a button below"
            sync_api.expect(second.locator("#saved")).to_have_text(unsaved)
            with second.expect_response("**/answers/proactiveness"):
                answer(second, "proactiveness", 3, saved=False)
            sync_api.expect(second.locator("#saved")).to_have_text(unsaved)
            settled["proactiveness"] = 3
        second.get_by_role("button", name="Save and stop here").click()
        second.get_by_role("link", name="Go on").wait_for()
        assert answers(directory, "rater-1", 1) == settled


def test_planted_scripts_stay_text_and_long_words_keep_the_layout(tmp_path, open_page):
    def change(record):
        record.update(thought=SCRIPT + QUOTED, goal="g" * 200, place="P" * 120, action="go to " + "a" * 300)
        record["messages"] = [{"sender": "S" * 90, "addressee": "T" * 90, "text": QUOTED + "u" * 300}]
        record["resident"] = "N" * 120 + record["resident"]

    directory = small_study(tmp_path, change=change)
    with on_a_thread(directory) as links:
        page = open_page(**PHONE)
        open_study(page, links[0])
        page.get_by_label("A name or initials").fill(SCRIPT + QUOTED)
        page.get_by_role("button", name="Save").click()
        sync_api.expect(page.locator(".who")).to_contain_text(SCRIPT + QUOTED)
        page.goto(links[0] + "/1")
        page.locator("summary", has_text="Comment on logicality").click()
        page.get_by_label("Comment on logicality").fill(f"</textarea>{SCRIPT}{QUOTED}")
        page.locator("label[for=logicality-3]").click()
        sync_api.expect(page.locator("#saved")).to_have_text("Saved")
        page.reload()
        assert page.get_by_label("Comment on logicality").input_value() == f"</textarea>{SCRIPT}{QUOTED}"
        assert page.locator(".thought").first.inner_text() == SCRIPT + QUOTED
        assert page.evaluate("typeof hacked") == "undefined"
        assert page.locator("img").count() == 0
        for path in ("", "/1", "/1?missing=1"):
            page.goto(links[0] + path)
            assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


def answer(page, dimension, value, *, saved=True):
    """Choose a rating; with JavaScript it is saved at once."""
    page.locator(f"label[for={dimension}-{value}]").click()
    if saved and page.locator("#unfold").is_visible():
        sync_api.expect(page.locator("#saved")).to_have_text("Saved")


def test_what_is_refused_waits_until_it_is_taken(tmp_path, open_page):
    """A rater who withdrew on one page and rates on the other, thinks again, and loses no answer."""
    directory = small_study(tmp_path)
    page, other = open_page(**PHONE), open_page()
    with on_a_thread(directory) as links:
        open_study(other, links[0])
        page.goto(links[0] + "/1")
        other.locator("summary", has_text="Withdraw").click()
        other.get_by_role("button", name="Withdraw").click()
        page.locator("summary", has_text="Comment on logicality").tap()
        page.get_by_label("Comment on logicality").fill("round")
        answer(page, "logicality", 5, saved=False)
        told = page.locator("#saved")
        sync_api.expect(told).to_have_text("Not saved: You have withdrawn, and nothing more is saved.")
        # The whole of it is read, across the page.
        assert told.bounding_box()["width"] > 300
        page.get_by_role("button", name="Save and stop here").tap()
        sync_api.expect(told).to_contain_text("You have withdrawn")
        assert page.url.endswith("/1")
        assert answers(directory, "rater-1", 1) == {}
        other.get_by_role("button", name="Take part again").click()
        other.get_by_role("link", name="Begin").wait_for()
        answer(page, "exploration", 4)
        assert answers(directory, "rater-1", 1) == {"logicality": 5, "logicality.comment": "round", "exploration": 4}


def test_what_is_typed_is_saved_before_the_form_goes(tmp_path, open_page):
    """The buttons wait for a save that is on its way, so that a page does not meet its own answers."""
    directory = small_study(tmp_path)
    page = open_page()
    with on_a_thread(directory) as links:
        open_study(page, links[0])
        page.goto(links[0] + "/1")
        page.route("**/answers/*", lambda route: (page.wait_for_timeout(300), route.continue_()))
        for value in (3, 4, 5):
            page.locator(f"label[for=logicality-{value}]").click()
        page.locator("summary", has_text="Comment on logicality").click()
        page.get_by_label("Comment on logicality").fill("round")
        page.get_by_role("button", name="Save and stop here").click()
        page.get_by_role("link", name="Go on").wait_for()
        assert answers(directory, "rater-1", 1) == {"logicality": 5, "logicality.comment": "round"}
        assert page.locator(".errors").count() == 0


@pytest.mark.parametrize(
    ("rater", "scheme", "paths"), [(3, "light", ("", "/1")), (4, "dark", ("/1?missing=1",))], ids=["light", "dark"]
)
def test_accessibility(study, open_page, rater, scheme, paths):
    """By axe-core: labels, roles, structure, contrast."""
    _, links = study
    page = open_page(color_scheme=scheme, bypass_csp=True)
    page.goto(links[rater])
    results = axe.Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    open_study(page, links[rater])
    for path in paths:
        page.goto(links[rater] + path)
        if path:
            page.locator("form summary").first.click()
            page.locator("label[for=logicality-3]").click()
            sync_api.expect(page.locator("#saved")).to_have_text("Saved")
        results = axe.Axe().run(page)
        assert results.violations_count == 0, results.generate_report()
