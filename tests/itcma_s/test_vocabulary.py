"""The words of a small model that imagines places."""

from __future__ import annotations

import re

from irollan_env import ValleyMap
from itcma_s.vocabulary import vocabulary


def test_the_vocabulary() -> None:
    valley = ValleyMap.default()
    names = [resident.name for resident in valley.residents]
    things = [furniture.name for furniture in valley.furniture]
    words = vocabulary([*names, *things, "SG's Home", "Public Canteen", "SG's clothes 1", "book 3", "10 dollar"])
    assert words >= {*names, "canteen", "book", "books", "SG's", "clothes", "house", "sink", "because", "I"}
    assert not [word for word in words if re.search(r"\d|\s", word) or not word]
