"""A Chromium without a window, for tests that look at pages as people do."""

import shutil
from contextlib import contextmanager

import pytest

PHONE = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True, "device_scale_factor": 2}
_INSTALLED = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def chromium():
    """A browser; the test is skipped where none is installed."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no test in a browser")
    with api.sync_playwright() as playwright:
        program = next((path for name in _INSTALLED if (path := shutil.which(name))), None)
        try:
            browser = playwright.chromium.launch(executable_path=program)
        except api.Error as error:
            pytest.skip(
                f"no Chromium is installed, so that nothing was tried in a browser: {str(error).splitlines()[0]}"
            )
        yield browser
        browser.close()
