import pytest
from empty_reports import empty_reports


@pytest.fixture(autouse=True, scope="package")
def quick():
    """No report in a test that does not look at one, which says so with `with_report`."""
    with empty_reports():
        yield
