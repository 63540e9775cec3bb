"""Choices of a server with the OpenAI API, by letters, by a schema, with words alone."""

import asyncio
import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from asking import ADA, choose, use
from stand_in import COUNTS, Server, chat

from language_models.protocol import ModelError, ModelUnavailable
from language_models.remote.openai_compatible import OpenAICompatible

BUSY = (503, {}, b"busy")
MANY = [f"option {n}" for n in range(45)]


def asked(body: Any) -> str:
    return str(body["messages"][0]["content"])


def able(letters: bool = False, schema: bool = False) -> Callable[[str, Any], Any]:
    """A server with one model, which says what a model would that does as it is told, by what the server can do."""

    def answer(path: str, body: Any) -> Any:
        if "response_format" in body and schema:
            options = body["response_format"]["json_schema"]["schema"]["properties"]["choice"]["enum"]
            return chat(json.dumps({"choice": options[-1]}))
        if "top_logprobs" in body and letters:
            return chat("A", {"A": -0.5, "B": -1.0, "The": -3.0})
        return chat('{"choice": "stay"}' if "Answer in JSON" in asked(body) else "The sea is blue.")

    return answer


def test_choose_by_schema(server: Server) -> None:
    server.answers = [chat("I would go"), chat('{"choice": "run"}'), chat('{"choice": "stay"}')]
    choice = use(server, choose, choosing="structured")
    assert (choice.option, choice.probabilities, choice.usage.prompt_tokens) == ("stay", (0.0, 1.0), 36)
    body = server.requests[0][2]
    schema = body["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["choice"]["enum"] == ["go", "stay"]
    assert "What now?\n\nOptions:\n- go (see Ben)\n- stay (rest)\n" in asked(body)


@pytest.mark.parametrize("answer", ['{"choice": "run"}', '{"choice": ["go", "stay"]}', "[]", "3"])
def test_choose_never_returns_anything_else(server: Server, answer: str) -> None:
    server.answers = [chat(answer)]
    with pytest.raises(ModelError, match=r'no usable answer in 3 asks; .*; where .* choosing = "logprobs" among'):
        use(server, choose, choosing="structured")


def test_a_server_that_takes_no_schema_stops_the_run_and_names_the_remedy(server: Server) -> None:
    server.answers = [(400, {}, {"error": "'response_format.type' must be 'json_object' or 'text'"})]
    with pytest.raises(ModelUnavailable, match='set choosing = "plain" among the options of a'):
        use(server, choose, choosing="structured")
    with pytest.raises(ModelError, match="status 400"):
        use(server, choose, choosing="plain")


def test_choose_by_letter(server: Server) -> None:
    def logprobs(text: str) -> dict[str, float]:
        if "A. go" in text:
            return {"B": math.log(0.5), " A": math.log(0.2), "A": math.log(0.05), "The": math.log(0.1)}
        return {"A": math.log(0.8), "B": math.log(0.1)}

    server.answers = [lambda path, body: chat("B", logprobs(asked(body)))]
    choice = use(server, choose, choosing="logprobs")
    assert choice.option == "stay"
    # The share of the one is 2 to 1 listed last, and 8 to 1 listed first: 4 to 1 as their geometric mean.
    assert choice.probabilities == pytest.approx((1 / 5, 4 / 5))
    assert choice.usage.prompt_tokens == 2 * COUNTS["prompt_tokens"]
    assert server.requests[0][2]["top_logprobs"] == 20
    server.answers = [
        lambda path, body: {"choices": [{"text": "A", "logprobs": {"top_logprobs": [logprobs(body["prompt"])]}}]}
    ]
    assert use(server, choose, choosing="logprobs", endpoint="completions").option == "stay"


@pytest.mark.parametrize(
    ("logprobs", "options", "message"),
    [
        # A model that always answers with the first letter, and reports nothing of the other: no option is likelier.
        ({"A": math.log(0.99), "The": math.log(0.01)}, 2, None),
        ({"A": -0.7, "B": -0.7}, 2, None),
        ({"A": -0.1}, 2, "tells no option from the others by its likely tokens"),
        ({"The": -0.5, "B": -2.0}, 2, "tells no option from the others by its likely tokens"),
        ({"NO": -0.1, "AB": -0.5, " DE": -1.0, "": -2.0}, 16, "no letter of an option among the likely tokens"),
        *[
            ({"A": -0.1, "B": value}, 2, r"(gives 'B' a|has no) log-probabilit.*; choose with choosing")
            for value in (1000.0, 0.5, math.inf, math.nan, 10**400)
        ],
    ],
)
@pytest.mark.parametrize("endpoint", ["chat", "completions"])
def test_letters_that_tell_nothing(
    server: Server, logprobs: dict[str, float], options: int, message: str | None, endpoint: str
) -> None:
    answer = {"choices": [{"text": "A", "logprobs": {"top_logprobs": [logprobs]}}]}
    server.answers = [chat("A", logprobs) if endpoint == "chat" else answer]

    def ask(model: OpenAICompatible) -> Any:
        return model.choose("What now?", MANY[:options], caller=ADA)

    if message is None:
        assert use(server, ask, choosing="logprobs", endpoint=endpoint).probabilities == pytest.approx((0.5, 0.5))
    else:
        with pytest.raises(ModelError, match=message):
            use(server, ask, choosing="logprobs", endpoint=endpoint)


@pytest.mark.parametrize("value", [0.0, 1e-6, -math.inf])
def test_log_probabilities_of_certainty_and_of_nothing(server: Server, value: float) -> None:
    def answer(path: str, body: Any) -> Any:
        sure, other = "AB" if "A. go" in asked(body) else "BA"
        return chat(sure, {sure: -1e-9 if value < 0 else value, other: value if value < 0 else -9.0})

    server.answers = [answer]
    choice = use(server, choose, choosing="logprobs")
    assert (choice.option, choice.probabilities[0] > 0.99) == ("go", True)


def test_letters_are_asked_for_in_other_words_each_time(server: Server) -> None:
    def answer(path: str, body: Any) -> Any:
        if "This is attempt 3: write A or B, and nothing before it." in asked(body):
            return chat("A", {"A": -0.1, "B": -2.0})
        return chat("The", {"The": -0.1})

    server.answers = [answer]
    choice = use(server, choose, choosing="logprobs")
    assert (choice.usage.retries, len(server.requests)) == (4, 6)
    assert len({asked(body) for _, _, body in server.requests}) == 6
    server.answers = [chat(""), chat("A", {"A": -0.1, "B": -2.0})]
    usage = use(server, choose, choosing="logprobs").usage
    assert (usage.retries, [attempt.reason for attempt in usage.attempts]) == (1, ["is empty"])


def test_what_both_orders_cost_is_counted_when_one_of_them_fails(server: Server) -> None:
    def answer(path: str, body: Any) -> Any:
        return chat("A", {"A": -0.1, "The": -3.0}) if "A. go" in asked(body) else chat("The", {"The": -0.1})

    server.answers = [answer]
    with pytest.raises(ModelError, match="no letter of an option") as error:
        use(server, choose, choosing="logprobs")
    usage = error.value.usage
    assert (usage.prompt_tokens, usage.retries) == (4 * COUNTS["prompt_tokens"], 2)


@pytest.mark.parametrize(
    ("choosing", "listed"), [("logprobs", "A. go (see Ben)\nB. stay\n"), ("plain", "- go (see Ben)\n- stay\n")]
)
def test_of_some_options_nothing_more_may_be_said(server: Server, choosing: str, listed: str) -> None:
    server.answers = [lambda path, body: chat('{"choice": "stay"}', {"A": -0.5, "B": -1.0})]
    use(server, lambda m: m.choose("p", ["go", "stay"], caller=ADA, descriptions=["see Ben", ""]), choosing=choosing)
    assert any(listed in asked(body) for _, _, body in server.requests)


def test_choose_by_letter_among_more_options_than_letters(server: Server) -> None:
    def answer(path: str, body: Any) -> Any:
        listed = [line for line in asked(body).splitlines() if ". option" in line]
        # "option 30 (its end)" is four times as likely as any other of its group, and wins the second round.
        wanted = next((line[0] for line in listed if line.endswith("option 30 (its end)")), "A")
        shares = {line[0]: 4 if line[0] == wanted else 1 for line in listed}
        return chat("A", {label: math.log(share / sum(shares.values())) for label, share in shares.items()})

    server.answers = [answer]
    choice = use(server, lambda m: m.choose("p", MANY, caller=ADA, descriptions=["its end"] * 45), choosing="logprobs")
    assert (choice.option, len(choice.probabilities)) == ("option 30", 45)
    assert sum(choice.probabilities) == pytest.approx(1)
    assert choice.probabilities[30] == max(choice.probabilities) == pytest.approx(4 / 23 * 4 / 6)
    assert len(server.requests) == 8  # Each group, and the best of them, in both orders.
    assert choice.usage.prompt_tokens == 8 * COUNTS["prompt_tokens"]
    sent = "".join(asked(body) for _, _, body in server.requests)
    assert all(f"{option} (its end)" in sent for option in MANY)


def test_of_many_options_a_schema_is_asked_where_there_is_one(server: Server) -> None:
    server.answers = [able(letters=True, schema=True)]

    async def ask(model: OpenAICompatible) -> Any:
        few = await model.choose("What now?", MANY[:20], caller=ADA)
        return few, await model.choose("What now?", MANY[:21], caller=ADA)

    few, many = use(server, ask)
    assert all(0 < probability < 1 for probability in few.probabilities)
    assert (many.option, many.probabilities) == ("option 20", (0.0,) * 20 + (1.0,))
    # Two questions, both orders of the few, and the many at once.
    assert ["response_format" in body for _, _, body in server.requests] == [False, True, False, False, True]

    async def goes_on(model: OpenAICompatible) -> Any:
        model.chooser.fix_method("logprobs")
        return await model.choose("What now?", MANY[:21], caller=ADA)

    # A run that was begun by letters alone goes on so: in two groups, and for the better of the two.
    assert min(use(server, goes_on).probabilities) > 0
    assert len(server.requests) == 5 + 6


def test_a_schema_that_is_refused_for_being_long_has_letters_as_a_remedy(server: Server) -> None:
    def short(path: str, body: Any) -> Any:
        form = body.get("response_format")
        if form and len(form["json_schema"]["schema"]["properties"]["choice"]["enum"]) > 3:
            return 400, {}, {"error": "response_format: too many values of enum"}
        return able(letters=True, schema=True)(path, body)

    server.answers = [short]
    with pytest.raises(ModelUnavailable, match='set choosing = "logprobs" among the options of a'):
        use(server, lambda m: m.choose("p", MANY[:21], caller=ADA))


@pytest.mark.parametrize(
    ("can", "way"),
    [
        ({"letters": True, "schema": True}, "logprobs+structured"),
        ({"letters": True}, "logprobs"),
        ({"schema": True}, "structured"),
        ({}, "plain"),
    ],
)
def test_what_a_server_can_do_is_found_out_once(server: Server, can: Any, way: str) -> None:
    server.answers = [able(**can)]

    async def ask(model: OpenAICompatible) -> Any:
        assert model.chooser.method is None
        first = await asyncio.gather(*(choose(model) for _ in range(3)))
        requests = len(server.requests)
        return model.chooser.method, [*first, await choose(model)], requests

    found, picked, requests = use(server, ask)
    each = 2 if "logprobs" in way else 1
    assert (found, requests, len(server.requests)) == (way, 2 + 3 * each, 2 + 4 * each)
    assert [choice.option for choice in picked] == ["go" if "logprobs" in way else "stay"] * 4
    # What it took is counted once, and is no failure.
    tokens = [choice.usage.prompt_tokens // COUNTS["prompt_tokens"] for choice in picked]
    assert sorted(tokens) == [each, each, each, each + 2]
    assert all(choice.usage.attempts == () and choice.usage.retries == 0 for choice in picked)


def test_what_it_takes_to_find_out_that_a_server_is_away_is_counted_once(server: Server) -> None:
    """That it is away settles nothing."""
    server.answers = [BUSY]

    async def ask(model: OpenAICompatible) -> Any:
        errors = await asyncio.gather(*(choose(model) for _ in range(6)), return_exceptions=True)
        requests = len(server.requests)
        assert model.chooser.method is None
        server.answers = [able(letters=True)]
        assert (await choose(model)).option == "go"
        return errors, requests

    errors, requests = use(server, ask, retries=1, backoff=0.0)
    assert [type(error) for error in errors] == [ModelUnavailable] * 6
    assert (len({id(error) for error in errors}), len({str(error) for error in errors})) == (6, 1)
    # Two questions, and each was asked twice.
    assert requests == sum(len(error.usage.attempts) for error in errors) == 4
    assert sum(error.usage.retries for error in errors) == 2


@pytest.mark.parametrize("no_answer", [BUSY, {"error": {"message": "Provider returned error", "code": 429}}])
@pytest.mark.parametrize(
    ("field", "can", "question", "way", "found"),
    [
        ("response_format", {"letters": True, "schema": True}, "a schema", "logprobs", "logprobs+structured"),
        ("response_format", {}, "whether a schema holds its answers", "plain", "plain"),
        ("top_logprobs", {"letters": True, "schema": True}, "letters", "structured", "logprobs+structured"),
        ("top_logprobs", {"letters": True}, "whether it can choose by letters", "plain", "logprobs"),
    ],
)
def test_a_question_without_an_answer_settles_nothing(
    server: Server, no_answer: Any, field: str, can: Any, question: str, way: str, found: str
) -> None:
    """An outage that passes must not decide how a whole run chooses."""
    server.answers = [lambda path, body: no_answer if field in body else able(**can)(path, body)]

    async def ask(model: OpenAICompatible) -> Any:
        message = rf'failed 1 times, .*; so it is not known .*{question}.*; where .*, set choosing = "{way}" among the'
        with pytest.raises(ModelUnavailable, match=message):
            await choose(model)
        assert (model.chooser.method, len(server.requests)) == (None, 2)
        server.answers = [able(**can)]
        await choose(model)
        return model.chooser.method

    assert use(server, ask, retries=0) == found


def test_a_server_out_of_order_is_asked_once_more_what_it_can_do(server: Server) -> None:
    server.answers = [chat("")]

    async def ask(model: OpenAICompatible) -> Any:
        with pytest.raises(ModelError, match="no usable answer in 3 asks"):
            await choose(model)
        assert model.chooser.method is None
        server.answers = [able(schema=True)]
        return await choose(model), model.chooser.method

    choice, method = use(server, ask)
    assert (choice.option, method) == ("stay", "structured")


@pytest.mark.parametrize("all_give_up", [False, True])
def test_who_gives_up_stops_nobody_else_and_the_last_one_stops_finding_out(server: Server, all_give_up: bool) -> None:
    server.answers = [able(letters=True)]
    server.free.clear()

    async def ask(model: OpenAICompatible) -> Any:
        first, second = asyncio.ensure_future(choose(model)), asyncio.ensure_future(choose(model))
        await server.asked()
        for one in (first, second)[: 1 + all_give_up]:
            one.cancel()
        if not all_give_up:
            server.free.set()
            return await second
        await asyncio.gather(first, second, return_exceptions=True)
        server.free.set()
        await asyncio.sleep(0.05)
        assert len(server.requests) == 1
        return await choose(model)

    choice = use(server, ask)
    assert (choice.option, len(server.requests)) == ("go", 4 + all_give_up)
    # Who is left counts what finding out took.
    assert choice.usage.prompt_tokens == 4 * COUNTS["prompt_tokens"]


def test_a_way_that_is_known_is_not_asked_for(server: Server) -> None:
    server.answers = [able(letters=True, schema=True)]

    async def ask(model: OpenAICompatible) -> Any:
        model.chooser.fix_method("structured")
        model.chooser.fix_method("structured")
        with pytest.raises(ValueError, match=r"chooses by 'structured' for another run.*by 'plain'.*resume that one"):
            model.chooser.fix_method("plain")
        with pytest.raises(ValueError, match=r"must be one of logprobs, .*, plain, got 'auto'"):
            model.chooser.fix_method("auto")  # type: ignore[arg-type]
        return await choose(model)

    assert use(server, ask).option == "stay"
    assert ["response_format" in body for _, _, body in server.requests] == [True]


def test_a_way_that_a_run_goes_on_with_holds_against_one_that_is_found_meanwhile(server: Server) -> None:
    server.answers = [able(letters=True, schema=True)]
    server.free.clear()

    async def ask(model: OpenAICompatible) -> Any:
        choosing = asyncio.ensure_future(choose(model))
        await server.asked()
        model.chooser.fix_method("structured")
        server.free.set()
        return await choosing, model.chooser.method

    choice, way = use(server, ask)
    assert (choice.probabilities, way) == ((0.0, 1.0), "structured")
