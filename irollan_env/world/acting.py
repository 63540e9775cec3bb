"""Execution of the residents' actions in turn order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from irollan_env.actions import Action, Primitive, Refusal
from irollan_env.hints import quote_other
from irollan_env.map.catalogue import WAIT
from irollan_env.world.observation import OutcomeKind
from irollan_env.world.rules import Rules
from irollan_env.world.state import AWAY, ValleyState
from irollan_env.world.transitions import Refused, admissible, execute, wait

FILTERED = "(This action has been filtered by LTRHA)"
"""Result of an action that the social framework filtered (appendix A)."""

FAILED = "Nothing happens. No decision was reached in this step."
"""Result of a failed decision, for example when the model could not be reached."""


class Outcome(NamedTuple):
    """The outcome of an action, and its result in words."""

    kind: OutcomeKind
    result: str


def let_act(
    state: ValleyState,
    order: Iterable[int],
    actions: Mapping[str, str | None],
    filtered: AbstractSet[str],
    failed: AbstractSet[str],
    rules: Rules | None = None,
) -> dict[str, Outcome]:
    """Execute actions in turn order, each in the state that the previous ones left.

    Args:
        state: Changes.
        order: Numbers of the residents, in the order in which they act.
        actions: For each resident a primitive, or None or ``"wait"`` to wait; residents not named wait.
        filtered: Residents whose action LTRHA filters.
        failed: Residents whose decision failed.
        rules: The mechanics of the world, where it has any.

    Returns:
        The outcome of each resident's action, in their order.
    """
    outcomes: dict[str, Outcome] = {}
    for resident in order:
        name = state.tables.residents[resident]
        if state.place[resident] == AWAY:
            outcome = Outcome("executed", "")
        elif name in filtered:
            _show_filtered(state, resident, actions.get(name), rules)
            outcome = Outcome("filtered", FILTERED)
        elif name in failed:
            outcome = Outcome("failed", FAILED)
        else:
            outcome = _act(state, resident, actions.get(name), rules)
        state.outcome[resident], state.result[resident] = outcome
        outcomes[name] = outcome
    return outcomes


def _show_filtered(state: ValleyState, resident: int, text: str | None, rules: Rules | None) -> None:
    """Show other residents in the place which admissible action was filtered; for a chat, not its words.

    Of a resident that was filtered before it decided, they see that it wanted something.
    """
    if text is None or text == WAIT:
        state.witness(resident, state.place[resident], "held back")
        return
    action = Action.parse(text)
    if not isinstance(action, Refusal) and (wanted := action.listed) in _admissible(state, resident, rules):
        spoken_to = None if action.primitive is Primitive.PUT else action.partner
        state.witness(resident, state.place[resident], "held back", None, spoken_to, wanted)


def _admissible(state: ValleyState, resident: int, rules: Rules | None) -> Sequence[Action]:
    return admissible(state, resident) if rules is None else rules.admissible(resident)


def _act(state: ValleyState, resident: int, text: str | None, rules: Rules | None) -> Outcome:
    if text is None or text == WAIT:
        return Outcome("executed", wait(state, resident))
    action = Action.parse(text)
    if isinstance(action, Refusal):
        reason = action.reason if rules is None else rules.explain(action)
        return Outcome("inadmissible", f"Nothing happens. {reason}")
    try:
        done = execute(state, resident, action) if rules is None else rules.execute(resident, action)
        return Outcome("executed", done)
    except Refused as refused:
        return Outcome("inadmissible", f"Nothing happens. {refused}")


def check_actions(actions: Mapping[str, str | None], filtered: AbstractSet[str], failed: AbstractSet[str]) -> None:
    """Check that actions are texts, and that no resident is both filtered and failed.

    Args:
        actions: By resident.
        filtered: Residents whose action LTRHA filters.
        failed: Residents whose decision failed.

    Raises:
        TypeError: for an action that is neither a string nor None.
        ValueError: for a resident that is both.
    """
    for name, action in actions.items():
        if action is not None and not isinstance(action, str):
            raise TypeError(f"the action of {name!r} must be a string or None, got {quote_other(action)}")
    if both := sorted(filtered & failed):
        raise ValueError(f"{both[0]!r} is both filtered and failed; a resident without a decision has no action")
