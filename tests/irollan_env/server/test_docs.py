"""The examples of docs/server.md run against a server, and give what the page says they give."""

import doctest
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import asdict

import pytest
from live_server import running
from project import DOCS

from irollan_env.server.app import create_app
from irollan_env.server.limits import Limits

PAGE = (DOCS / "server.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8000"


@pytest.fixture(scope="module")
def page() -> Iterator[str]:
    with running(create_app()) as address:
        yield PAGE.replace(ADDRESS, address)


def test_the_examples_run(page: str) -> None:
    examples = doctest.DocTestParser().get_doctest(page, {}, "server.md", "docs/server.md", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    result = runner.run(examples)
    assert result.attempted > 20
    assert result.failed == 0


def test_the_curl_lines_run(page: str) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    lines = re.findall(r"^curl .*$", page, re.MULTILINE)
    assert len(lines) == 3
    for line in lines:
        done = subprocess.run([*shlex.split(line), "--fail"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}: {done.stdout}"


def test_the_limits_are_the_defaults() -> None:
    rows = dict(re.findall(r"\| `--max-(\w+)` \| (\d+) \|", PAGE))
    assert {name: float(value) for name, value in rows.items()} == asdict(Limits())
