"""The hypotheses that are tested about a run, each with its null model and the direction that speaks for it."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.social.permutation import Alternative

NULLS = {
    "company": "everyone turns to anyone who is there",
    "partners": "everyone turns and is turned to as often as observed, in each half of the run, among who is there",
    "times": "everyone turns to the same people as often, at the same moments, in another order, among who is there",
    "rivals": "whoever turns to the leader or its closest rival when both are there turns to either",
    "paths": "everyone walks the same way, shifted in time",
    "labels": "resources belong to anybody",
}


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One test.

    Attributes:
        question: What it asks.
        null: The null model, one of ``NULLS``.
        alternative: Whether a large or a small value of the statistic means yes.
        statistic: What is measured, in a few words.
    """

    question: str
    null: str
    alternative: Alternative
    statistic: str


HYPOTHESES = {
    "leader": Hypothesis(
        "Is somebody turned to more than who was there explains?",
        "company",
        "greater",
        "largest excess of turns received",
    ),
    "left out": Hypothesis(
        "Is somebody left out though there?", "company", "less", "smallest excess of turns received"
    ),
    "centralisation": Hypothesis(
        "Does everyone turn to the same one?", "company", "greater", "Freeman's centralisation"
    ),
    "linearity": Hypothesis("Is there an order of rank?", "company", "greater", "Landau's h"),
    "clique": Hypothesis("Is there a clique?", "company", "greater", "strength of the strongest clique"),
    "clique around the leader": Hypothesis(
        "Is there a clique around the leader?", "company", "greater", "strength of the leader's strongest clique"
    ),
    "leader within the clique": Hypothesis(
        "Does the leader stand out within its clique?",
        "rivals",
        "greater",
        "share of the turns that went to the leader or its closest rival",
    ),
    "clique beyond popularity": Hypothesis(
        "Is there a clique beyond who is active and popular?",
        "partners",
        "greater",
        "strength of the strongest clique",
    ),
    "communities": Hypothesis(
        "Does the society fall into communities?", "partners", "greater", "modularity by Louvain's method"
    ),
    "reciprocity": Hypothesis(
        "Do people turn back to those who turn to them?", "partners", "greater", "share of turns matched"
    ),
    "answering": Hypothesis("Do they answer at once?", "times", "greater", "share of turns answered"),
    "stability": Hypothesis(
        "Are ties in the second half those of the first?", "partners", "greater", "correlation of the halves"
    ),
    "change": Hypothesis("Do ties change over time?", "times", "less", "correlation of the halves"),
    "firming": Hypothesis(
        "Do ties become firmer?", "times", "greater", "correlation of the last two quarters less that of the first two"
    ),
    "following": Hypothesis(
        "Do people follow each other?", "paths", "greater", "share of the chances to follow that were taken"
    ),
    "followed leader": Hypothesis(
        "Is somebody followed more than others?", "paths", "greater", "largest excess of times followed"
    ),
    "resources of the sociable": Hypothesis(
        "Do those who interact more have more resources?", "labels", "greater", "Spearman's rho"
    ),
    "resources of the lonely": Hypothesis(
        "Do those who are alone more have less resources?", "labels", "less", "Spearman's rho"
    ),
}
"""Every test by name."""
