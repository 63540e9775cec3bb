"""What all tests share. No test reads or leaves vectors in the cache of whoever runs it."""

from importlib.util import find_spec

import pytest
from hypothesis import settings
from stand_in import serving

# How long an example takes tells how busy the machine is.
settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")


def pytest_runtest_setup(item):
    if item.get_closest_marker("needs_torch") and find_spec("torch") is None:
        pytest.skip("torch is not installed")


@pytest.fixture(autouse=True, scope="session")
def cache_of_the_tests(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IROLLAN_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def server():
    with serving() as stand_in:
        yield stand_in


@pytest.fixture
def no_figures():
    """An empty report in place of the figures and the report of each run, which take longer than the run."""

    def touch(directory, *_):
        if not directory.events_path.stat().st_size:
            return None
        directory.report_path.touch()
        return directory.report_path

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evaluation.report.run_report.write_report", touch)
        yield
