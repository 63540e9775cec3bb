"""One page of the recorded life for all tests of the page. A browser lives a file: it keeps an event loop running."""

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
    """Open a tab; it keeps what its page says to the console, what breaks in it, and what it asks the network for."""

    def open_tab(said, **options):
        page = browser.new_context(**{**WIDE, "reduced_motion": "reduce", **options}).new_page()
        page.set_default_timeout(60_000)  # a machine may be busy
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda message: said.append(message.text))
        return page

    return open_tab


@pytest.fixture
def open_page(open_tab):
    """Open an address; the page must say nothing to the console, and reach for nothing outside."""
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
    """The page of the recorded life, which all tests of a module of this folder share: each goes to its own moment."""
    page, said = opened
    yield page
    assert said == []
