"""``irollan serve``: what it prints, how it ends, what it refuses."""

import signal
import socket
import subprocess
import sys

import httpx
import pytest

from evaluation.commands.cli import main


def test_it_serves_until_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IROLLAN_TOKEN", "open-sesame")
    command = [sys.executable, "-m", "evaluation", "serve", "--port", "0", "--max-sessions", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        with httpx.Client(base_url=address, headers={"Authorization": "Bearer open-sesame"}) as http:
            assert httpx.post(f"{address}/sessions").status_code == 401
            assert http.post("/sessions").status_code == 201
            assert http.post("/sessions").status_code == 429
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (0, "")
    assert err == f"serving until Ctrl-C; the API page is {address}/docs\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--host 0.0.0.0", "'0.0.0.0' can be reached from other machines, which needs a token: set IROLLAN_TOKEN or"),
        ("--token two\twords", "a token must consist of visible ASCII characters without spaces; make one with"),
        ("--max-idle -1", "the limit 'idle' must be a number of seconds above 0, got -1.0"),
        ("--max-sessions 0", "invalid value for '--max-sessions'"),
        ("--port 70000", "invalid value for '--port'"),
        ("--world town", "--world: a world class is written module:Class, got 'town'"),
        ("--resident XX", "unknown resident 'XX'; known are ['AY', 'SG', 'MD', 'WL', 'LL', 'WM']"),
        ("--task fech", "unknown task family 'fech'; did you mean 'fetch'?"),
        ("--task fetch --split test", "unknown split 'test'; known are ['train', 'validation', "),
        ("--map nowhere.toml", "there is no map file nowhere.toml"),
    ],
)
def test_wrong_usage_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: str, message: str
) -> None:
    monkeypatch.delenv("IROLLAN_TOKEN", raising=False)
    assert main(["serve", *arguments.split(" ")]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    assert output.err.startswith(f"irollan: {message}")


def test_a_port_in_use_is_no_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--port", str(port)]) == 1
    assert f"cannot listen on 127.0.0.1 port {port}: " in capsys.readouterr().err
