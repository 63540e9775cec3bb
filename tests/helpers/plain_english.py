"""What no text that a mind is told may have: what is wrong with it, by rule."""

import re

_WRONG = {
    "two spaces": r"\S  ",
    "two commas": r",\s*,",
    "a mark after a space": r" [.,;:!?](?!\.\.)",
    "two full stops": r"(?<!\.)\.\.(?!\.)",
    "in/on": r"in/on",
    "a house by the world's name": r"\bHome\b",
    "a public room by the world's name": r"\bPublic\b",
    "furniture by the world's name": r"foodshelf|sinkbasin|stoveburner|storagebin|countertop",
    "the first person": r"\b(?:I|me|[Mm]y|mine)\b",
    "an empty bracket": r"\(\)",
    "an article twice": r"\b(the|a) (the|a)\b",
    "an empty value": r"\b(?:None|nan)\b",
}


def unquoted(text):
    """A text without what stands in quotation marks."""
    return re.sub(r'"[^"]*"', '""', text)


def wrong_with(text, me=""):
    """What is wrong with a text, beside what is quoted in it; `me` is whom it is told to, and who is "you" in it."""
    bare = unquoted(text)
    found = [what for what, pattern in _WRONG.items() if re.search(pattern, bare)]
    if bare.count("(") != bare.count(")"):
        found.append("brackets that do not match")
    if me and re.search(rf"\b{me}\b", bare):
        found.append("one's own name")
    return found
