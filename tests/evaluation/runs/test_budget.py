"""What runs cost: counted, foretold, and limited."""

import json
import re
from dataclasses import replace

import pytest
from configs import run_config

from evaluation.commands.cli import main
from evaluation.records.failures import failure_rates
from evaluation.records.metrics import of_usage
from evaluation.records.run_directory import RunDirectory
from evaluation.runs.budget import Budget
from evaluation.runs.config_parts import LimitsConfig
from evaluation.runs.costs import cost_by_module, describe_uncounted
from evaluation.runs.estimate import estimate, in_words
from language_models.prices import FREE, Price, days_of, price_of, read_prices
from language_models.protocol import Caller, ModelError, Usage
from language_models.remote.choosing_by_letters import requests_of_choice
from language_models.scripted import ScriptedModel
from language_models.transcript.calls import Call, ModuleUsage, Request
from language_models.transcript.transcript import Transcript

PRICES = {"gpt": Price(prompt=10.0, cached=1.0, generated=100.0, as_of="2026-02-03")}
HOSTED = "openai:http://127.0.0.1:9/v1#gpt"


def run(path, *arguments, steps=6):
    return main(["run", "--model", "scripted", "--steps", str(steps), "--out", str(path), *arguments])


def usage(path):
    with Transcript(path / "transcript.sqlite") as transcript:
        return transcript.costs.by_module()


def test_metrics_have_what_each_module_cost(tmp_path):
    assert run(tmp_path) == 0
    rows = RunDirectory(tmp_path).metrics()
    for module in usage(tmp_path):
        for quantity in ("calls", "prompt_tokens", "generated_tokens", "retries", "failures"):
            found = [row["value"] for row in rows if (row["subject"], row["quantity"]) == (module.module, quantity)]
            assert sum(found) == getattr(module, quantity)
    with Transcript(tmp_path / "transcript.sqlite") as transcript:
        writers = {call.caller.resident for call in transcript.calls(module="writing")}
    assert writers == {"AY", "SG", "MD", "WL", "LL", "WM"}


def test_a_run_ends_before_the_step_that_could_go_beyond_its_limit(tmp_path, capsys):
    assert run(tmp_path / "whole") == 0
    whole = sum(module.tokens for module in usage(tmp_path / "whole"))
    limit = whole * 2 // 3
    capsys.readouterr()
    assert run(tmp_path / "run", "--max-tokens", str(limit)) == 1
    spent = sum(module.tokens for module in usage(tmp_path / "run"))
    assert limit // 3 < spent <= limit
    manifest = RunDirectory(tmp_path / "run").read_manifest()
    done = manifest["steps_done"]
    assert manifest["status"] == "stopped"
    assert manifest["configuration"]["effective"]["limits"]["max_tokens"] == limit
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith(
        f"irollan: stopped after step {done} of 6: {spent:,} tokens of at most {limit:,} tokens are spent, and a step "
    )
    assert error.endswith(f"resume with a larger limit: irollan resume {tmp_path / 'run'} --max-tokens N")
    # The limit stays while no other is given.
    assert main(["resume", str(tmp_path / "run")]) == 1
    assert sum(module.tokens for module in usage(tmp_path / "run")) <= limit
    assert main(["resume", str(tmp_path / "run"), "--max-tokens", str(10 * whole)]) == 0
    for name in ("events.jsonl", "metrics.csv"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_resuming_with_one_limit_keeps_the_other(tmp_path):
    prices = tmp_path / "prices.toml"
    prices.write_text("[models.scripted]\nprompt = 1000\ngenerated = 1000\n")
    path = str(tmp_path / "run")
    assert run(path, "--prices", str(prices), "--max-cost", "10") == 1

    def limits(*arguments):
        status = main(["resume", path, *arguments])
        found = RunDirectory(tmp_path / "run").read_manifest()["configuration"]["effective"]["limits"]
        return status, found["max_tokens"], found["max_cost"]

    assert limits("--max-tokens", "10000000") == (1, 10_000_000, 10)
    assert limits("--max-cost", "11") == (1, 10_000_000, 11)
    assert limits("--no-limits", "--max-tokens", "20000000") == (0, 20_000_000, None)


def test_what_a_broken_step_cost_is_not_forgotten(tmp_path, monkeypatch, capsys, with_page):
    prices = tmp_path / "prices.toml"
    prices.write_text("[models.scripted]\nprompt = 1000\ngenerated = 1000\n")
    assert run(tmp_path / "whole", steps=3) == 0
    path = tmp_path / "run"
    ask = ScriptedModel._ask

    def breaking(self, caller, prompt):
        if caller.module == "writing" and caller.time == 1:
            raise RuntimeError("broken")
        return ask(self, caller, prompt)

    with monkeypatch.context() as broken:
        broken.setattr(ScriptedModel, "_ask", breaking)
        assert run(path, "--prices", str(prices), steps=3) == 1
    capsys.readouterr()
    assert main(["resume", str(path), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    with Transcript(path / "transcript.sqlite") as transcript:
        lost = sum(row.tokens for row in transcript.costs.rewound())
        stayed = transcript.costs.total().tokens
        budget = Budget(LimitsConfig(max_tokens=1), transcript, {})
        money = Budget(LimitsConfig(max_cost=0.001), transcript, {"scripted": Price(prompt=1000, generated=1000)})
    assert lost > 0
    assert budget.exhausted.startswith(f"{stayed + lost:,} tokens of at most 1 tokens are spent")
    assert money.exhausted.startswith(f"${(stayed + lost) / 1000:,.4f} of at most")
    assert answer["dollars"] == pytest.approx((stayed + lost) / 1000)
    assert "Taken back by a resume" in (path / "report.html").read_text(encoding="utf-8")
    # The run is as if nothing had broken, and is replayed.
    assert RunDirectory(path).records() == RunDirectory(tmp_path / "whole").records()
    assert usage(path) == [
        replace(row, seconds=own.seconds, waiting=own.waiting)
        for row, own in zip(usage(tmp_path / "whole"), usage(path), strict=True)
    ]
    assert main(["replay", str(path)]) == 0


def test_what_each_module_cost_in_money(tmp_path, capsys, with_page):
    prices = tmp_path / "prices.toml"
    prices.write_text("[models.scripted]\nas_of = 2026-02-03\nprompt = 1001\ngenerated = 3003\n")
    assert run(tmp_path / "run", "--prices", str(prices), "--json", steps=2) == 0
    dollars = json.loads(capsys.readouterr().out)["dollars"]
    directory = RunDirectory(tmp_path / "run")
    rows = [row for row in directory.metrics() if row["quantity"] == "dollars"]
    # Prices at which no cost lies halfway between two that are shown.
    tokens = {row.module: row.prompt_tokens + 3 * row.generated_tokens for row in usage(directory.path)}
    expected = {module: 1001 * count / 1_000_000 for module, count in tokens.items()}
    for module, cost in expected.items():
        assert sum(row["value"] for row in rows if row["subject"] == module) == pytest.approx(cost)
    assert sum(expected.values()) == pytest.approx(dollars)
    page = directory.report_path.read_text(encoding="utf-8")
    for cost in (*expected.values(), dollars):
        assert f">${cost:,.2f}<" in page or f">${cost:.2g}<" in page
    assert "Costs are in US dollars, at prices of 2026-02-03." in page
    # A branch keeps the prices.
    assert main(["branch", str(directory.path), "--at", "1", "--out", str(tmp_path / "branch")]) == 0
    assert (tmp_path / "branch" / "metrics.csv").read_bytes() == (directory.path / "metrics.csv").read_bytes()


def test_what_no_sum_of_tokens_has_is_told_by_model():
    mute, odd, here = "openai:http://host/v1#mute", "openai:http://host/v1#odd", "scripted"
    with Transcript(":memory:") as transcript:
        for call, (model, prompt) in enumerate([(mute, 0), (odd, 0), (odd, 9), (here, 0), (HOSTED, 9)]):
            caller = Caller(module="action", resident="LL", time=0)
            request = Request(model=model, method="generate", prompt=f"{call}", parameters={})
            usage = Usage(call=call, prompt_tokens=prompt)
            transcript.record(Call(caller=caller, request=request, response={"text": "yes"}, usage=usage))
        assert describe_uncounted(transcript, ModuleUsage(module="embeddings", calls=3, prompt_tokens=2)) == [
            f"tokens of {mute} are not counted: its server reports none",
            f"some tokens of {odd} are not counted: its server does not report all of them",
        ]
        told = describe_uncounted(transcript, ModuleUsage(module="embeddings", calls=3, failures=2))
        assert told[2:] == ["tokens of embeddings are not counted: their server reports none"]
        assert len(describe_uncounted(transcript, ModuleUsage(module="embeddings", calls=3, failures=3))) == 2


def test_the_cost_of_a_module_is_known_where_all_its_prices_are():
    rows = [
        ModuleUsage(module="action", model="openai:http://host/v1#gpt", prompt_tokens=10**6),
        ModuleUsage(module="action", model="openai:http://host/v1#other"),
        ModuleUsage(module="matrix", model="openai:http://host/v1#gpt", prompt_tokens=10**6, cached_tokens=10**6),
        ModuleUsage(module="matrix", model="smollm2", prompt_tokens=10**6),
    ]
    assert cost_by_module(rows, PRICES) == {"matrix": 1.0}
    found = {(row.subject, row.quantity): row.value for row in of_usage(3, rows, cost_by_module(rows, PRICES))}
    assert found["matrix", "dollars"] == 1.0
    assert found["matrix", "prompt_tokens"] == 2e6
    assert ("action", "dollars") not in found


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--max-tokens 0", "limits.max_tokens must be a finite number above 0, got 0"),
        ("--max-cost nan", "limits.max_cost must be a finite number above 0, got nan"),
        ("--prices nowhere.toml", "there is no file of prices nowhere.toml"),
        (
            "--model openai:http://127.0.0.1:9/v1#x --embedder hash --max-cost 1",
            "limits.max_cost needs the price of 'openai:http://127.0.0.1:9/v1#x', which is not known",
        ),
    ],
)
def test_wrong_limits_write_nothing(tmp_path, capsys, arguments, message):
    assert run(tmp_path / "run", *arguments.split()) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_prices(tmp_path):
    assert read_prices()["gpt-4o"].of(1e6, 0, 1e6) == pytest.approx(12.5)
    assert read_prices()["gpt-4o"].as_of == "2025-01-01"
    days = [Price(as_of=day) for day in ("2026-02-03", "", "2025-01-01", "2026-02-03")]
    assert (days_of(days), days_of([Price()])) == ("2025-01-01, 2026-02-03", "")
    assert PRICES["gpt"].of(1000, 400, 10) == pytest.approx((600 * 10 + 400 * 1 + 10 * 100) / 1e6)
    assert price_of("openai:https://somewhere/v1#gpt", PRICES) == PRICES["gpt"]
    assert price_of("openai:https://somewhere/v1#other", PRICES) is None
    assert price_of("model.gguf", PRICES) is FREE
    path = tmp_path / "p.toml"
    for text, message in (
        ("models = 3", "is no file of prices"),
        ("[models.x]\nprompt = 1", "is no file of prices: 'generated'"),
        ("[models.x]\nprompt = -1\ngenerated = 1", "the price of prompt tokens must be at least 0, got -1.0"),
        ("[models.x]\nas_of = 'May'\nprompt = 1\ngenerated = 1", "as_of must be the day that a price is of, .*'May'"),
        ("[models.x]\nas_of = 20250101\nprompt = 1\ngenerated = 1", "as_of must be the day .* got '20250101'"),
        ("[models.x]\nas_of = 2025-01-01T10:00:00\nprompt = 1\ngenerated = 1", "as_of must be the day that"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            read_prices(path)
    with pytest.raises(ValueError, match="there is no file of prices"):
        read_prices(tmp_path / "nowhere.toml")


def test_an_estimate_is_near_what_the_run_takes(tmp_path, capsys):
    assert run(tmp_path / "run", "--architecture", "itcma-s", steps=12) == 0
    calls = sum(module.calls for module in usage(tmp_path / "run"))
    capsys.readouterr()
    assert main(["run", "--model", "scripted", "--steps", "12", "--estimate", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["calls"] == pytest.approx(calls, rel=0.3)
    assert (found["cost"], found["as_of"]) == (0, "")
    assert found["most_generated_tokens"] >= found["generated_tokens"]
    hosted = run_config(model="openai:http://127.0.0.1:9/v1#gpt", steps=2)
    costly = estimate(hosted, PRICES)
    assert 0 < costly.least_cost < costly.cost < costly.most_cost
    assert costly.least_prompt_tokens < costly.prompt_tokens < costly.most_prompt_tokens
    assert costly.most_prompt_tokens / costly.least_prompt_tokens == pytest.approx(1.3, rel=0.01)
    assert "action" in costly.modules
    assert re.search(r"\nabout \$.*, with no prompt cached, at prices of 2026-02-03$", in_words(costly))
    assert "prices of" not in in_words(replace(costly, as_of=""))
    assert "this is a guess, from the first 2 steps with the scripted model and 1.1 tokens a word (1 to 1.3, as" in (
        in_words(costly)
    )
    assert estimate(hosted, {}).cost is None


def estimated(module, **asked):
    """Calls, prompt and generated tokens of a module of a run with a hosted model."""
    deliberation = {"deliberation": "similarity"}
    configuration = run_config(**{"model": HOSTED, "steps": 2, "embedder": "hash", **deliberation, **asked})
    return estimate(configuration, {}).modules[module]


def choosing(way):
    return {"options": {HOSTED: {"choosing": way}}}


def test_an_estimate_counts_the_options_that_a_large_model_reads():
    # Another matrix ranks by another way to choose, and what others think of one is told.
    ranked = {"roles": {"matrix": "scripted"}}
    read = estimated("action", **choosing("structured"), **ranked)
    twice = estimated("action", **choosing("logprobs"), **ranked)
    # Nobody has asked the server yet what it can do.
    assert estimated("action", **ranked) == twice
    assert twice == (read[0], pytest.approx(2 * read[1], abs=1), read[2])


def test_an_estimate_counts_one_request_a_step_for_a_whole_order():
    calls, prompt, generated = estimated("matrix")
    assert calls == 2
    assert prompt > 2 * 150
    assert generated >= 2 * 6
    assert estimated("matrix", **choosing("structured")) == (calls, prompt, generated)


@pytest.mark.parametrize("asked", [{"roles": {"matrix": "scripted"}}, choosing("logprobs")])
def test_a_matrix_that_ranks_by_likeness_asks_no_model(asked):
    configuration = run_config(**{"model": HOSTED, "steps": 2, "embedder": "hash", **asked})
    assert "matrix" not in estimate(configuration, {}).modules


def test_the_most_that_an_estimate_tells_is_what_an_address_may_be_asked_for():
    hosted = "openai:http://127.0.0.1:9/v1#gpt"
    plain = estimate(run_config(model=hosted, steps=2, embedder="hash"), PRICES)
    more = estimate(run_config(model=hosted, options={hosted: {"asks": 5}}, steps=2, embedder="hash"), PRICES)
    letters = {hosted: {"choosing": "logprobs"}}
    by_letters = estimate(run_config(model=hosted, options=letters, steps=2, embedder="hash"), PRICES)
    assert more.most_generated_tokens * 3 == plain.most_generated_tokens * 5
    # Who leads may be asked three times more for what a schema cannot say, and whoever ranks twice.
    asks = {"action": 9, "matrix": 6, "protention": 3}
    read = sum(asks[module] * prompt * 1.3 / 1.1 for module, (_, prompt, _) in plain.modules.items())
    dollars = (read * 10 + plain.most_generated_tokens * 100) / 1e6
    assert plain.most_cost == pytest.approx(dollars, rel=1e-4)
    matrix = plain.modules["matrix"][0]
    assert matrix == 2
    # By letters nobody is asked for an order.
    assert plain.most_generated_tokens - by_letters.most_generated_tokens >= 6 * 30 * matrix
    # What is thought comes with every answer that is asked for, three times at most.
    thinks = {hosted: {"thinking": 100}}
    thinking = estimate(run_config(model=hosted, options=thinks, steps=2, embedder="hash"), PRICES)
    answers = (thinking.most_generated_tokens - plain.most_generated_tokens) / 300
    assert answers >= 12 + matrix
    assert answers == int(answers)


@pytest.mark.parametrize(("options", "requests"), [(1, 2), (20, 2), (21, 6), (400, 42), (401, 48)])
def test_requests_of_a_choice_by_letters(options, requests):
    assert requests_of_choice(options) == requests


def test_failures_are_results(tmp_path, monkeypatch, with_page):
    ask = ScriptedModel._ask

    def failing(self, caller, prompt):
        if caller.module == "writing" and caller.resident == "MD":
            raise ModelError("no", usage=Usage(retries=2))
        return ask(self, caller, prompt)

    monkeypatch.setattr(ScriptedModel, "_ask", failing)
    assert run(tmp_path, steps=3) == 0
    directory = RunDirectory(tmp_path)
    with Transcript(tmp_path / "transcript.sqlite") as transcript:
        modules = [
            {key: getattr(row, key) for key in ("module", "calls", "retries", "failures", "refusals")}
            for row in transcript.costs.by_module()
        ]
    found = failure_rates(directory.records(), modules, threshold=3.0)
    rates = {(module, what): (count, total) for module, what, count, total in found}
    written = next(row["calls"] for row in modules if row["module"] == "writing")
    assert rates["writing", "calls without a usable answer"] == (3, written)
    assert rates["writing", "asked again"] == (6, written)
    # As in a transcript from before each of them was recorded.
    assert rates["writing", "asked again, why is not recorded"] == (6, written)
    assert rates["elimination", "nothing reached the threshold, the best was kept"][1] == 15
    assert rates["LTRHA", "actions filtered"][1] == 15
    page = directory.report_path.read_text(encoding="utf-8")
    assert "What did not go as meant" in page
    assert f"{100 * 3 / written:.1f} %" in page


def test_what_is_asked_once_is_not_counted_for_every_step():
    """Places never seen are imagined in the first steps of a society, and in no later one, as in the life of seed 2."""
    short, long = (
        estimate(run_config(model="openai:http://127.0.0.1:1/v1#m", embedder="hash", steps=steps, seed=2), {})
        for steps in (12, 120)
    )
    assert long.modules["protention"][0] == short.modules["protention"][0]
    assert long.modules["action"][0] == 10 * short.modules["action"][0]
