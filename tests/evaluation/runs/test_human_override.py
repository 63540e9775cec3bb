"""A person takes residents over in the middle of a run, and hands them back: the run is one like any other."""

import asyncio

import pytest
from configs import run_config

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from evaluation.runs import checkpoints
from evaluation.runs.branching import branch
from evaluation.runs.human_override import MODULE, decided_by_people, taken_over
from evaluation.runs.resume import resume
from evaluation.runs.start import start
from evaluation.viewer.run_view import RunView
from language_models.transcript.transcript import Transcript

STEPS = 6


def waits(question):
    return "wait"


def hands_back(question):
    return question.options[-1]


def first(*kinds):
    """Picks the first option of the first kind that there is."""
    return lambda question: next(one for kind in kinds for one in question.options if one.startswith(kind))


PLAN = {
    ("AY", 0): first("use", "go to"),
    ("AY", 1): hands_back,
    ("LL", 2): first("go to"),
    ("SG", 3): first("chat with", "use", "go to"),
    ("LL", 3): waits,
    ("LL", 4): first("chat with", "go to"),
    ("SG", 4): hands_back,
    ("LL", 5): hands_back,
}
BEGINS = {0: ["AY"], 2: ["LL"], 3: ["SG"]}


class Person:
    """Takes residents over before some steps, answers by a plan, and is slower than everybody else.

    It is the progress of the run, too, which tells it when a step is over.
    """

    def __init__(self, plan=None, begins=None):
        self.plan, self.begins = plan or {}, begins or {}
        self.held, self.asked, self.open = set(self.begins.get(0, ())), [], ()

    def open_to(self, residents):
        self.open = tuple(residents)

    def holds(self, resident):
        return resident in self.held

    def let_go(self, resident):
        self.held.discard(resident)

    async def ask(self, question):
        self.asked.append((question.resident, question.time))
        await asyncio.sleep(0.01)
        return self.plan[question.resident, question.time](question) if question.options else "Good day."

    def say(self, text):
        pass

    begin = act = end = lambda self, *given, **named: None

    def step(self, step):
        self.held |= set(self.begins.get(step.time + 1, ()))


def lived(out, person, steps=STEPS, **more):
    configuration = run_config(model="scripted", seed=3, steps=steps, **more)
    return start(configuration, person, out=out, human=person, write_report=None)


@pytest.fixture(scope="module", params=["itcma-s", "react", "sequential"])
def lives(request, tmp_path_factory):
    """How residents live; a run in which a person took two of them over; and the person."""
    more = {"scheduling": "sequential"} if request.param == "sequential" else {"mind": request.param}
    person, out = Person(PLAN, BEGINS), tmp_path_factory.mktemp("override") / "run"
    assert lived(out, person, **more).status == "finished"
    return more, RunDirectory(out), person


def same(one, other):
    """Whether two runs are the same; metrics.csv has the seconds that a person took."""
    assert (one / "events.jsonl").read_bytes() == (other / "events.jsonl").read_bytes()


def people(path):
    with Transcript(path / "transcript.sqlite") as transcript:
        return taken_over(transcript), decided_by_people(transcript)


def society_of(path):
    """The state that a run left."""
    return checkpoints.load(checkpoints.path_of(RunDirectory(path).checkpoints_path, STEPS)).society


def test_the_person_decides_and_the_mind_goes_on_where_it_was(lives):
    _, run, person = lives
    assert set(person.open) == {one["resident"] for one in run.records()}
    acts = {(one["resident"], one["time"]): one for one in run.records()}
    assert acts["LL", 2]["action"].startswith("go to ")
    assert acts["LL", 3]["action"] is None
    assert acts["LL", 3]["outcome"] == "executed"
    with Transcript(run.transcript_path) as transcript:
        calls = [call for call in transcript.calls() if call.caller.module == MODULE]
    assert {call.request.model for call in calls} == {"person"}
    for call in calls:
        assert call.usage.call in acts[call.caller.resident, call.caller.time]["calls"]
    # Whoever hands back is asked nothing more; its own mind decides in the very step.
    assert people(run.path) == (frozenset(PLAN), frozenset(PLAN) - {("AY", 1), ("LL", 5), ("SG", 4)})
    assert set(person.asked) == set(PLAN)
    assert person.held == set()
    assert not [one for one in acts.values() if one["outcome"] == "failed"]


def test_the_mind_remembers_what_the_person_did(lives):
    more, run, _ = lives
    state = society_of(run.path)["residents"]["LL"]
    picked = [one["action"] for one in run.records() if one["resident"] == "LL" and one["time"] in (2, 4)]
    told = [deed.partition(":")[0] for deed in picked]
    if more.get("mind") == "react":
        # It is told by what came of it.
        remembered = str(state["state"]["trajectory"])
        assert "You go to " in remembered
    else:
        remembered = str([state[part] for part in ("channel", "segment", "memory")])
        assert all(deed in remembered for deed in told)


def test_the_page_says_which_steps_a_person_decided(lives):
    _, run, _ = lives
    view = RunView(run)
    steps = view.new_steps()["steps"]
    marked = {(name, step["time"]) for step in steps for name, act in step["acts"].items() if act["person"]}
    assert marked == people(run.path)[1]
    assert ("Decided by a person", "AY in step 0; LL in steps 2 to 4; SG in step 3") in view.head()["facts"]


def test_it_replays_byte_for_byte(lives, capsys):
    _, run, _ = lives
    assert main(["replay", str(run.path)]) == 0
    told = capsys.readouterr().out
    assert told.startswith("identical: ")
    assert "last digits" not in told


def test_a_run_that_was_stopped_is_resumed_byte_for_byte(lives, tmp_path):
    more, run, _ = lives
    part, person = tmp_path / "part", Person(PLAN, BEGINS)
    lived(part, person, 3, **more)
    # Whoever ends a run has handed back; the person comes again.
    again = Person(PLAN, BEGINS)
    again.held = {"LL", "SG"}  # and no longer AY
    resume(part, again, changes={"steps": STEPS}, human=again, write_report=None)
    same(part, run.path)
    assert main(["replay", str(part)]) == 0


def test_a_branch_takes_the_persons_answers(lives, tmp_path):
    _, run, _ = lives
    nobody, out = Person(), tmp_path / "branch"
    branch(run.path, nobody, at=3, changes={}, out=out, write_report=None)
    same(out, run.path)
    # Nothing hangs on how long the person took, not even the order in which names came to be known.
    assert society_of(out) == society_of(run.path)
    assert main(["replay", str(out)]) == 0
    assert people(out) == people(run.path)


def test_a_branch_that_asks_otherwise_waits_for_the_person(lives, tmp_path):
    _, run, _ = lives
    path = tmp_path / "other"
    stopped = branch(run.path, Person(), at=1, changes={"seed": 9}, out=path, write_report=None)
    assert stopped.status == "failed"
    assert stopped.error.startswith("a person decided for ")
    person = Person(dict.fromkeys(PLAN, hands_back))
    assert resume(path, person, human=person, write_report=None).status == "finished"
    assert person.asked
    assert main(["replay", str(path)]) == 0


def test_who_is_held_back_is_not_asked(tmp_path):
    person = Person(dict.fromkeys([("LL", time) for time in range(10)], waits), {1: ["LL"]})
    run = lived(tmp_path / "run", person, 10, execution_draw="before").directory
    own = [one for one in run.records() if one["resident"] == "LL" and one["time"]]
    held_back = {one["time"] for one in own if not one["admissible"]}
    assert held_back
    assert {time for _, time in person.asked} == set(range(1, 10)) - held_back


def test_nobody_with_the_mind_me_can_be_taken_over(tmp_path):
    person = Person(dict.fromkeys([("LL", time) for time in range(2)], waits))
    lived(tmp_path / "run", person, 2, by_resident={"LL": "me"})
    assert "LL" not in person.open
    assert len(person.open) == 5
    assert people(tmp_path / "run") == (frozenset(), frozenset([("LL", 0), ("LL", 1)]))


def test_a_run_in_which_nobody_was_taken_over_is_the_same_as_without_a_seat(tmp_path):
    lived(tmp_path / "seat", Person(), 2)
    start(run_config(model="scripted", seed=3, steps=2), Person(), out=tmp_path / "none", write_report=None)
    same(tmp_path / "seat", tmp_path / "none")
