"""A browser for the tests of the page, which are skipped where there is none."""

import shutil

import pytest
from viewed import copy_of_life, page_file

WIDE = {"viewport": {"width": 1280, "height": 800}}
INSTALLED = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no test in a browser")
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
    return page_file(copy_of_life(folder / "life"), folder / "page.html", finds=[[("Who leads", "Nobody leads.")]])
