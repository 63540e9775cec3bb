"""What is said of each figure: its title, and what the paper's own looks like."""

from __future__ import annotations

CAPTIONS = {
    "driver": (
        "Driver of each resident over time.",
        "The paper's figure 6(a). The driver stands for how willing a resident is to act; it follows from the driver "
        "before it and the three emotions below.",
    ),
    "emotion": (
        "Pleasure, arousal and dominance of each resident over time.",
        "The paper's figure 6(b). There, pleasure stays high, arousal is high and fairly stable, and dominance, while "
        "low, rarely drops below zero.",
    ),
    "resources": (
        "Resources of each resident over time.",
        "The paper's figure 7(a). Everyone starts with 1. In the paper the resources of those who keep to themselves "
        "(WL and MD there) flow to the others, and a leader (LL there) gains most.",
    ),
    "topics": (
        "Topic of each place over time.",
        "The paper's figure 7(b). Above zero the atmosphere of a place is positive, below it negative. An empty place "
        "has none: its line begins with a marker when people come, and ends when all have left. In the paper the "
        "leader's home rises as the others gather there.",
    ),
    "interactions": (
        "Who turned to whom, and how often.",
        "The paper's figure 8. Rows initiate, columns receive; the stronger the colour, the more often. Counted are "
        "chats that were carried out, for the one they were addressed to, and things put into someone's hands.",
    ),
    "whereabouts": (
        "Where each resident was.",
        "Not in the paper. One band a place, and in it one lane a resident; those in the same band at the same time "
        "were together.",
    ),
}
"""By the name of the figure: title and caption."""
