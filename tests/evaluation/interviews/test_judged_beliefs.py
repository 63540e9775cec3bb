"""A judge's verdicts on beliefs, against the ledger."""

import asyncio
import json

from evaluation.commands.cli import main
from evaluation.interviews.beliefs import Belief, errors, judge_all
from evaluation.interviews.ledger_questions import Question
from language_models.protocol import Choice, PromptTooLong, Usage
from language_models.scripted import ScriptedModel

PAIR = ("AY", "LL")


def belief(answer, kind="where", truth="outside"):
    asked = {"text": "Where is AY now?", "options": ("outside", "LL's Home"), "truth": truth}
    question = Question(kind=kind, **asked, witnesses=frozenset(), about=frozenset(["AY"]))
    return Belief(resident="LL", question=question, answer=answer)


class Says(ScriptedModel):
    """A judge whose verdicts are given, one after the other."""

    def __init__(self, *verdicts, longest=10**6):
        super().__init__()
        self.verdicts, self.longest, self.prompts = list(verdicts), longest, []

    async def choose(self, prompt, options, *, caller, query="", descriptions=()):
        self.prompts.append(prompt)
        if len(prompt) > self.longest:
            raise PromptTooLong("too long")
        assert options == ("yes", "no")
        return Choice(option=self.verdicts.pop(0), probabilities=(0.5, 0.5), usage=Usage())


def judged(judge, beliefs, records=(), setting="a small valley"):
    return asyncio.run(judge_all(judge, beliefs, records, 4, setting))


def test_the_error_is_the_share_of_verdicts_that_the_ledger_contradicts():
    beliefs = [belief("outside"), belief("LL's Home"), belief("LL's Home"), belief(None), belief("outside", "said")]
    verdicts = judged(Says("yes", "yes", "no", "no"), beliefs)
    where, said, whole = [one.to_json() for one in errors(verdicts)]
    counts = {"which": "where", "wrong": 1, "of": 3, "unanswered": 0, "judged_right": 2, "right": 1}
    assert where == counts | {"error": 0.3333, "low": 0.0615, "high": 0.7923, "blind": 0.3333}
    assert (said["wrong"], said["of"], said["blind"]) == (1, 1, 0.0)
    assert (whole["which"], whole["wrong"], whole["of"]) == ("all", 2, 4)


def test_a_judge_without_a_verdict_is_wrong_and_counted():
    verdicts = judged(ScriptedModel(fail_on=lambda caller, prompt: True), [belief("outside"), belief("LL's Home")])
    *_, whole = errors(verdicts)
    assert (whole.wrong, whole.unanswered, whole.judged_right) == (2, 2, 0)


def test_it_reads_what_all_did_and_the_latest_where_there_is_no_room():
    chat = 'chat with SG: "{}\n{}"'
    acts = [{"time": time, "resident": name, "action": chat.format(name, time)} for time in range(4) for name in PAIR]
    records = [{**act, "place": "outside", "outcome": "executed"} for act in acts]
    records[0] |= {"action": None, "outcome": "filtered"}
    judge = Says("yes")
    judged(judge, [belief("outside")], records)
    (prompt,) = judge.prompts
    assert "- step 0, AY in outside: wait (it came to nothing)\n" in prompt
    assert '- step 3, LL in outside: chat with SG: "LL 3"\n' in prompt
    assert prompt.endswith("LL answered: outside\nIs this answer right? Say yes or no.\nAnswer:")
    cramped = Says("yes", longest=700)
    judged(cramped, [belief("outside")], records * 20)
    assert "step 3, LL" in cramped.prompts[-1]
    assert len(cramped.prompts[-1]) <= 700 < len(cramped.prompts[0])


def test_the_command_tells_the_judge_and_its_error(lived, capsys):
    before = {file: file.read_bytes() for file in lived.rglob("*") if file.is_file()}
    assert main(["beliefs", str(lived), "--at", "4", "--judge", "scripted", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["judge"]["model"] == "scripted"
    verdicts = found["judge"]["verdicts"]
    assert len(verdicts) == len(found["beliefs"])
    assert found["judge"]["errors"][-1]["wrong"] == sum(one["judged_right"] is not one["right"] for one in verdicts)
    assert main(["beliefs", str(lived), "--at", "4", "--judge", "scripted"]) == 0
    assert "The same answers, judged by scripted" in capsys.readouterr().out
    assert {file: file.read_bytes() for file in lived.rglob("*") if file.is_file()} == before
    assert main(["beliefs", str(lived), "--judge", "nobody"]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_it_is_told_what_they_live_in():
    judge = Says("yes", "yes")
    for setting in ("a small valley", "two villages that share a well"):
        judged(judge, [belief("outside")], setting=setting)
        assert judge.prompts[-1].startswith(f"These people live in {setting}. What they did, the latest last:\n")
