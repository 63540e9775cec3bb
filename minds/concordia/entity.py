"""Concordia entity as a mind: it observes each line, chooses an admissible action, and words its chats."""

from __future__ import annotations

import importlib
import json
import types
from collections.abc import Mapping
from typing import Any

from concordia.associative_memory.basic_associative_memory import AssociativeMemoryBank
from concordia.components.agent.memory import DEFAULT_MEMORY_COMPONENT_KEY
from concordia.document.interactive_document import InteractiveDocument
from concordia.typing.entity import ActionSpec, OutputType
from concordia.utils.measurements import Measurements

from irollan_env.actions import Primitive
from irollan_env.hints import did_you_mean
from irollan_env.resident import Act
from irollan_env.world.observation import Observation
from minds.concordia.concordia_model import ConcordiaModel, make_repeatable
from minds.mind import MindContext
from minds.wording import option, perceived_lines, with_words

PREFABS = ("basic", "basic_with_plan", "conversational", "minimal", "rational")
HISTORY = 100
"""Most memories that a component retrieves; Concordia's default is a million, which no prompt holds."""

_CALL = "What does {name} do next?"


class ConcordiaEntity:
    """Runs one of Concordia's prefabs, with the prompts of its components unchanged.

    Two things differ from Concordia's own runs: components are called one after the other instead of in threads
    started from a set, so that their calls come in the same order in every run; and the options of its actions keep
    their order (see also ``make_repeatable``).

    Attributes:
        entity: The Concordia entity, on which Concordia's tools for entities work within a step, such as its
            questionnaires.
    """

    def __init__(self, context: MindContext, argument: str) -> None:
        """Create an entity without memories.

        Args:
            context: Name, models and history of the resident.
            argument: Name of the prefab.
        """
        make_repeatable()
        self._saved: Mapping[str, Any] | None = None
        self._context = context
        self._bank = _Memories(sentence_embedder=lambda text: context.model.wait(context.model.embed([text]))[0])
        self._model = ConcordiaModel(context.model, "act")
        prefab = importlib.import_module(f"concordia.prefabs.entity.{argument}").Entity
        defaults = dict(prefab().params)
        # The logs of the entity keep only the last entry, since only that is read.
        params: dict[str, Any] = {"name": context.name, "measurements": _Latest()}
        if context.history.goals and "goal" in defaults:
            params["goal"] = context.history.goals[0]
        params |= {
            key: HISTORY for key, value in defaults.items() if key.endswith("history_length") and value > HISTORY
        }
        self.entity: Any = prefab(params={**defaults, **params}).build(self._model, self._bank)
        self.entity.get_act_component().set_state({"randomize_choices": False})
        self.entity._parallel_call_ = types.MethodType(_in_order, self.entity)
        for name, component in self.entity.get_all_context_components().items():
            if getattr(component, "_model", None) is self._model:
                component._model = ConcordiaModel(context.model, name)
        if formative := context.history.lines():
            self._saved = {**self.get_state(), "memories": {"texts": formative}}

    @staticmethod
    def parse_argument(text: str) -> str:
        """Return the prefab's name; ``basic`` by default.

        Raises:
            ValueError: for an unknown prefab.
        """
        if text and text not in PREFABS:
            raise ValueError(
                f"concordia has no prefab {text!r}: it must be one of {', '.join(PREFABS)}{did_you_mean(text, PREFABS)}"
            )
        return text or "basic"

    def act(self, observation: Observation) -> Act:
        """Observe the present, and choose an admissible action."""
        self._restore()
        for line in dict.fromkeys(perceived_lines(observation)):
            self.entity.observe(line)
        if not observation.admissible:
            return Act(action=None)
        named = {option(action): action for action in observation.admissible}
        chosen = self.entity.act(ActionSpec(call_to_action=_CALL, output_type=OutputType.CHOICE, options=tuple(named)))
        action = named[chosen]
        if action.primitive is Primitive.CHAT:
            action = with_words(action, self._words(action.target))
        # Its choice is not yet an observation; Concordia's game masters report it to their entities, too.
        self.entity.observe(f"{self._context.name} decided to {action}.")
        return Act(action=action, thought=self._situation())

    def _words(self, person: str) -> str:
        """Ask for the words of a chat, in the document in which it chose to speak."""
        document = InteractiveDocument(ConcordiaModel(self._context.model, "speech"))
        document.statement("\n".join(self.entity.get_last_log()["__act__"]["Prompt"]))
        question = f"What does {self._context.name} say to {person}?"
        return str(document.open_question(question, answer_prefix='"', terminators=('"', "\n"), max_tokens=80))

    def _situation(self) -> str:
        """Return its last answer about its situation; empty if its prefab does not ask for one."""
        last = self.entity.get_last_log().get("PersonBySituation")
        return str(last["State"]) if isinstance(last, Mapping) and "State" in last else ""

    def answer(self) -> list[str]:
        """Return its whole memory bank."""
        return list(self.get_state()["memories"]["texts"])

    def get_state(self) -> dict[str, Any]:
        """Return its memories, and the states of the other components."""
        if self._saved is not None:
            return dict(self._saved)
        components = self.entity.get_state()["context_components"]
        components.pop(DEFAULT_MEMORY_COMPONENT_KEY, None)
        return {"memories": self._bank.get_state(), "components": json.loads(json.dumps(components))}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state from `get_state` at the next step, which embeds the memories anew."""
        self._saved = state

    def _restore(self) -> None:
        """Restore the saved state in the newly created entity.

        Components get only the values that differ, since some do not read their own state back correctly.

        Raises:
            ValueError: if the entity's state then differs from the saved one.
        """
        state, self._saved = self._saved, None
        if state is None:
            return
        self._bank.set_state(state["memories"])
        fresh = self.get_state()["components"]
        for name, component in self.entity.get_all_context_components().items():
            saved = state["components"].get(name, {})
            if changed := {key: value for key, value in saved.items() if fresh[name].get(key) != value}:
                component.set_state(changed)
        if self.get_state() != state:
            raise ValueError("the entity does not take its state back: it was saved with another version of Concordia")


class _Memories(AssociativeMemoryBank):  # type: ignore[misc]
    """Concordia memory bank whose state is its texts.

    Concordia saves Python's hashes, which differ from process to process, so that memories would be
    stored twice; and vectors as text, which lose precision. Both can be computed from the texts.
    """

    def get_state(self) -> dict[str, Any]:
        """Return the texts, in order."""
        return {"texts": list(self.get_all_memories_as_text())}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Add these texts to an empty bank.

        Raises:
            ValueError: if the bank is not empty.
        """
        if len(self):
            raise ValueError(f"memories are restored into an empty bank, and this one has {len(self)}")
        self.extend(state["texts"])


class _Latest(Measurements):  # type: ignore[misc]
    """Concordia measurements that keep only the last datum of each channel."""

    def publish_datum(self, channel: str, datum: Any, capture_key: str | None = None) -> None:
        """Replace the channel's data by this datum."""
        with self._channels_lock:
            self._channels[channel] = [datum]


def _in_order(entity: Any, method_name: str, *args: Any, executor: Any = None) -> Mapping[str, str]:
    """Call a method of all components one after the other, in the prefab's order."""
    components = entity.get_all_context_components()
    results: dict[int, str] = {}
    for component in components.values():
        if id(component) not in results:
            results[id(component)] = getattr(component, method_name)(*args)
    return types.MappingProxyType({name: results[id(component)] for name, component in components.items()})
