"""The facts of a step that texts are made from: MD is outside with SG, whom it wants to get to know."""

from irollan_env.actions import Action
from itcma_s.deliberation.conversation import Line
from itcma_s.deliberation.story.facts import Facts

FACTS = Facts(
    me="MD",
    time=5,
    place="outside",
    company=("SG",),
    people=frozenset({"AY", "LL", "MD", "SG", "WL", "WM"}),
    held=frozenset(),
    own=frozenset(),
    feeling=("happy", "curious"),
    goal="get to know SG",
    action=Action("chat with SG: ..."),
    deed="talk with SG",
    last="",
    wish="",
    events=(),
    lines=(),
    seen={},
    visited={"outside": True, "the canteen": False, "the reading room": True, "SG's house": False, "my house": True},
    past_goals=("read the book",),
)


def said(speaker: str, addressee: str, text: str, time: int = 4) -> Line:
    """A line that MD, SG and AY heard."""
    present = frozenset({"AY", "MD", "SG"})
    return Line(time=time, speaker=speaker, addressee=addressee, text=text, place="outside", present=present)
