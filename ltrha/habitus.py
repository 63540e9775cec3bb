"""Habitus (section 4.3): an agent's dispositions by kind of situation, as a decision tree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ltrha.parameters import DEFAULTS
from ltrha.situation import _QUESTIONS, PRIMITIVES, Situation, path, read_action


@dataclass(frozen=True, kw_only=True, slots=True)
class Tendency:
    """An agent's probabilities of primitives and partners in a situation.

    Attributes:
        primitives: Probability of each of the six primitives, and of those of one's own; they sum to 1.
        partners: Probability of turning to each of those present; they sum to 1, and there are none when alone.
        observations: Number of its own actions observed in exactly this kind of situation.
    """

    primitives: Mapping[str, float]
    partners: Mapping[str, float]
    observations: int


def backed_off(total: float, count: int, parent: float, backing: float) -> float:
    """Return the mean reward at a node, shrunk towards its parent's value while there are few observations.

    Args:
        total: Sum of the rewards seen at the node.
        count: How many rewards were seen there, >= 0.
        parent: The parent's own backed-off mean; 0 above the root.
        backing: How many observations the parent's value is worth, > 0.

    Returns:
        (total + backing * parent) / (count + backing): the parent's value for no observation, the node's mean for many.
    """
    return (total + backing * parent) / (count + backing)


def softmax(values: Mapping[str, float], temperature: float) -> dict[str, float]:
    """Return probabilities in proportion to exp(value / temperature), for a temperature > 0; empty for no values."""
    top = max(values.values(), default=0.0)
    weights = {key: math.exp((value - top) / temperature) for key, value in values.items()}
    total = math.fsum(weights.values())
    return {key: weight / total for key, weight in weights.items()}


@dataclass(slots=True)
class _Node:
    primitives: dict[str, list[float]] = field(default_factory=dict)  # name -> [count, sum of rewards]
    partners: dict[str, list[float]] = field(default_factory=dict)
    children: dict[str, _Node] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return int(sum(seen[0] for seen in self.primitives.values()))

    def see(self, primitive: str, partner: str | None, reward: float) -> None:
        for kind, key in ((self.primitives, primitive), (self.partners, partner)):
            if key is not None:
                seen = kind.setdefault(key, [0, 0.0])
                seen[0] += 1
                seen[1] += reward

    def to_json(self) -> dict[str, Any]:
        return {
            "primitives": {key: list(seen) for key, seen in self.primitives.items()},
            "partners": {key: list(seen) for key, seen in self.partners.items()},
            "children": {label: child.to_json() for label, child in self.children.items()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> _Node:
        return cls(
            primitives={key: [int(count), float(total)] for key, (count, total) in data["primitives"].items()},
            partners={key: [int(count), float(total)] for key, (count, total) in data["partners"].items()},
            children={label: cls.from_json(child) for label, child in data["children"].items()},
        )


class Habitus:
    """An agent's dispositions, learned from the rewards of its actions by kind of situation (section 4.3).

    A decision tree that asks whether the agent is alone, was spoken to, what the mood is, whether it has resources,
    where it is and with whom. Every node counts how often each primitive, and each partner, was observed there,
    and sums the rewards. It starts empty, so that every tendency is uniform: nobody has a preset identity.

    Args:
        backing: How many observations a parent's value is worth at its children, > 0.
        temperature: How sharply probabilities follow the rewards, > 0; small is sharp.

    Raises:
        ValueError: if backing or temperature is not positive and finite.

    Departs from the paper: section 4.3 calls the habitus a decision tree of action and says no more. The questions,
    their order and the back-off are this project's.
    """

    def __init__(
        self, *, backing: float = DEFAULTS.habitus_backing, temperature: float = DEFAULTS.habitus_temperature
    ) -> None:
        for label, value in (("backing", backing), ("temperature", temperature)):
            if not 0.0 < value < math.inf:
                raise ValueError(f"{label} must be positive and finite, got {value!r}")
        self.backing = backing
        self.temperature = temperature
        self._root = _Node()

    @property
    def observations(self) -> int:
        """How many actions it has learned from."""
        return self._root.count

    def learn(self, situation: Situation, primitive: str, partner: str | None, reward: float) -> None:
        """Learn the reward of one action.

        Args:
            situation: The situation of the decision.
            primitive: One of the six, or of one's own.
            partner: The agent it was directed at, who must be among the company; None for nobody.
            reward: Any finite number; 0 is neither good nor bad.

        Raises:
            ValueError: for a partner who was not there, or a reward that is not finite.
        """
        if partner is not None and partner not in situation.company:
            raise ValueError(f"partner {partner!r} was not there; those in company were {situation.company}")
        if not math.isfinite(reward):
            raise ValueError(f"reward must be finite, got {reward!r}")
        node = self._root
        node.see(primitive, partner, reward)
        for label in path(situation):
            node = node.children.setdefault(label, _Node())
            node.see(primitive, partner, reward)

    def tendency(self, situation: Situation, possible: Iterable[str] = ()) -> Tendency:
        """Return the agent's tendency in a situation, backing off from the leaf to more general nodes.

        Args:
            situation: The situation.
            possible: Primitives that count beside the six and those that were learned.
        """
        primitives = dict.fromkeys((*PRIMITIVES, *self._root.primitives, *possible), 0.0)
        partners = dict.fromkeys(situation.company, 0.0)
        node: _Node | None = self._root
        for label in (*path(situation), None):
            if node is None:
                break
            for values, seen in ((primitives, node.primitives), (partners, node.partners)):
                for key in values:
                    count, total = seen.get(key, (0, 0.0))
                    values[key] = backed_off(total, int(count), values[key], self.backing)
            if label is not None:
                node = node.children.get(label)
        return Tendency(
            primitives=softmax(primitives, self.temperature),
            partners=softmax(partners, self.temperature),
            observations=node.count if node is not None else 0,
        )

    def preferences(self, situation: Situation, actions: Sequence[str]) -> dict[str, float]:
        """Return each action's probability: its primitive's, shared among the actions of that primitive.

        Among chats, and among things handed over, the tendency over partners divides; otherwise all are alike.

        Args:
            situation: The agent's situation.
            actions: Actions such as the admissible ones, no two alike.

        Returns:
            A probability for each action, in the order given; they sum to 1.

        Raises:
            ValueError: if a text is no action.
        """
        read = {action: read_action(action) for action in actions}
        tendency = self.tendency(situation, [primitive for primitive, _ in read.values()])
        uniform = 1.0 / max(len(situation.company), 1)
        within = {
            action: tendency.partners.get(partner, uniform) if partner is not None else uniform
            for action, (_, partner) in read.items()
        }
        totals = dict.fromkeys(tendency.primitives, 0.0)
        for action, (primitive, _) in read.items():
            totals[primitive] += within[action]
        weights = {
            action: tendency.primitives[primitive] * within[action] / totals[primitive]
            for action, (primitive, _) in read.items()
        }
        total = math.fsum(weights.values())
        return {action: weight / total for action, weight in weights.items()}

    def to_text(self, *, depth: int | None = None) -> str:
        """Format the tree as indented text: each branch, its number of observations, and its mean rewards.

        Args:
            depth: How many levels below the root to print, >= 0; None prints all.

        Raises:
            ValueError: if depth is negative.
        """
        if depth is not None and depth < 0:
            raise ValueError(f"depth must not be negative, got {depth}")
        lines = [f"habitus: {_summary(self._root)}"]
        _print(self._root, "", depth if depth is not None else len(_QUESTIONS), lines)
        return "\n".join(lines)

    def get_state(self) -> dict[str, Any]:
        """Return everything learned, as JSON-ready data."""
        return {"backing": self.backing, "temperature": self.temperature, "tree": self._root.to_json()}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from ``get_state``.

        Raises:
            ValueError: if the data is no state of a habitus.
        """
        try:
            other = Habitus(backing=float(state["backing"]), temperature=float(state["temperature"]))
            other._root = _Node.from_json(state["tree"])
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not a state of a habitus: {error!r}; pass what get_state gave") from error
        self.backing, self.temperature, self._root = other.backing, other.temperature, other._root


def _summary(node: _Node) -> str:
    def means(kind: Mapping[str, Sequence[float]]) -> str:
        ranked = sorted(kind.items(), key=lambda item: (-item[1][1] / item[1][0], item[0]))
        return ", ".join(f"{key} {total / count:+.2f} ({count:g})" for key, (count, total) in ranked)

    if not node.count:
        return "nothing learned yet"
    partners = f"; partners {means(node.partners)}" if node.partners else ""
    return means(node.primitives) + partners


def _print(node: _Node, indent: str, depth: int, lines: list[str]) -> None:
    if depth == 0:
        return
    children = sorted(node.children.items(), key=lambda item: (-item[1].count, item[0]))
    for index, (label, child) in enumerate(children):
        last = index == len(children) - 1
        lines.append(f"{indent}{'└─' if last else '├─'} {label}: {_summary(child)}")
        _print(child, indent + ("   " if last else "│  "), depth - 1, lines)
