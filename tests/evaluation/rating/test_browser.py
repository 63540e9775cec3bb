"""Rating in a real browser, as raters do: by mouse, by keyboard alone, on a phone; test_two_pages has no JavaScript."""

import re

import pytest
from chromium import PHONE, chromium
from rating_studies import QUOTED, SCRIPT, load, on_a_thread, small_study

from evaluation.rating.rating_scale import ATTENTION_CHECK, DIMENSIONS

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no test in a browser")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed: no test in a browser")
RATERS = iter(range(10))
UNSAVED = "Not saved yet: press a button below"


def plant(record):
    """Scripts and words without end in every text."""
    record.update(thought=SCRIPT + QUOTED, goal="g" * 200, place="P" * 120, action="go to " + "a" * 300)
    record["messages"] = [{"sender": "S" * 90, "addressee": "T" * 90, "text": QUOTED + "u" * 300}]
    record["resident"] = "N" * 120 + record["resident"]


@pytest.fixture(scope="module")
def browser():
    # Not for the whole session: while Playwright runs, nothing else in this process can run an event loop.
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """One study and one server for all tests, each of which is a rater of its own."""
    directory = small_study(tmp_path_factory.mktemp("study"), raters=10, steps=8, change=plant)
    with on_a_thread(directory) as links:
        yield directory, links


class Rater:
    """A rater of the study: its link, and what is stored of it."""

    def __init__(self, study):
        self.directory, links = study
        index = next(RATERS)
        self.name, self.link = list(load(self.directory)[0].items)[index], links[index]

    def answers(self, number=1):
        _, store = load(self.directory)
        try:
            return {question: answer.value for question, answer in store.answers(self.name, number).items()}
        finally:
            store.close()

    def open(self, page, path=""):
        """Agree to take part, and go to a page."""
        page.goto(self.link)
        page.get_by_role("button", name="I agree, and take part").click()
        page.get_by_role("link", name="Begin").wait_for()
        if path:
            page.goto(self.link + path)
        return page


@pytest.fixture
def rater(study):
    return Rater(study)


@pytest.fixture
def open_page(browser):
    """A page in a browser of its own, which must have no script running and no error at its end."""
    contexts, errors = [], []

    def open_page(**options):
        contexts.append(browser.new_context(**options))
        contexts[-1].set_default_timeout(10_000)
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("dialog", lambda dialog: errors.append(dialog.message) or dialog.dismiss())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []


def read_check(page):
    """The number that the note between the steps asks for."""
    return int(re.search(r"choose (\d)", page.locator(".check").inner_text()).group(1))


def rate(page, dimension, value, *, saved="Saved"):
    page.locator(f"label[for={dimension}-{value}]").click()
    if saved:
        sync_api.expect(page.locator("#saved")).to_contain_text(saved)


def comment(page, text):
    page.locator("summary", has_text="Comment on logicality").click()
    page.get_by_label("Comment on logicality").fill(text)


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


def test_by_mouse_with_a_stop_in_between(rater, open_page):
    page = rater.open(open_page())
    page.get_by_label("A name or initials").fill("Ada")
    page.get_by_role("button", name="Save").click()
    sync_api.expect(page.locator(".who")).to_contain_text(f"{rater.name}, Ada")
    page.get_by_role("link", name="Begin").click()
    page.wait_for_url("**/1")
    with page.expect_response(lambda response: response.url.endswith("/place")):
        page.mouse.wheel(0, 2500)
    comment(page, "It goes round in circles.")
    for dimension, value in (("logicality", 3), ("exploration", 6), ("exploration", 5)):
        rate(page, dimension, value)
    # Nothing was submitted; the page is simply left, and opened again elsewhere.
    assert rater.answers() == {"logicality.comment": "It goes round in circles.", "logicality": 3, "exploration": 5}
    page.context.close()
    page = open_page()
    page.goto(rater.link)
    link = page.get_by_role("link", name="Go on")
    assert re.search(r"/1#step-\d+$", link.get_attribute("href"))
    link.click()
    page.wait_for_url("**/1#step-*")
    assert page.locator("#logicality-3").is_checked()
    assert page.get_by_label("Comment on logicality").input_value() == "It goes round in circles."
    page.get_by_role("button", name="Save and go on").click()
    alert = page.get_by_role("alert")
    sync_api.expect(alert).to_contain_text("4 answers are missing")
    alert.get_by_role("link", name="Personification").click()
    assert page.evaluate("document.activeElement.id") == "personification-1"
    for dimension in ("personification", "consistency", "proactiveness"):
        rate(page, dimension, 7, saved="")
    rate(page, ATTENTION_CHECK, read_check(page), saved="")
    page.get_by_role("button", name="Save and go on").click()
    page.wait_for_url("**/2")
    assert [rater.answers()[one] for one in ("personification", "consistency", "proactiveness")] == [7, 7, 7]


@pytest.mark.slow
def test_by_keyboard_alone(rater, open_page):
    page = rater.open(open_page())

    def tab_to(selector):
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"the keyboard does not get to {selector}")

    def choose(question, value):
        tab_to(f"input[name={question}]")
        page.keyboard.press("Space")
        for _ in range(value - 1):
            page.keyboard.press("ArrowRight")

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
        choose(dimension, 5)
        tab_to("summary")
    page.keyboard.press("Enter")
    tab_to("textarea")
    page.keyboard.type("typed, not clicked")
    choose(ATTENTION_CHECK, asked)
    tab_to("button[value=next]")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.wait_for_url("**/2")
    expected = {**dict.fromkeys(DIMENSIONS, 5), ATTENTION_CHECK: asked, "proactiveness.comment": "typed, not clicked"}
    assert rater.answers() == expected


def test_on_a_phone_planted_scripts_stay_text_and_long_words_keep_the_layout(rater, open_page):
    page = rater.open(open_page(**PHONE))
    assert fits(page)
    page.get_by_label("A name or initials").fill(SCRIPT + QUOTED)
    page.get_by_role("button", name="Save").click()
    sync_api.expect(page.locator(".who")).to_contain_text(SCRIPT + QUOTED)
    for path in ("/1?missing=1", "/1"):
        page.goto(rater.link + path)
        assert fits(page)
    boxes = [target.bounding_box() for target in page.locator(".scale label").all()]
    assert min(box["width"] for box in boxes) >= 42
    assert min(box["height"] for box in boxes) >= 44
    comment(page, f"</textarea>{SCRIPT}{QUOTED}")
    for dimension in DIMENSIONS:
        page.locator(f"label[for={dimension}-2]").tap()
    sync_api.expect(page.locator("#saved")).to_have_text("Saved")
    page.reload()
    assert page.get_by_label("Comment on logicality").input_value() == f"</textarea>{SCRIPT}{QUOTED}"
    assert page.locator(".thought").first.inner_text() == SCRIPT + QUOTED
    assert page.evaluate("typeof hacked") == "undefined"
    assert page.locator("img").count() == 0
    assert fits(page)
    page.locator(f"label[for={ATTENTION_CHECK}-{read_check(page)}]").tap()
    page.get_by_role("button", name="Save and go on").tap()
    page.wait_for_url("**/2")
    assert rater.answers()["logicality"] == 2


def test_nothing_is_lost_while_the_server_cannot_be_reached(rater, open_page):
    page = rater.open(open_page(), "/1")
    rate(page, "logicality", 3)
    page.context.set_offline(True)
    rate(page, "logicality", 6, saved="")
    rate(page, "exploration", 2, saved="Not saved yet; trying again")
    assert rater.answers() == {"logicality": 3}
    page.context.set_offline(False)
    sync_api.expect(page.locator("#saved")).to_have_text("Saved")
    assert rater.answers() == {"logicality": 6, "exploration": 2}


@pytest.mark.slow
def test_a_conflict_of_two_pages_shows_both_values_and_the_rater_chooses(rater, open_page):
    first, second = rater.open(open_page(), "/1"), open_page()
    second.goto(rater.link + "/1")
    rate(first, "logicality", 5)
    rate(first, "exploration", 4)
    rate(second, "logicality", 2, saved="")
    box = second.locator(".conflict")
    sync_api.expect(box).to_contain_text("You have answered on two pages")
    assert [one[0] for one in box.locator("label").all_inner_texts()] == ["5", "2"]
    assert rater.answers() == {"logicality": 5, "exploration": 4}
    box.locator("label").nth(1).click()
    # A choice is not saved at once, and the page does not say that it is, whatever else is saved.
    sync_api.expect(second.locator("#saved")).to_have_text(UNSAVED)
    with second.expect_response("**/answers/proactiveness"):
        rate(second, "proactiveness", 3, saved="")
    sync_api.expect(second.locator("#saved")).to_have_text(UNSAVED)
    second.get_by_role("button", name="Save and stop here").click()
    second.get_by_role("link", name="Go on").wait_for()
    assert rater.answers() == {"logicality": 2, "exploration": 4, "proactiveness": 3}


@pytest.mark.slow
def test_what_is_refused_waits_until_it_is_taken(rater, open_page):
    """A rater who withdrew on one page and rates on the other, thinks again, and loses no answer."""
    other, page = rater.open(open_page()), open_page(**PHONE)
    page.goto(rater.link + "/1")
    other.locator("summary", has_text="Withdraw").click()
    other.get_by_role("button", name="Withdraw").click()
    other.get_by_role("button", name="Take part again").wait_for()
    comment(page, "round")
    rate(page, "logicality", 5, saved="Not saved: You have withdrawn, and nothing more is saved.")
    # The whole of it is read, across the page.
    assert page.locator("#saved").bounding_box()["width"] > 300
    page.get_by_role("button", name="Save and stop here").tap()
    sync_api.expect(page.locator("#saved")).to_contain_text("You have withdrawn")
    assert page.url.endswith("/1")
    assert rater.answers() == {}
    other.get_by_role("button", name="Take part again").click()
    other.get_by_role("link", name="Begin").wait_for()
    rate(page, "exploration", 4)
    assert rater.answers() == {"logicality": 5, "logicality.comment": "round", "exploration": 4}


@pytest.mark.slow
def test_what_is_typed_is_saved_before_the_form_goes(rater, open_page):
    """The buttons wait for a save that is on its way, so that a page does not meet its own answers."""
    page = rater.open(open_page(), "/1")
    page.route("**/answers/*", lambda route: (page.wait_for_timeout(100), route.continue_()))
    for value in (3, 4, 5):
        rate(page, "logicality", value, saved="")
    comment(page, "round")
    page.get_by_role("button", name="Save and stop here").click()
    page.get_by_role("link", name="Go on").wait_for()
    assert rater.answers() == {"logicality": 5, "logicality.comment": "round"}
    assert page.locator(".errors").count() == 0


@pytest.mark.parametrize(("scheme", "paths"), [("light", ("", "/1")), ("dark", ("/1?missing=1",))])
@pytest.mark.slow
def test_accessibility(rater, open_page, scheme, paths):
    """By axe-core: labels, roles, structure, contrast."""
    page = open_page(color_scheme=scheme, bypass_csp=True)

    def check():
        results = axe.Axe().run(page)
        assert results.violations_count == 0, results.generate_report()

    page.goto(rater.link)
    check()
    rater.open(page)
    for path in paths:
        if path:
            page.goto(rater.link + path)
            page.locator("form summary").first.click()
            rate(page, "logicality", 3)
        check()
