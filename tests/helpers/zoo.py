"""Minds that misbehave, each in a few lines, with what is recorded of it.

``ZOO`` has each by name, with a part of the failure that its first step records; empty where the mind survives what
it did, and waits.
"""

import asyncio
import atexit
import builtins
import ctypes
import gc
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from contextlib import suppress

import numpy as np

from irollan_env.resident import Act
from language_models.protocol import ModelError

ZOO = {}
"""Part of the failure by the name of the mind."""

HANGS = "gave no answer and asked no model for"
KILLED = "ended its process by SIG"


class Well:
    """Waits."""

    def __init__(self, context):
        self.context = context
        self.model = context.model

    def act(self, observation):
        return None


class NeverMade(Well):
    def __init__(self, context):
        threading.Event().wait()


def recorded(failure=""):
    """Put a class into the zoo."""

    def put(mind):
        ZOO[mind.__name__] = failure
        return mind

    return put


def does(name, deed, failure=""):
    """Put a mind into the zoo that does one thing in each step, and waits if it can."""

    def act(self, observation):
        found = deed(self)
        return found if isinstance(found, Act) else None

    globals()[name] = type(name, (Well,), {"act": act, "__module__": __name__})
    ZOO[name] = failure


def answers(name, answer, failure=""):
    """Put a mind into the zoo that gives one answer in each step."""
    globals()[name] = type(name, (Well,), {"act": lambda self, observation: answer(), "__module__": __name__})
    ZOO[name] = failure


def remembers(name, state, failure=""):
    """Put a mind into the zoo that has a state."""
    own = {"get_state": lambda self: state(), "set_state": lambda self, state: None, "__module__": __name__}
    globals()[name] = type(name, (Well,), own)
    ZOO[name] = failure


def throw(error):
    raise error


class NoText(Exception):
    pass


class TextRaises(Exception):
    def __str__(self):
        raise ValueError("no text")


class TextIsNumber(Exception):
    def __str__(self):
        return 5


class TextExits(Exception):
    def __str__(self):
        os._exit(4)


class OddText(str):
    def _no(self, *_):
        raise ValueError("no")

    __len__ = __eq__ = __iter__ = __getitem__ = __add__ = __str__ = __repr__ = encode = split = strip = _no
    __hash__ = str.__hash__


class OddNumber(float):
    def _no(self, *_):
        raise ValueError("no")

    __le__ = __ge__ = __lt__ = __gt__ = __float__ = __abs__ = __repr__ = __eq__ = _no
    __hash__ = float.__hash__


class NoRepr:
    def __repr__(self):
        raise ValueError("nothing to show")


class SaysItIsText:
    __class__ = str


class EndlessTable(dict):
    def items(self):
        return itertools.count()


# Ends.
does("Exits", lambda self: sys.exit(3), "raised SystemExit at zoo.py")
does("ExitsInWords", lambda self: sys.exit("enough"), "raised SystemExit at zoo.py")
does("EndsAtOnce", lambda self: os._exit(0), "ended its process with exit status 0")
does("EndsWithStatus", lambda self: os._exit(3), "ended its process with exit status 3")
does("Interrupts", lambda self: throw(KeyboardInterrupt()), "raised KeyboardInterrupt at zoo.py")
does("Cancels", lambda self: throw(asyncio.CancelledError()), "raised CancelledError at zoo.py")
does("StopsIterating", lambda self: throw(StopIteration(3)), "raised StopIteration at zoo.py")
does("ExitsGenerator", lambda self: throw(GeneratorExit()), "raised GeneratorExit at zoo.py")
does("Crashes", lambda self: ctypes.string_at(0), KILLED)
does("Aborts", lambda self: os.abort(), KILLED)
does("KillsItself", lambda self: os.kill(os.getpid(), signal.SIGKILL), KILLED)
does("KillsItsGroup", lambda self: os.killpg(0, signal.SIGKILL), KILLED)
does("Terminates", lambda self: os.kill(os.getpid(), signal.SIGTERM), KILLED)

# Raises.
does("Raises", lambda self: throw(KeyError("no\nsuch thing")), "raised KeyError at zoo.py")
does("RaisesNoText", lambda self: throw(NoText()), "raised NoText at zoo.py")
does("RaisesTextThatRaises", lambda self: throw(TextRaises()), "raised TextRaises at zoo.py")
does("RaisesNumber", lambda self: throw(TextIsNumber()), "raised TextIsNumber at zoo.py")
does("RaisesExit", lambda self: throw(TextExits()), "ended its process with exit status 4")
does("RaisesMuch", lambda self: throw(ValueError("x" * 50_000_000)), "raised ValueError at zoo.py")
does("RaisesSurrogate", lambda self: throw(ValueError("\ud800")), "raised ValueError at zoo.py")
does("RaisesGroup", lambda self: throw(ExceptionGroup("all", [ValueError("a")])), "raised ExceptionGroup at zoo.py")
does("RaisesModelError", lambda self: throw(ModelError("no answer")), "raised ModelError at zoo.py")
does("DividesByZero", lambda self: 1 / 0, "raised ZeroDivisionError at zoo.py")
does("ReadsInput", lambda self: input(), "raised EOFError at zoo.py")


@recorded("raised RecursionError at zoo.py")
class Recurs(Well):
    def act(self, observation):
        return self.act(observation)


@recorded("raised RuntimeError")
class StopsIteratingLater(Well):
    async def act(self, observation):
        raise StopIteration


# Hangs.
does("Sleeps", lambda self: time.sleep(1000), HANGS)
does("Waits", lambda self: threading.Event().wait(), HANGS)
does("LocksItselfOut", lambda self: [lock.acquire() for lock in [threading.Lock()] * 2], HANGS)
does("CountsInC", lambda self: sum(range(10**18)), HANGS)
does("SearchesForever", lambda self: re.match("(a+)+$", "a" * 60 + "b"), HANGS)
does("StopsItself", lambda self: os.kill(os.getpid(), signal.SIGSTOP), HANGS)
answers("PlansForeverSlowly", lambda: Act(action=None, plan=(time.sleep(1000) for _ in range(9))), HANGS)


@recorded(HANGS)
class Spins(Well):
    def act(self, observation):
        while True:
            try:
                time.sleep(0.01)
            except BaseException:
                continue


@recorded(HANGS)
class AwaitsNothing(Well):
    async def act(self, observation):
        await asyncio.Event().wait()


@recorded(HANGS)
class AsksForever(Well):
    async def act(self, observation):
        while True:
            try:
                await self.model.generate("more", "and more", max_tokens=1)
            except RuntimeError:
                await asyncio.sleep(1)


answers("PlansForever", lambda: Act(action=None, plan=itertools.repeat("on")))

# Eats.
does("EatsAtOnce", lambda self: bytearray(1 << 40), "raised MemoryError at zoo.py")
does("EatsNumbers", lambda self: np.ones(1 << 40), "at zoo.py")
does("PrintsMuch", lambda self: print("x" * 10_000_000))
does("PrintsErrors", lambda self: [print("x" * 1_000_000, file=sys.stderr) for _ in range(20)])

# Remembers.
remembers("RemembersObject", lambda: {"it": object()}, "has a state that is not JSON-ready")
remembers("RemembersNaN", lambda: float("nan"), "has a state that is not JSON-ready")
remembers("RemembersHugeNumber", lambda: 10**5000, "has a state that is not JSON-ready")
remembers("RemembersMuch", lambda: "x" * 20_000_000, "has a state of 20,000,002 characters")
remembers("RemembersInDepth", lambda: json.loads("[" * 900 + "]" * 900), "has a state of more than 100 levels")
remembers("RemembersItself", lambda: (state := []).append(state) or state, "has a state that is not JSON-ready")
# Whether time or memory ends first depends on the machine.
remembers("RemembersEndlessly", lambda: EndlessTable(a=1), "the mind zoo:RemembersEndlessly")
remembers("RemembersSurrogate", lambda: {"\ud800": "\udfff"})
remembers("RemembersInText", lambda: {OddText("a"): OddNumber(1)})
remembers("ExitsWhenSaved", lambda: sys.exit(), "raised SystemExit at zoo.py")
remembers("EndsWhenSaved", lambda: os._exit(0), "ended its process with exit status 0")
remembers("HangsWhenSaved", lambda: time.sleep(1000), HANGS)

# Answers.
answers("AnswersNumber", lambda: 7, "answered '7': it must be an action as text")
answers("AnswersBytes", lambda: b"go to outside", "it must be an action as text")
answers("AnswersSomethingElse", NoRepr, "raised ValueError at zoo.py")
answers("AnswersWhatSaysItIsText", SaysItIsText, "raised TypeError")
answers("AnswersOddText", lambda: OddText("wait and see"))
answers("AnswersOddNumber", lambda: Act(action=None, pleasure=OddNumber(0.5)))
answers("AnswersNaN", lambda: Act(action=None, pleasure=float("nan")), "pleasure is no number in [-1, 1]: nan")
answers("AnswersTooMuchPleasure", lambda: Act(action=None, pleasure=5.0), "no number in [-1, 1]: 5.0")
answers("AnswersInfinity", lambda: Act(action=None, driver=float("inf")), "driver is no finite number: inf")
answers("AnswersHugeNumber", lambda: Act(action=None, pleasure=10**400), "pleasure is no number in [-1, 1]")
answers("AnswersNoThought", lambda: Act(action=None, thought=b"x"), "thought, goal or plan is no text")
answers("AnswersNoPlan", lambda: Act(action=None, plan=None), "raised TypeError")
answers("AnswersPlanOfNumbers", lambda: Act(action=None, plan=(1, 2)), "thought, goal or plan is no text")
answers("AnswersMuch", lambda: "go to " + "x" * 10_000_000, "answered an action of 10,000,006 characters")
answers("AnswersSurrogate", lambda: "go to \ud800")
answers("AnswersGenerator", lambda: (action for action in ("wait",)), "it must be an action as text")
answers("AnswersAwaitable", lambda: asyncio.sleep(0, asyncio.sleep(0)), "it must be an action as text")


@recorded("raised ValueError at zoo.py")
class AnswersWithProperty(Well):
    class Odd(Act):
        thought = property(lambda self: throw(ValueError("no thought")))

    def act(self, observation):
        odd = object.__new__(self.Odd)
        object.__setattr__(odd, "action", None)
        return odd


@recorded("changed its observation: admissible")
class ChangesWhatItSees(Well):
    def act(self, observation):
        object.__setattr__(observation, "admissible", ("fly",))


@recorded("raised AttributeError")
class DeletesWhatItSees(Well):
    def act(self, observation):
        object.__delattr__(observation, "admissible")


# Changes its surroundings.
does("ChangesFolder", lambda self: os.chdir("/"))
does("ClosesOutput", lambda self: sys.stdout.close())
does("ClosesErrors", lambda self: [os.close(fd) for fd in (0, 1, 2)])
does("ClosesEverything", lambda self: os.closerange(0, 1000), "ended its process")
does("LosesOutput", lambda self: setattr(sys, "stdout", None))
does("ForgetsModules", lambda self: [sys.modules.clear(), sys.path.clear()])
does("ForgetsEnvironment", lambda self: os.environ.clear())
does("BreaksJson", lambda self: setattr(json, "dumps", lambda *_, **__: "{}"), "sent something that is no message")
does("BreaksBuiltins", lambda self: [delattr(builtins, "isinstance")], "e")
does("LimitsRecursion", lambda self: sys.setrecursionlimit(60))
does("StopsCollecting", lambda self: [gc.disable(), gc.freeze()])
does("IgnoresSignals", lambda self: [signal.signal(one, signal.SIG_IGN) for one in (2, 15)])
does("StartsThreads", lambda self: [threading.Thread(target=throw, args=[ValueError("later")]).start()])
does("StartsProcesses", lambda self: subprocess.Popen(["sleep", "1000"]))
does("LeavesTooLate", lambda self: atexit.register(time.sleep, 1000))
does("WarnsOfEverything", lambda self: warnings.simplefilter("error"))
does("Traces", lambda self: sys.settrace(lambda *_: throw(ValueError("traced"))), "raised ValueError at zoo.py")
does(
    "WritesEverywhere",
    lambda self: [_try(os.write, fd, b"junk\n") for fd in range(3, 20)],
    "sent something that is no message",
)


def _try(call, *arguments):
    with suppress(OSError):
        call(*arguments)


@recorded("")
class Copies(Well):
    def act(self, observation):
        if os.fork() == 0:
            return "go to the moon"
        return None


# Asks wrongly.
WRONG_CALLS = {
    "choose without options": (ValueError, lambda model: model.choose("a", "b", [])),
    "choose None": (TypeError, lambda model: model.choose("a", "b", None)),
    "choose one of two alike": (ValueError, lambda model: model.choose("a", "b", ["c", "c"])),
    "choose an empty option": (ValueError, lambda model: model.choose("a", "b", ["", "c"])),
    "choose a number": (TypeError, lambda model: model.choose("a", "b", [1, 2])),
    "choose among letters": (TypeError, lambda model: model.choose("a", "b", "cd")),
    "choose by no query": (TypeError, lambda model: model.choose("a", "b", ["c"], query=None)),
    "negative max_tokens": (ValueError, lambda model: model.generate("a", "b", max_tokens=-1)),
    "half a token": (TypeError, lambda model: model.generate("a", "b", max_tokens=0.5)),
    "true tokens": (TypeError, lambda model: model.generate("a", "b", max_tokens=True)),
    "no prompt": (TypeError, lambda model: model.generate("a", None)),
    "no module": (TypeError, lambda model: model.generate(None, "b")),
    "a long module": (ValueError, lambda model: model.generate("a" * 1000, "b")),
    "a surrogate": (ValueError, lambda model: model.generate("a", "\ud800")),
    "temperature nan": (ValueError, lambda model: model.generate("a", "b", temperature=float("nan"))),
    "temperature in words": (TypeError, lambda model: model.generate("a", "b", temperature="hot")),
    "one stop string": (TypeError, lambda model: model.generate("a", "b", stop="c")),
    "stop at a number": (TypeError, lambda model: model.generate("a", "b", stop=[3])),
    "a long prompt": (ValueError, lambda model: model.generate("a", "b" * 5_000_000)),
    "an unknown argument": (TypeError, lambda model: model.generate("a", "b", tokens=3)),
    "a form of another kind": (ValueError, lambda model: model.generate_json("a", "b", {"c": {"type": "number"}})),
    "a form that is a number": (ValueError, lambda model: model.generate_json("a", "b", {"c": 3})),
    "a list of forms": (TypeError, lambda model: model.generate_json("a", "b", [1])),
    "no form": (ValueError, lambda model: model.generate_json("a", "b", {})),
    "a form of objects": (ValueError, lambda model: model.generate_json("a", "b", {"c": object()})),
    "an enum of nothing": (
        ValueError,
        lambda model: model.generate_json("a", "b", {"c": {"type": "string", "enum": []}}),
    ),
    "an enum that is a number": (
        (TypeError, ValueError),
        lambda model: model.generate_json("a", "b", {"c": {"type": "string", "enum": 3}}),
    ),
    "a type that is a list": (ValueError, lambda model: model.generate_json("a", "b", {"c": {"type": ["string"]}})),
    "vectors of nothing": (ValueError, lambda model: model.embed([])),
    "vectors of letters": (TypeError, lambda model: model.embed("a")),
    "vectors of None": (TypeError, lambda model: model.embed(None)),
}


@recorded("raised ValueError at zoo.py")
class AsksWrongly(Well):
    async def act(self, observation):
        await self.model.choose("a", "b", [])


@recorded()
class CatchesWhatItAsksWrongly(Well):
    async def act(self, observation):
        for expected, ask in WRONG_CALLS.values():
            try:
                await ask(self.model)
            except expected:
                continue
            return "go to the moon"
        return None


@recorded("raised TypeError")
class AsksBehindTheDoor(Well):
    async def act(self, observation):
        await self.model._call("generate", prompt=3)


@recorded("raised ValueError")
class AsksForSomethingElse(Well):
    async def act(self, observation):
        await self.model._call("close_step")


@recorded("raised TooManyCalls at zoo.py")
class AsksTooOften(Well):
    async def act(self, observation):
        await asyncio.gather(*[self.model.embed(["a"]) for _ in range(1200)])


@recorded()
class AsksLater(Well):
    def act(self, observation):
        threading.Timer(0.1, lambda: self.model.wait(self.model.generate("late", "too late"))).start()
