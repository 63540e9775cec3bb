"""The examples of the pages run, and give what the pages say they give."""

import doctest
import re
import shlex
import shutil
import subprocess
from dataclasses import asdict

import pytest
from live_server import running
from project import DOCS

from irollan_env.server.app import create_app
from irollan_env.server.limits import Limits

SERVER = (DOCS / "server.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def server_page():
    with running(create_app()) as address:
        yield SERVER.replace("http://127.0.0.1:8000", address)


def check(page, name):
    examples = doctest.DocTestParser().get_doctest(page, {}, name, name, 0)
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(examples)
    assert result.attempted > 20
    assert result.failed == 0


def test_the_examples_of_the_environment_run():
    check((DOCS / "environment.md").read_text(encoding="utf-8"), "environment.md")


def test_the_examples_of_the_server_run(server_page):
    check(server_page, "server.md")


def test_the_curl_lines_run(server_page):
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    lines = re.findall(r"^curl .*$", server_page, re.MULTILINE)
    assert len(lines) == 3
    for line in lines:
        done = subprocess.run([*shlex.split(line), "--fail"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}: {done.stdout}"


def test_the_limits_are_the_defaults():
    rows = dict(re.findall(r"\| `--max-(\w+)` \| (\d+) \|", SERVER))
    assert {name: float(value) for name, value in rows.items()} == asdict(Limits())
