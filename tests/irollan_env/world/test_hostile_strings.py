"""Every string is a possible action: it is refused with a reason, changes nothing, and takes linear time at most.

Time is not measured here, since it depends on the machine; work is counted: the
operations of the interpreter that a step takes. Where their number is the same for a text a hundred times as long, all
that grows is what single operations of strings do (``partition``, ``strip``, a comparison), each of which is linear.
"""

import gc
import sys

import pytest
from staging import without_record

import irollan_env
from irollan_env.actions import Action
from irollan_env.tasks import Tell

SHORT = [
    "",
    " ",
    "\x00\x1b[2J\x07",
    "go  to outside",
    "Go to outside",
    "go to outside ",
    "go to outsid\u0435",  # a Cyrillic letter
    "go to \u202eedistuo",
    "take food 1 from foodshelf 1\n",
    "take fooD 1 from foodshelf 1",
    "take food 1 from food 1",
    "put food 1 in/on foodshelf 1 from foodshelf 1",
    "use AY",
    "leave LL",
    "chat with AY: hello me",
    "chat with LL:",
    "chat with AY's Home: hello",
    "chat with LL: \x00",
    "chat with LL: \ud800",
    "<|im_start|>assistant\ngo to outside<|im_end|>",
    "[INST] go to outside [/INST]",
    "### Human: use bed 1",
    '{"action": "go to outside"}',
    "wait; go to outside",
]

LONG = {
    "a letter": lambda n: "A" * n,
    "a character beyond the basic plane": lambda n: "\U0001f600" * n,
    "control characters": lambda n: "\x00\x1b" * (n // 2),
    "a lone surrogate": lambda n: "go to " + "\ud800" * n,
    "a place over and over": lambda n: "go to " + "outside " * (n // 8),
    "a nearly right place": lambda n: "go to outside" + " " * n,
    "a nearly right item": lambda n: f"take fod 1{' ' * n} from foodshelf 1",
    "separators of take": lambda n: "take " + " from " * (n // 6),
    "half a separator of take": lambda n: "take " + " fro" * (n // 4),
    "separators of put": lambda n: "put " + " in/on " * (n // 7),
    "half a separator of put": lambda n: "put " + " in/o" * (n // 5),
    "line ends": lambda n: "use " + "\n" * n,
    "furniture over and over": lambda n: "leave " + "bed 1" * (n // 5),
    "colons": lambda n: "chat with " + ":" * n,
    "quotes": lambda n: "chat with LL: " + '"' * n,
    "spaces to strip": lambda n: "chat with LL: " + " " * n,
    "accents": lambda n: "chat with LL: " + "\u0301" * n,
    "unprintable words": lambda n: "chat with LL: " + "\x00" * n,
    "a person's name and spaces": lambda n: f"chat with LL{' ' * n}: hello",
    "a chat template": lambda n: "<|im_start|>assistant\ngo to outside<|im_end|>\n" * (n // 45),
    "another chat template": lambda n: "[INST] use bed 1 [/INST]" * (n // 24),
}
MILLION = 1_000_000


def societies():
    """A valley with numbers of its map, one with slots, and one where all have tasks of words."""
    envs = [
        irollan_env.parallel_env(max_steps=10**6),
        irollan_env.parallel_env(max_steps=10**6, slots=16),
        irollan_env.parallel_env(max_steps=10**6, slots=16, task={"AY": Tell(person="LL", item="toy 2")}),
    ]
    for env in envs:
        env.reset(seed=0)
    return envs


@pytest.mark.parametrize("env", societies(), ids=["catalogue", "slots", "tasks"])
def test_they_are_refused_with_a_reason_and_change_nothing(env):
    before = without_record(env.world)
    score = env.observe()[1]["AY"]["score"]
    for action in (*SHORT, *(make(MILLION) for make in LONG.values())):
        _, rewards, _, _, infos = env.step({"AY": action})
        assert infos["AY"]["outcome"] == "inadmissible", action[:80]
        assert infos["AY"]["result"].startswith("Nothing happens. "), action[:80]
        assert len(infos["AY"]["result"]) < 700
        assert without_record(env.world) == before, action[:80]
        assert (rewards["AY"], infos["AY"]["score"]) == (0.0, score)


def work(do):
    """The operations of the interpreter that something takes, calls of what is written in C counted as one each."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    # What others have the garbage collector call would be counted, too.
    gc.disable()
    # Since Python 3.12 opcodes are told only where a frame asks for them before the tracing begins.
    sys._getframe().f_trace_opcodes = True
    sys.settrace(trace)
    try:
        do()
    finally:
        sys.settrace(before)
        gc.enable()
    return count


def test_work_is_counted():
    """The measure itself: it sees a loop over the characters, and a search that starts again at each of them."""

    def loop(n):
        return work(lambda: [ord(character) for character in "A" * n])

    def quadratic(n):
        return work(lambda: [other for start in range(n) for other in "A" * (n - start)])

    assert loop(2000) > 1.9 * loop(1000)
    assert quadratic(200) > 3.5 * quadratic(100)


@pytest.mark.parametrize("what", LONG)
def test_work_does_not_grow_with_the_length(what):
    short, long = LONG[what](MILLION // 100), LONG[what](MILLION)
    assert work(lambda: Action.parse(long)) == work(lambda: Action.parse(short))
    for env in societies():
        first, second, third = env.copy(), env.copy(), env.copy()
        first.step({"AY": short})  # fills what is remembered of the place
        assert work(lambda twin=second: twin.step({"AY": long})) == work(lambda twin=third: twin.step({"AY": short}))
