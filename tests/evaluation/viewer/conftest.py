"""A page of the recorded run, shared by all viewer tests.

The browser has the scope of a test file, since it keeps an event loop running.
"""

import pytest
from chromium import chromium
from viewed import copy_of_life, page_file

WIDE = {"viewport": {"width": 1280, "height": 800}}


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def open_tab(browser):
    """Open a tab that records console messages and page errors."""

    def open_tab(said, **options):
        page = browser.new_context(**{**WIDE, "reduced_motion": "reduce", **options}).new_page()
        page.set_default_timeout(60_000)  # a machine may be busy
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda message: said.append(message.text))
        return page

    return open_tab


@pytest.fixture
def open_page(open_tab):
    """Open an address, and check that the page logs nothing and requests nothing from outside."""
    contexts, said = [], []

    def open_page(address, **options):
        page = open_tab(said, **options)
        page.on("request", lambda request: said.append(request.url) if request.url.startswith("http") else None)
        contexts.append(page.context)
        page.goto(address)
        page.locator("[role=tab]").first.wait_for()
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert said == []


@pytest.fixture(scope="package")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("view")
    return page_file(copy_of_life(folder / "life"), folder / "page.html", finds=[[("Who leads", "Nobody leads.")]])


@pytest.fixture(scope="module")
def opened(open_tab, address):
    said = []
    page = open_tab(said)
    page.goto(address)
    yield page, said
    page.context.close()


@pytest.fixture
def page(opened, address):
    """Page of the recorded run, shared by all tests of a module; each test navigates to its own moment."""
    page, said = opened
    yield page
    assert said == []
