"""What all tests share. No test reads or leaves vectors in the cache of whoever runs it."""

import os

# Matrices of tests are small: threads of a BLAS cost more than they save. It reads this when numpy is first imported.
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import gc
from collections import Counter
from importlib.util import find_spec

import pytest
from empty_reports import empty_reports
from hypothesis import settings
from stand_in import listening

# How long an example takes tells how busy the machine is.
settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")


PROCESSOR_TIME = pytest.StashKey[Counter]()
"""Seconds of processor time by folder of tests, those of subprocesses included."""


def pytest_configure(config):
    config.stash[PROCESSOR_TIME] = Counter()


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect tests without collecting garbage: nothing that is imported is any, and looking for it takes seconds."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    began = os.times()
    try:
        return (yield)
    finally:
        folder = "/".join(item.nodeid.split("::")[0].split("/")[:2])
        item.config.stash[PROCESSOR_TIME][folder] += sum(os.times()[:4]) - sum(began[:4])


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["processor_time"] = dict(session.config.stash[PROCESSOR_TIME])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    node.config.stash[PROCESSOR_TIME].update(getattr(node, "workeroutput", {}).get("processor_time", {}))


def pytest_terminal_summary(terminalreporter, config):
    """Print processor time by folder, so that growth is seen; without what imports and collecting take."""
    spent = config.stash[PROCESSOR_TIME]
    terminalreporter.write_sep("=", f"processor time: {sum(spent.values()):.0f} s")
    for folder, seconds in spent.most_common():
        terminalreporter.write_line(f"{seconds:7.1f} s  {folder}")


def pytest_runtest_setup(item):
    if item.get_closest_marker("needs_torch") and find_spec("torch") is None:
        pytest.skip("torch is not installed")


@pytest.fixture(autouse=True, scope="session")
def cache_of_the_tests(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IROLLAN_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True, scope="session")
def no_waiting_for_the_disk():
    """What a test writes need not outlive a power cut, and a run waits for the disk at every step."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session")
def fresh_server():
    with listening() as fresh:
        yield fresh


@pytest.fixture
def server(fresh_server, tmp_path_factory, monkeypatch):
    """A server with nothing asked of it so far; all have one address, so that each test has its own embeddings."""
    monkeypatch.setenv("IROLLAN_CACHE", str(tmp_path_factory.mktemp("embeddings")))
    return fresh_server()


@pytest.fixture
def no_figures():
    with empty_reports():
        yield


@pytest.fixture
def with_report(monkeypatch):
    """The figures and the report are written, in folders where otherwise none are."""
    from evaluation.report import run_report

    monkeypatch.setattr(run_report, "write_report", getattr(run_report.write_report, "real", run_report.write_report))


@pytest.fixture
def with_page(with_report, monkeypatch):
    """The report is written without its figures and the section about the society, which take the longest."""
    # The page is imported with the real figures first: what it imports from them stays for the other tests.
    monkeypatch.setattr("evaluation.report.html_page.shown_figures", lambda *_: [])
    monkeypatch.setattr("evaluation.report.figures.all_figures", lambda *_, **_more: {})
    monkeypatch.setattr("evaluation.report.run_report._society", lambda *_: None)
