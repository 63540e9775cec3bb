"""A run that is resumed or branched with --view is looked on while it goes on, and is the same as without."""

import json
import re
import subprocess
import sys
import urllib.request

import pytest

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory

STEPS = 20
RESUMED, BRANCHED = ("resume", "--steps", str(STEPS)), ("branch", "--at", "1", "--set", f"steps={STEPS}")


@pytest.fixture
def begun(tmp_path):
    assert main(["run", "--model", "scripted", "--steps", "2", "--out", str(tmp_path / "begun")]) == 0
    return tmp_path / "begun"


def wish(link, what, **body):
    """Send a wish as the page does; the status of the answer."""
    origin = link[: link.index("/", len("http://"))]
    headers = {"Content-Type": "application/json", "Origin": origin}
    request = urllib.request.Request(f"{link}{what}", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.status


# A process of its own, since the page is served while the run goes on.
@pytest.mark.slow
@pytest.mark.parametrize("command", [pytest.param(RESUMED, id="resume"), pytest.param(BRANCHED, id="branch")])
def test_it_is_looked_on_while_it_goes_on(begun, tmp_path, command):
    name, *arguments = command
    to = begun if name == "resume" else tmp_path / "viewed"
    out = [] if name == "resume" else ["--out", str(to)]
    line = [sys.executable, "-m", "evaluation", name, str(begun), *arguments, *out, "--view"]
    with subprocess.Popen(line, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        try:
            link = next(found[0] for line in process.stderr if (found := re.search(r"http://\S+", line)))
            assert wish(link, "wish", wish="pause") == 204
            with urllib.request.urlopen(link, timeout=60) as page:
                assert '"canPause":true' in page.read().decode()
            assert wish(link, "hold", resident="LL", hold=True) == 204
            assert wish(link, "hold", resident="LL", hold=False) == 204
            assert wish(link, "wish", wish="go on") == 204
            process.stderr.read()
            assert process.wait(300) == 0
        finally:
            process.kill()
    manifest = RunDirectory(to).read_manifest()
    assert (manifest["status"], manifest["steps_done"]) == ("finished", STEPS)
    assert "view" not in manifest["configuration"]["given"]
    alone = tmp_path / "alone"
    assert main(["run", "--model", "scripted", "--steps", str(STEPS), "--out", str(alone)]) == 0
    assert (to / "events.jsonl").read_bytes() == (alone / "events.jsonl").read_bytes()
