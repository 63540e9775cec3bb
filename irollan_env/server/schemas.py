"""Request and response schemas of the OpenAPI page; requests are validated by them, responses tested."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from irollan_env.environments.info import MAX_STEPS
from irollan_env.environments.settings import tasks_from_json
from irollan_env.tasks import CREDITS, REWARDS, SPLITS
from irollan_env.world.observation import Observation

Seed = Annotated[int, Field(ge=0, lt=2**63)]
Steps = Annotated[int, Field(ge=1, lt=2**31)]
ActionText = Annotated[str | None, Field(description="One of the six primitives; null waits.")]


TaskChoice = Annotated[
    str | dict[str, str | dict[str, Any]] | None,
    Field(
        description="A family of tasks, of which everybody gets one; or families or tasks by resident, and then nobody "
        "else has one; null for none.",
        examples=["fetch", {"AY": "random", "LL": {"family": "deliver", "kind": "book", "person": "WM"}}],
    ),
]
SplitName = Annotated[str, Field(json_schema_extra={"enum": [*SPLITS]}, description="Of the tasks that are drawn.")]
RewardName = Annotated[str, Field(json_schema_extra={"enum": [*REWARDS]}, description="At the end, or for each step.")]
CreditName = Annotated[str, Field(json_schema_extra={"enum": [*CREDITS]}, description="Whose rewards one gets.")]
WithPlan = Annotated[bool, Field(description="Whether infos hold the plan of an expert.")]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class CreateRequest(_Request):
    """Settings of a new session's environment."""

    max_steps: Steps = MAX_STEPS
    percepts: bool = Field(
        default=True, description="Whether observations hold percepts and events; without, steps are faster."
    )
    task: TaskChoice = None
    split: SplitName = "train"
    reward: RewardName = "sparse"
    credit: CreditName = "own"
    expert_plan: WithPlan = False

    def options(self) -> dict[str, Any]:
        """Return the arguments of the environment.

        Raises:
            ValueError: for an invalid task.
        """
        return {**self.model_dump(), "task": tasks_from_json(self.task)}


class ResetRequest(_Request):
    """Settings of an episode. Keys that are missing or null keep their value; a null task means no task."""

    seed: Seed | None = Field(default=None, description="Of all chance; null continues with the current generator.")
    max_steps: Steps | None = None
    task: TaskChoice = None
    split: SplitName | None = None
    reward: RewardName | None = None
    credit: CreditName | None = None
    expert_plan: WithPlan | None = None

    def options(self) -> dict[str, Any]:
        """Return the options of the environment's reset.

        Raises:
            ValueError: for an invalid task.
        """
        given = self.model_dump(exclude={"seed", "task"}, exclude_none=True)
        return {**given, "task": tasks_from_json(self.task)} if "task" in self.model_fields_set else given


class ActRequest(_Request):
    """One resident's action, stored until the step."""

    resident: str
    action: ActionText


class StepRequest(_Request):
    """Actions by resident; residents without one use their stored action, or wait."""

    actions: dict[str, ActionText] = Field(default_factory=dict)
    time: int | None = Field(
        default=None,
        ge=0,
        description="The time at which the step is to be taken. The step that led on from this time is not taken "
        "again: who asks for it again, with the same actions, gets the same answer. Null steps at any time.",
    )


class RestoreRequest(_Request):
    """A state from a snapshot."""

    state: dict[str, Any]


class Created(BaseModel):
    """A new session."""

    session: str = Field(description="Its identifier: who knows it can drive the session.")
    residents: list[str]
    max_steps: int
    idle_seconds: float = Field(description="A session that is not used for so long is closed.")
    actions: list[str] = Field(description="What the server's world classes may offer beside the actions of the map.")


class Held(BaseModel):
    """Residents with a stored action."""

    held: list[str]


class Frame(BaseModel):
    """The observations of all residents, as in a run's events.jsonl."""

    agents: list[str] = Field(description="Who still acts; empty when the episode has ended.")
    observations: dict[str, Observation]
    infos: dict[str, dict[str, Any]] = Field(description="What else the environment says of each: its score, its plan.")


class Stepped(Frame):
    """Observations after a step, with its rewards and episode ends."""

    rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]


class Snapshot(BaseModel):
    """The complete state, generators included."""

    state: dict[str, Any]


class Problem(BaseModel):
    """The reason why a request was rejected."""

    detail: str
