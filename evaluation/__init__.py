"""Runs of societies: configure, run, read, compare and measure them.

    import evaluation

    config = evaluation.RunConfig(steps=20, seed=3, model=evaluation.ModelConfig(name="scripted"))
    lived = evaluation.run(config, "runs/mine")
    lived.metrics.query("quantity == 'driver'").pivot(index="time", columns="subject", values="value").plot()

A configuration has parts (``ModelConfig``, ``MindConfig``, ``LTRHAConfig``, ``WorldConfig``, ``RecordingConfig``,
``LimitsConfig``), or is made from keys by path: ``RunConfig.from_keys({"ltrha.rank_by": "company"})``. ``run`` and
``load_run`` give a ``Run`` with pandas frames; ``live`` takes a ``Society`` of your own; ``sweep`` compares many runs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluation.ability.submissions import submission
    from evaluation.ability.task_protocol import play
    from evaluation.api import Run, live, load_run, measure, run, sweep
    from evaluation.models.errors import RunError
    from evaluation.report.curves import plot_driver, plot_emotion, plot_resources
    from evaluation.runs.build_society import build_society
    from evaluation.runs.config_parts import (
        Deliberation,
        Elimination,
        ExecutionDraw,
        LimitsConfig,
        LTRHAConfig,
        MindConfig,
        ModelConfig,
        OnFailure,
        PromptDetail,
        RankBy,
        RankScope,
        RecordingConfig,
        ResourceMode,
        Scheduling,
        Serving,
        WorldConfig,
    )
    from evaluation.runs.presets import Preset
    from evaluation.runs.replay import ReplayError
    from evaluation.runs.run_config import RunConfig
    from evaluation.runs.society import Society, Step
    from evaluation.social import SocialStructure, social_structure
    from evaluation.statistics import Anova, alpha, anova, icc, power
    from evaluation.sweeps import SweepResult

_PARTS = (
    "Deliberation",
    "Elimination",
    "ExecutionDraw",
    "LTRHAConfig",
    "LimitsConfig",
    "MindConfig",
    "ModelConfig",
    "OnFailure",
    "PromptDetail",
    "RankBy",
    "RankScope",
    "RecordingConfig",
    "ResourceMode",
    "Scheduling",
    "Serving",
    "WorldConfig",
)
_HOME = {
    **dict.fromkeys(_PARTS, "evaluation.runs.config_parts"),
    **dict.fromkeys(("Run", "live", "load_run", "measure", "run", "sweep"), "evaluation.api"),
    **dict.fromkeys(("plot_driver", "plot_emotion", "plot_resources"), "evaluation.report.curves"),
    **dict.fromkeys(("Society", "Step"), "evaluation.runs.society"),
    **dict.fromkeys(("SocialStructure", "social_structure"), "evaluation.social"),
    **dict.fromkeys(("Anova", "alpha", "anova", "icc", "power"), "evaluation.statistics"),
    "play": "evaluation.ability.task_protocol",
    "Preset": "evaluation.runs.presets",
    "ReplayError": "evaluation.runs.replay",
    "RunConfig": "evaluation.runs.run_config",
    "RunError": "evaluation.models.errors",
    "SweepResult": "evaluation.sweeps",
    "build_society": "evaluation.runs.build_society",
    "submission": "evaluation.ability.submissions",
}
"""Name -> its module, which is imported when the name is first used."""

__all__ = [
    "Anova",
    "Deliberation",
    "Elimination",
    "ExecutionDraw",
    "LTRHAConfig",
    "LimitsConfig",
    "MindConfig",
    "ModelConfig",
    "OnFailure",
    "Preset",
    "PromptDetail",
    "RankBy",
    "RankScope",
    "RecordingConfig",
    "ReplayError",
    "ResourceMode",
    "Run",
    "RunConfig",
    "RunError",
    "Scheduling",
    "Serving",
    "SocialStructure",
    "Society",
    "Step",
    "SweepResult",
    "WorldConfig",
    "alpha",
    "anova",
    "build_society",
    "icc",
    "live",
    "load_run",
    "measure",
    "play",
    "plot_driver",
    "plot_emotion",
    "plot_resources",
    "power",
    "run",
    "social_structure",
    "submission",
    "sweep",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'evaluation' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
