"""Effects of events: pairs of runs with and without them, alike in everything else."""

from evaluation.effects.effect import EffectResult, effect

__all__ = ["EffectResult", "effect"]
