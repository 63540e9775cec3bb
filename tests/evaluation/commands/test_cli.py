import json
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from evaluation.commands.cli import main
from language_models import registry

ARCHITECTURES = "itcma, ltrha, compressed-memory, driver, itcma-s"
MODELS = (
    "smollm2, smollm2-plain, scripted, a path ending in .gguf, transformers:FOLDER, openai:http://HOST:PORT/v1#MODEL "
    "or module:Class"
)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "run --architecture itcm",
            f"unknown architecture 'itcm': it must be one of {ARCHITECTURES}; did you mean 'itcma'?",
        ),
        ("run --model smolm2", f"unknown model 'smolm2': it must be {MODELS}; did you mean 'smollm2'?"),
        (
            "run --model nothing.gguf",
            "model 'nothing.gguf': there is no such file; give the path of a .gguf file, or smollm2",
        ),
        ("run --steps 0", "steps must be a whole number from 1 to 1000000, got 0"),
        ("run --steps many", "invalid value for '--steps': 'many' is not a whole number; see irollan run --help"),
        ("run --step 3", "unknown option --step; did you mean --steps? See irollan run --help"),
        ("run now", "got unexpected extra argument(s) (now); see irollan run --help"),
        ("sesume", "no such command 'sesume'; did you mean 'resume'? See irollan --help"),
        ("resume", "missing argument 'RUN'; see irollan resume --help"),
        ("resume nowhere", "there is no run directory nowhere; give one that irollan run has made"),
        ("report .", ". is not the directory of a run: it has no manifest.json"),
    ],
)
def test_wrong_usage_is_one_line_and_writes_nothing(here, capsys, arguments, message):
    assert main(arguments.split()) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    line = output.err.removesuffix("\n")
    assert line == f"irollan: {message}"
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("social run --permutations 0", "'--permutations': it must be at least 1, got '0'"),
        ("serve --port 70000", "'--port': it must be at most 65535, got '70000'"),
        ("anova --paper --runs 1.5", "'--runs': it must be a whole number, got '1.5'"),
    ],
)
def test_a_number_out_of_range_is_said_in_our_words(capsys, arguments, message):
    assert main(arguments.split()) == 2
    assert capsys.readouterr().err.startswith(f"irollan: invalid value for {message}; see")


@pytest.mark.parametrize(
    "arguments",
    [
        "run --model scripted --estimate *--force",
        "run --model scripted --estimate *--view",
        "run --model scripted --estimate *--out run",
        "view run --out page.html *--port 0",
        "models *--embedder",
        "serve *--split train",
        "rate serve study *--open-to-network",
        "bench ability --player random *--model scripted",
        "bench mechanisms run --json *--examples",
        "bench tasks --agent wait fetch *--record calls",
        "bench tasks --agent wait fetch *--replay calls",
        "bench tasks --agent wait fetch *--model scripted",
        "bench tasks --agent me fetch *--model scripted",
        "bench tasks --agent react fetch --replay calls *--model scripted",
        "bench tasks --agent wait fetch *--partners keen",
        "bench tasks --agent wait fetch *--description mine",
        "sweep --set architecture=itcma,driver --set model.name=scripted *--set ltrha.rank_by=company",
        "arena arena.toml *mind.deliberation",
    ],
)
def test_an_option_without_effect_is_refused(here, capsys, arguments):
    """The option behind the asterisk; everything else could be."""
    (here / "arena.toml").write_text('minds = ["idle"]\nmind.deliberation = "llm"\n')
    option = arguments.partition("*")[2].split()
    named = {"--set": "ltrha.rank_by"}.get(option[0], option[0])
    line = arguments.replace("*mind.deliberation", "").replace("*", "").split()
    assert main(line) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert f"{named} has no effect: " in output.err
    assert output.err.count("\n") == 1
    assert [one.name for one in here.iterdir()] == ["arena.toml"]


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["run", "--model", ""], "'--model'"),
        (["run", "--model", "scripted", "--embedder", ""], "'--embedder'"),
        (["run", "--model", "scripted", "--out", ""], "'--out'"),
        (["report", ""], "'RUN'"),
    ],
)
def test_an_empty_name_is_none(here, capsys, arguments, what):
    assert main(arguments) == 2
    message = f"irollan: invalid value for {what}: it must not be empty; see irollan {arguments[0]} --help\n"
    assert capsys.readouterr() == ("", message)
    assert list(here.iterdir()) == []


def test_a_file_nearby_is_what_was_meant(here, capsys):
    (here / "model.gguf").write_text("not one at all")
    assert main(["run", "--model", "modle.gguf"]) == 2
    assert capsys.readouterr().err.endswith("; did you mean model.gguf?\n")
    (here / "first").mkdir()
    (here / "first" / "manifest.json").touch()
    assert main(["report", "firts"]) == 2
    assert capsys.readouterr().err == "irollan: there is no run directory firts; did you mean first?\n"


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        ("sweep nope.toml", "nope.html"),
        ("run --config nope.toml", "nope.html"),
        ("run --model nope.toml", "nope.html"),
        ("run --model nope.gguf", "nope.toml"),
        ("anova nope.csv", "nope.toml"),
        ("rate export nope", "noped"),
    ],
)
def test_only_what_can_be_meant_is_suggested(here, capsys, arguments, near):
    (here / near).touch()
    assert main(arguments.split()) == 2
    assert "did you mean" not in capsys.readouterr().err


def test_a_configuration_that_is_not_toml_says_so_with_its_file(here, capsys):
    (here / "manifest.json").write_text('{"format": 1}')
    assert main(["run", "--config", "manifest.json"]) == 2
    assert re.match(r"irollan: manifest.json is no .*: it is not TOML: .*line 1.*\n$", capsys.readouterr().err)


def test_a_file_that_is_no_model_writes_nothing(here, capsys):
    (here / "model.gguf").write_text("not one at all")
    assert main(["run", "--model", "model.gguf", "--embedder", "hash"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        "irollan: 'model.gguf' is no GGUF file: it begins with b'not ' where b'GGUF' is expected"
    )
    assert [path.name for path in here.iterdir()] == ["model.gguf"]


def test_missing_weights_say_which_command_fetches_them(here, capsys, monkeypatch):
    def missing():
        raise FileNotFoundError("the package x, which holds model weights, is not installed; fetch it with: pip x")

    monkeypatch.setattr(registry, "smollm2_path", missing)
    assert main(["run"]) == 1
    assert capsys.readouterr().err == (
        "irollan: the package x, which holds model weights, is not installed; fetch it with: pip x\n"
    )
    assert list(here.iterdir()) == []
    assert main(["models", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["model"][0]["here"] is False
    assert listed["model"][0]["state"].endswith("fetch it with: pip x")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_a_full_disk_is_one_line(capsys, monkeypatch):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr("sys.stdout", full)
        assert main(["minds", "--json"]) == 1
        monkeypatch.undo()
        with suppress(OSError):
            full.close()
    reason = "irollan: cannot write the answer to standard output: No space left on device\n"
    assert capsys.readouterr().err == reason


def test_models_are_listed(capsys):
    assert main(["models"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in ("smollm2", "scripted", "FILE.gguf", "openai:URL#MODEL", "minilm", "hash"))
    assert main(["models", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {row["name"]: row["here"] for row in listed["model"]}["scripted"] is True
    assert {row["name"]: row["here"] for row in listed["embedder"]}["FOLDER"] is None


def test_ctrl_c_while_the_command_still_loads_is_one_line():
    interrupted = (
        "import builtins, os, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # Whoever runs the tests may ignore it.
        "load = builtins.__import__\n"
        "def interrupt(name, *rest):\n"
        "    if name == 'typer':\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return load(name, *rest)\n"
        "builtins.__import__ = interrupt\n"
        "from evaluation.__main__ import main\n"
        "raise SystemExit(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", interrupted], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "irollan: interrupted\n")


def test_help(capsys):
    assert main([]) == 0
    overview = capsys.readouterr().out
    assert all(f"\n  {command} " in overview for command in ("run", "resume", "report", "models"))
    assert main(["-h"]) == 0
    assert capsys.readouterr().out == overview
    assert main(["run", "--help"]) == 0
    text = capsys.readouterr().out
    assert main(["run", "-h"]) == 0
    assert capsys.readouterr().out == text
    assert all(name in text for name in (*ARCHITECTURES.split(", "), "--set", "default: 20"))
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.count(".") == 2


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        ("models", "[test] [NAME]"),
        ("measures", "{RUN}..."),
        ("interview", "{RUN} [QUESTION]"),
    ],
)
def test_help_shows_each_argument_plainly(capsys, command, usage):
    assert main([command, "--help"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == f"Usage: irollan {command} [OPTIONS] {usage}"


@pytest.mark.parametrize("group", ["rate", "bench"])
def test_a_group_of_commands_alone_prints_its_help(capsys, group):
    assert main([group, "--help"]) == 0
    text = capsys.readouterr().out
    assert f"irollan {group}" in text
    assert main([group]) == 0
    assert capsys.readouterr() == (text, "")


def test_the_files_of_another_program_are_left_alone(here, capsys):
    (here / "manifest.json").write_text('{"name": "a web application"}')
    for more in ([], ["--force"]):
        assert main(["run", "--model", "scripted", "--out", ".", *more]) == 2
        assert "does not have the format 'irollan run'; its files are not replaced" in capsys.readouterr().err
    # Said before any model is loaded.
    assert main(["run", "--embedder", "hash", "--out", "manifest.json/run"]) == 2
    assert "manifest.json is no directory; give another --out" in capsys.readouterr().err
    assert [path.name for path in here.iterdir()] == ["manifest.json"]
