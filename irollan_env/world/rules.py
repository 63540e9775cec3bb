"""The mechanics of one world, called in their order."""

from __future__ import annotations

import copy
import json
import math
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import chain
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from irollan_env.actions import Action, Primitive, Refusal, none_of_the_six
from irollan_env.english import phrase
from irollan_env.hints import check_keys
from irollan_env.random_streams import generator_state, restored_generator
from irollan_env.world.deadline import Overdue, within
from irollan_env.world.mechanic import Mechanic, MechanicError
from irollan_env.world.observation import ObservationTuple
from irollan_env.world.own_primitives import Form
from irollan_env.world.transitions import Refused, admissible, execute

if TYPE_CHECKING:
    from irollan_env.map.valley_map import ValleyMap
    from irollan_env.world.world import World

_LONGEST = 300
_OFTEN = ("refuse", "offers", "after_action", "observe", "answers", "needs", "variables")


class Rules:
    """Calls the mechanics of a world; the first that refuses an action, or performs it, decides.

    Attributes:
        mechanics: In the order in which they are called.
        random: The generator of their chance.
        forms: The forms of their primitives, by ``Action.primitive``.
    """

    def __init__(self, world: World, mechanics: Sequence[Mechanic], generator: np.random.Generator) -> None:
        """Hold the mechanics of a world.

        Args:
            world: The world.
            mechanics: In the order in which they are called.
            generator: That of the world; the mechanics' own is derived from its state.

        Raises:
            ValueError: for two mechanics of one name, one without a name, or a wrong form of a primitive.
        """
        names = [mechanic.name for mechanic in mechanics]
        for name in names:
            if not name or names.count(name) > 1:
                raise ValueError(f"each mechanic needs a name of its own, got {names}")
        self._world = world
        self.forms = forms_of(mechanics, world.map)
        self._hold(mechanics)
        drawn_from = json.dumps(generator_state(generator), sort_keys=True).encode()
        self.random = np.random.Generator(np.random.PCG64(int.from_bytes(sha256(drawn_from).digest())))

    def _hold(self, mechanics: Sequence[Mechanic]) -> None:
        """Hold mechanics, and know which of them have the hooks that are called most often."""
        self.mechanics = tuple(mechanics)
        self._with = {
            hook: tuple(one for one in mechanics if getattr(type(one), hook) is not getattr(Mechanic, hook))
            for hook in _OFTEN
        }
        self._with["offers"] = tuple(one for one in mechanics if one.primitives or one in self._with["offers"])

    def copy(self, world: World, mechanics: tuple[Mechanic, ...]) -> Rules:
        """Return independent rules for another world, with mechanics like these."""
        twin = copy.copy(self)
        twin._world = world
        twin._hold(mechanics)
        twin.random = restored_generator(generator_state(self.random))
        return twin

    def new_objects(self) -> tuple[Mechanic, ...]:
        """Return new objects of the world classes, which lack their state, and copies of the other mechanics."""
        found = []
        for mechanic in self.mechanics:
            with explained(mechanic, "__init__"):
                fresh = type(mechanic)() if mechanic.source else copy.deepcopy(mechanic)
            fresh.source, fresh.deadline = mechanic.source, mechanic.deadline
            found.append(fresh)
        return tuple(found)

    def call(self, hook: Literal["begin", "catch_up", "before_step", "after_step"]) -> None:
        """Call a hook that takes the world alone, of all mechanics in their order."""
        for mechanic in self.mechanics:
            with explained(mechanic, hook):
                getattr(mechanic, hook)(self._world)

    def forget(self, item: str) -> None:
        """Let the mechanics forget an item that leaves the world."""
        for mechanic in self.mechanics:
            with explained(mechanic, "forget"):
                mechanic.forget(item)

    def admissible(self, resident: int) -> list[Action]:
        """List the actions that the resident can do, with those that mechanics offer and without those they refuse."""
        name = self._world.residents[resident]
        found = admissible(self._world._state, resident)
        for mechanic in self._with["offers"]:
            found += self._offers(mechanic, name)
        found = list(dict.fromkeys(found))
        for mechanic in self._with["refuse"]:
            with explained(mechanic, "refuse"):
                found = [action for action in found if mechanic.refuse(self._world, name, action) is None]
        return found

    def execute(self, resident: int, action: Action) -> str:
        """Execute an action and return the result in words.

        Raises:
            Refused: when it cannot be done; nothing has changed then.
        """
        world, name, listed = self._world, self._world.residents[resident], action.listed
        possible = listed in admissible(world._state, resident)
        offering = [] if possible else [one for one in self._with["offers"] if listed in self._offers(one, name)]
        if (possible or offering) and (reason := self._why_not(name, listed)) is not None:
            raise Refused(reason)
        form, result = self.forms.get(action.primitive), None
        if form is not None:
            if not offering:
                raise Refused(f"You cannot {phrase(action)} here and now: {form.text}.")
            world._state.approach(resident, action.target)
        for mechanic in offering:
            with explained(mechanic, "perform"):
                result = mechanic.perform(world, name, action)
                if not isinstance(result, str | None):
                    raise TypeError(f"the result must be a text or None, got {result!r}")
            if result is not None:
                break
        if form is not None:
            world.show(name, "did", None, action.partner, action)
            result = f"You {phrase(action)}." if result is None else result
        elif result is None and not isinstance(action.primitive, Primitive):
            raise Refused(self.explain(Refusal(action, none_of_the_six(action))))
        elif result is None:
            result = execute(world._state, resident, action)
        told = [result]
        for mechanic in self._with["after_action"]:
            with explained(mechanic, "after_action"):
                told.append(mechanic.after_action(world, name, action))
        return " ".join(text for text in told if text)

    def add_to(self, seen: ObservationTuple, name: str) -> ObservationTuple:
        """Add to an observation what the mechanics let the resident perceive."""
        notices: dict[str, tuple[str, ...]] = {}
        for mechanic in self._with["observe"]:
            with explained(mechanic, "observe"):
                if said := tuple(mechanic.observe(self._world, name)):
                    notices[mechanic.name] = said
        answers: dict[str, tuple[str, ...]] = {}
        for mechanic in self._with["answers"]:
            with explained(mechanic, "answers"):
                found = mechanic.answers(self._world, name)
                answers |= {furniture: tuple(words) for furniture, words in found.items()}
        return seen._replace(
            sentence=" ".join([seen.sentence, *chain.from_iterable(notices.values())]),
            needs=self._merged("needs", name),
            variables=self._merged("variables", name),
            notices=notices,
            answers=answers,
        )

    def numbers(self, name: str | None) -> dict[str, float]:
        """Return the needs and variables of a resident but for those of the world, or the world's for None.

        Raises:
            MechanicError: for a number of two mechanics, one that is not finite, or a need outside [0, 1].
        """
        needs = {} if name is None or not self._world.is_present(name) else self._merged("needs", name)
        own = self._merged("variables", name, needs)
        shared = {} if name is None else self._merged("variables", None)
        return {key: value for key, value in own.items() if shared.get(key) != value or key in needs}

    def get_state(self) -> dict[str, Any]:
        """Return the state of all mechanics by name, and of their generator as ``"random"``."""
        found = {}
        for mechanic in self.mechanics:
            with explained(mechanic, "get_state"):
                state = mechanic.get_state()
                # A copy by way of JSON is what another process would load.
                found[mechanic.name] = json.loads(json.dumps(state, allow_nan=False)) if mechanic.source else state
        return {**found, "random": generator_state(self.random), **self._forms_in_state()}

    def _forms_in_state(self) -> dict[str, list[str]]:
        return {"primitives": [form.text for form in self.forms.values()]} if self.forms else {}

    def set_state(self, state: Any) -> None:
        """Restore a state from ``get_state``.

        Raises:
            ValueError: for a state of other mechanics.
        """
        now = self._forms_in_state().get("primitives", [])
        if isinstance(state, Mapping) and (before := state.get("primitives", [])) != now:
            raise ValueError(f"the state was saved with the primitives {before}, and the world has {now}; restore them")
        names = [*(mechanic.name for mechanic in self.mechanics), "random", *self._forms_in_state()]
        check_keys("state.mechanics", state, names)
        self.random = restored_generator(state["random"])
        for mechanic in self.mechanics:
            with explained(mechanic, "set_state"):
                mechanic.set_state(copy.deepcopy(state[mechanic.name]))

    def _offers(self, mechanic: Mechanic, name: str) -> list[Action]:
        with explained(mechanic, "offers"):
            found = list(mechanic.offers(self._world, name))
        for form in self.forms.values() if mechanic.primitives else ():
            if form.text in mechanic.primitives:
                found += form.offers(self._world, name)
        return found

    def explain(self, refusal: Refusal) -> str:
        """Return why a text is no action, with the forms of this world's own primitives where it is none of any."""
        own = "; ".join(form.text for form in self.forms.values())
        none = own and refusal.reason == none_of_the_six(refusal)
        return f"{refusal.reason.removesuffix('.')}; nor is it one of this world: {own}." if none else refusal.reason

    def _why_not(self, name: str, action: Action) -> str | None:
        for mechanic in self._with["refuse"]:
            with explained(mechanic, "refuse"):
                reason = mechanic.refuse(self._world, name, action)
            if reason is not None:
                return reason
        return None

    def _merged(
        self, hook: str, name: str | None, beside: Mapping[str, float] = MappingProxyType({})
    ) -> dict[str, float]:
        found = dict(beside)
        for mechanic in self._with[hook]:
            with explained(mechanic, hook):
                numbers: Mapping[str, float] = getattr(mechanic, hook)(self._world, name)
                for key, value in numbers.items():
                    _check_number(hook, key, value)
                    if key in found:
                        raise ValueError(f"{key!r} is a number of another mechanic or hook; give it another name")
                    found[key] = float(value)
        return found


def forms_of(mechanics: Sequence[Mechanic], valley_map: ValleyMap) -> dict[str, Form]:
    """Return the forms of the mechanics' own primitives, by ``Action.primitive``.

    Raises:
        ValueError: for a form that is none, does not fit the map, or has the words of another one.
    """
    found: dict[str, Form] = {}
    for mechanic in mechanics:
        texts = mechanic.primitives
        try:
            if isinstance(texts, str):
                raise ValueError(f"primitives must be a list of forms, got the text {texts!r}; add a comma")
            for text in texts:
                form = Form(text)
                form.check(valley_map)
                if (other := found.setdefault(form.primitive, form)) is not form:
                    raise ValueError(f"the forms {form.text!r} and {other.text!r} have the same words; change one")
        except (TypeError, ValueError) as error:
            raise ValueError(f"{_label(mechanic)}: {error}") from error
    return found


def _check_number(hook: str, key: object, value: float) -> None:
    if not isinstance(key, str) or not key:
        raise TypeError(f"names of numbers must be words, got {key!r}")
    if not math.isfinite(value):
        raise ValueError(f"{key} must be a finite number, got {value!r}")
    if hook == "needs" and not 0.0 <= value <= 1.0:
        raise ValueError(f"{key} must lie in [0, 1], got {value!r}")


@contextmanager
def explained(mechanic: Mechanic, hook: str) -> Iterator[None]:
    """Name the mechanic, the hook, and for a world class the file and line in which its code fails or hangs.

    Raises:
        MechanicError: if it does.
        ValueError: for settings of a map that only a world shows to be wrong.
    """
    try:
        with within(mechanic.deadline):
            yield
    except (Refused, MechanicError):
        raise
    except Overdue as overdue:
        where = _place(mechanic, overdue)
        seconds = mechanic.deadline or 0.0
        raise MechanicError(f"{_label(mechanic)} gave no answer in {hook} for {seconds:g} s{where}") from None
    except (Exception, SystemExit) as error:
        if hook == "begin" and isinstance(error, ValueError) and not mechanic.source:
            raise  # Wrong settings of a map, which name their key.
        what = " ".join(f"{type(error).__name__}: {error}".split())
        raise MechanicError(
            f"{_label(mechanic)} failed in {hook}{_place(mechanic, error)}: {what[:_LONGEST]}"
        ) from error


def _label(mechanic: Mechanic) -> str:
    return f"the world class {mechanic.source}" if mechanic.source else f"the mechanic {mechanic.name!r}"


def _place(mechanic: Mechanic, error: BaseException) -> str:
    """Return the file and line of a world class's module where an error was raised, else of any code."""
    frames = list(traceback.walk_tb(error.__traceback__)) if mechanic.source else []
    own = [one for one in frames if one[0].f_globals.get("__name__") == type(mechanic).__module__]
    if not own:
        return ""
    frame, line = own[-1]
    return f" at {PurePath(frame.f_code.co_filename).name}:{line}"
