"""Sentences that the facts of a step bear out: the thoughts and lines among which a small model writes the likeliest.

A model of 135 million parameters writes fluently and knows little: left free, it says of a neighbour who is here that
it is not. So its grammar holds the sentences that are true here and fit the deed and the conversation, in its own
style, and the model's likelihoods decide among them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from irollan_env.actions import Primitive
from irollan_env.english import possessive, to, within
from irollan_env.naming import owner, whole_name
from itcma_s.deliberation.conversation import SENTENCE
from itcma_s.deliberation.plain_words import joined
from itcma_s.deliberation.story.facts import Facts
from itcma_s.deliberation.story.story_prompt import several
from itcma_s.wording import of_its_own

_MOST = 12
_FEW = 4
_SOCIAL = frozenset({"ask", "get", "give", "look", "meet", "share", "talk"})
"""First words of goals about people."""
_WORTH_TELLING = frozenset({"beefsteak", "book", "drink", "food", "toy"})
_IDLE = frozenset({"the", "from", "with", "some", "time", "what", "ther", "whil", "go"})
_LIKED = {
    "ask": "to ask questions",
    "cook": "to cook",
    "drink": "a good drink",
    "eat": "to eat well",
    "get": "to meet people",
    "give": "to share what I have",
    "go": "to walk about",
    "look": "to meet people",
    "meet": "to meet people",
    "read": "to read",
    "rest": "to rest in peace and quiet",
    "see": "to see new places",
    "share": "to share what I have",
    "sit": "to sit and watch",
    "spend": "to be at home",
    "talk": "to talk",
    "wash": "to keep things clean",
}
"""First word of a goal -> what those like who have it."""


def thoughts(facts: Facts) -> tuple[str, ...]:
    """Return true thoughts about the deed and its cause, at least one; a step later the same situation has others."""
    found = _thoughts_of_a_talk(facts, facts.partner) if facts.partner is not None else _thoughts_of_a_deed(facts)
    if facts.wish and facts.wish == facts.deed:
        found[:0] = [
            f"I was held back, but I still want to {facts.deed}.",
            f"I was held back, so I try to {facts.deed} again.",
            *[f"I am unhappy about being held back, and I try to {facts.deed} again."] * ("unhappy" in facts.feeling),
        ]
    found = list(dict.fromkeys(found))
    causes = [text for text in found if not text.startswith(_felt(facts))]
    if len(causes) > 1 and (facts.time + len(facts.past_goals)) % 3:
        found = causes
    return tuple(found[facts.time % 2 :: 2] if len(found) > 3 else found)[:_FEW]


def lines(facts: Facts) -> tuple[str, ...]:
    """Return lines to the partner of a chat, at least one: answers to what it said, else true words and questions.

    None repeats what these two told or asked each other, or the resident lately anybody; a repeated answer says so.
    """
    partner = str(facts.partner)
    between, mine = facts.between(partner), [line for line in facts.lines if line.speaker == facts.me]
    heard, said = facts.unanswered(partner), _bare(line.text for line in (*mine[-2:], *between))
    told, shared = (_bare(line.text for line in between if line.speaker in who) for who in ((facts.me,), facts.people))
    errand = [text for text in _errand(facts, partner) if not _bare([text]) & shared]
    questions = [text for text in _questions(facts, partner) if not _bare([text]) & said][:_FEW]
    replies = [_to_you(text, partner) for text in _replies(facts, heard, partner)] if heard else []
    again = [f"As I said, {text}" for text in replies if re.match(r"I (?!see)", text)]
    replies = [text for text in replies if not _bare([text]) & told] or again or replies
    if replies:
        asks = [text for text in (errand or questions) if not _bare([text]) & _bare(replies)]
        more = [f"{reply} {question}" for reply in replies[:2] for question in asks if not reply.endswith("?")]
        found = [*(replies[:3] if "?" in heard else ()), *more] or replies
    else:
        others = (_to_you(text, partner) for text in _small_talk(facts, partner))
        found = errand or questions or [text for text in others if not _bare([text]) & said]
    if not any(line.speaker == facts.me for line in between):
        known = bool(replies) or any(facts.me in line.text for line in mine if partner in line.present)
        found = [f"Hello, {partner}. {text if known else f'I am {facts.me}. {text}'}" for text in found]
    return tuple(dict.fromkeys(found))[:_MOST] or (f"Let us talk again later, {partner}.",)


def _bare(texts: Iterable[str]) -> set[str]:
    """Return the sentences of some texts in small letters without marks, greetings left out."""
    found = (" ".join(re.findall(r"[\w']+", one.lower())) for text in texts for one in SENTENCE.findall(text))
    return {one for one in found if one and not one.startswith("hello")}


def _to_you(text: str, partner: str) -> str:
    """Return a text said to somebody, with "you" and "your" for its name."""
    text = re.sub(rf"{whole_name(partner)} is\b", "you are", possessive(text, partner, "your"))
    return re.sub(whole_name(partner), "you", text)


def _named(text: str, names: Iterable[str]) -> list[str]:
    """Return the people that a text names, and not only what is theirs."""
    return [name for name in sorted(names) if re.search(rf"{whole_name(name)}(?!['’])", text)]


def _sought(facts: Facts) -> list[str]:
    """Return the people in the goal who are not here."""
    return _named(facts.goal, facts.people - {*facts.company, facts.me})


def _felt(facts: Facts) -> str:
    return f"I am {joined(facts.feeling)}" if facts.feeling else "I am well"


def _held(facts: Facts) -> str:
    return joined([several(noun) for noun in sorted(facts.held)])


def _states(facts: Facts) -> list[str]:
    """Return true clauses about the situation: what was done, what is held, who is here, what one feels."""
    social = facts.partner is not None
    found = [f"I {facts.last}"] * bool(facts.last and not social)
    useful = [noun for noun in facts.held if noun in f"{facts.goal} {facts.deed}"]
    found += [f"I hold {joined([several(noun) for noun in useful])}"] * bool(useful and not social)
    if not facts.company and facts.goal.partition(" ")[0] in _SOCIAL:
        found.append("I am alone here")
    elif social and 1 < len(facts.company) < 4:
        found.append(f"{joined(facts.company)} are here")
    for event in facts.events if social else ():
        if event.deed == "came" and event.actor != facts.partner:
            found.append(f"{event.actor} came {'out' if facts.place == 'outside' else 'in'}")
        elif event.deed == "left":
            went = "out" if event.other == "outside" else to(str(event.other), facts.me)
            found.append(f"{event.actor} went {went}")
    found += ["I was held back"] * (facts.wish not in ("", facts.deed))
    return [*found, _felt(facts)]


def _thoughts_of_a_deed(facts: Facts) -> list[str]:
    """Return thoughts about a deed that is no chat: as a step toward the goal, or before it."""
    i_do, want = f"I {facts.deed}", f"I want to {facts.goal}"
    states, then = _states(facts), [f"I {facts.last}. Now {want}."] * bool(facts.last)
    if facts.last and facts.last.split()[1:] == facts.goal.split()[1:]:
        return [f"I {facts.last}, so {i_do}.", f"I {facts.last}. Now {i_do}."]
    if not facts.goal:
        return [f"{state}, so {i_do}." for state in states]
    if facts.goal.startswith(facts.deed):
        free = [f"{state}, and now I can {facts.goal}." for state in states if not re.search("talked|held back", state)]
        return [*free[:-1], *then, f"{want}, and now I can.", *free[-1:]]
    ways = {who: facts.seen[who].replace("in ", "go to ", 1) for who in _sought(facts) if who in facts.seen}
    found = [who for who, way in ways.items() if facts.deed in (way, way.replace("outside", "go out"))]
    reasons = [f"{who} was {facts.seen[who]}, and {want}." for who in found]
    if facts.deed == "go out" and not facts.company and facts.goal.partition(" ")[0] in _SOCIAL:
        reasons += [f"Nobody is here, and {want}.", f"Nobody is here, so {i_do}."]
    if reasons or _serves(facts):
        return [f"{want}, so {i_do}.", *reasons, *(f"{state}, and {want}." for state in states), *then]
    return [
        f"{want}, but first {i_do}.",
        f"{i_do} now. After that {want}.",
        *(f"{state}. First {i_do}, and then {want}." for state in states[:1]),
    ]


def _serves(facts: Facts) -> bool:
    """Return whether the deed brings the goal nearer: it names what the goal names, or leaves a place for it."""
    goal, deed = ({word[:4] for word in re.findall(r"\w{3,}", text)} - _IDLE for text in (facts.goal, facts.deed))
    at_home = "at home" in facts.goal
    here = within(facts.place, facts.me) == "in my house" if at_home else "here" in facts.goal
    if facts.action is not None and facts.action.primitive in (Primitive.GO_TO, Primitive.LEAVE):
        leaves = facts.deed == "go out" and not here and not _named(facts.goal, facts.company)
        return leaves or bool(goal & deed or _sought(facts)) or (at_home and facts.deed == "go to my house")
    return bool(goal & deed) or (here and (at_home or not facts.deed.startswith(("rest", "sit"))))


def _thoughts_of_a_talk(facts: Facts, partner: str) -> list[str]:
    want, heard = f"I want to {facts.goal}", facts.unanswered(partner)
    if "?" in heard:
        asks = f"{partner} asks {_question(facts, heard)[0]}"
        return [f"{asks}. I answer {partner}.", f"{asks}, and I want to answer."]
    if heard:
        return [f"{partner} spoke to me, so I answer.", f"I heard what {partner} said, and I want to answer."]
    found, first = [], facts.goal.partition(" ")[0]
    if any(event.actor == partner and event.deed == "came" for event in facts.events):
        came = "out" if facts.place == "outside" else "in"
        found.append(f"{partner} came {came}, so I {'talk with' if facts.between(partner) else 'greet'} {partner}.")
    if not facts.goal:
        found.append(f"{partner} is here, so I talk with {partner}.")
    elif partner in _named(facts.goal, [partner]):
        found += [f"{want}, so I talk with {partner}.", f"{partner} is here, and {want}."]
    elif sought := _sought(facts):
        found += [f"{want}. {partner} may know where {sought[0]} is.", f"{want}, so I ask {partner}."]
    elif first in _SOCIAL:
        found += [f"{partner} is here, and {want}.", f"{want}, so I talk with {partner}."]
    else:
        found += [f"{want}, but first I talk with {partner}.", f"Before I {facts.goal}, I want to talk with {partner}."]
    if not facts.between(partner):
        found.append(f"I have not talked with {partner} yet, so I begin.")
    return [*found, *(f"{state}, and I want to talk with {partner}." for state in _states(facts))]


def _replies(facts: Facts, heard: str, partner: str) -> list[str]:
    """Return answers to what the partner said, from what the resident wants, knows, feels and did."""
    if "?" in heard:
        return _question(facts, heard)[1]
    heard = _in_own_words(facts, heard)
    for pattern, answer in _STATEMENTS:
        if re.search(pattern, heard, re.IGNORECASE):
            return answer(facts, heard)
    return ["I see.", "That is good to know."]


def _question(facts: Facts, heard: str) -> tuple[str, list[str]]:
    """Return what a question asks, as in "AY asks ...", and true answers."""
    heard = _in_own_words(facts, heard)
    last = next((one for one in reversed(SENTENCE.findall(heard)) if one.endswith("?")), heard)
    for pattern, asks, answer in _QUESTIONS:
        if re.search(pattern, last, re.IGNORECASE):
            who = next(iter(_named(last, facts.people - {facts.me})), "somebody")
            place = next((name for name in facts.visited if name in heard), "some place")
            return asks.format(who=who, place=place), answer(facts, heard)
    return "me something", ["I do not know.", "I cannot say."]


def _in_own_words(facts: Facts, heard: str) -> str:
    """Return what the partner said with its name for its "my", and "my" for "your"."""
    return possessive(of_its_own(heard, facts.partner, facts.me), facts.me, "my")


def _likings(facts: Facts) -> list[str]:
    words = (goal.partition(" ")[0] for goal in (*reversed(facts.past_goals), facts.goal))
    return list(dict.fromkeys(_LIKED[word] for word in words if word in _LIKED)) or ["to look around"]


def _likes(facts: Facts, asked: str) -> list[str]:
    likings = _likings(facts)
    both = [f"I like {likings[0]}, and I like {likings[1]}."] if len(likings) > 1 else []
    return [*(f"I like {liking}." for liking in likings[:2]), *both]


def _plan(facts: Facts, asked: str) -> list[str]:
    if not facts.goal:
        return ["I have no plans."]
    return [f"I want to {facts.goal}.", f"I would like to {facts.goal}."]


def _state(facts: Facts, asked: str) -> list[str]:
    did = bool(facts.last and not facts.last.startswith("talked"))
    why = [f"{_felt(facts)}. I was held back."] * bool(facts.wish) + [f"{_felt(facts)}. I {facts.last}."] * did
    return [f"{_felt(facts)}.", *why[:1], f"{_felt(facts)}. {_plan(facts, asked)[0]}"]


def _hunger(facts: Facts, asked: str) -> list[str]:
    if food := facts.held & {"food", "beefsteak"}:
        return [f"I have {several(min(food))} with me."]
    if facts.goal.startswith("eat "):
        return [f"Yes, I want to {facts.goal}."]
    eaten = any(goal.startswith("eat ") for goal in facts.past_goals)
    return ["No, I have eaten.", "I have eaten, thank you."] if eaten else ["No, I am not hungry."]


def _invited(facts: Facts, asked: str) -> list[str]:
    if str(facts.partner) in _named(facts.goal, facts.people):
        return ["Gladly. Where do you want to go?", "Gladly. What do you want to do?"]
    if any(place in facts.goal and place.removeprefix("the ") in asked for place in facts.visited):
        return ["Yes, I want to go there, too."]
    return [f"Thank you, but I want to {facts.goal}.", f"Not now. I want to {facts.goal} first."]


def _whereabouts(facts: Facts, asked: str) -> list[str]:
    found = []
    for who in _named(asked, facts.people - {facts.me, str(facts.partner)}):
        where = "here" if who in facts.company else facts.seen.get(who)
        found.append(f"I do not know where {who} is." if where is None else f"I think {who} is {where}.")
    return [text.replace("I think ", "") if text.endswith(" here.") else text for text in found] or ["I do not know."]


def _been(facts: Facts, asked: str) -> list[str]:
    for place, known in facts.visited.items():
        if place != "outside" and place.removeprefix("the ") in asked:
            yes = [f"Yes, I was in {place}.", f"Yes, I know {place}."]
            return yes if known else [f"No, I have not been in {place} yet.", "No, not yet."]
    return ["No, not yet."]


def _trouble(facts: Facts, asked: str) -> list[str]:
    if facts.wish:
        return [f"I wanted to {facts.wish}, but I was held back."]
    return ["I cannot say why I am unhappy."] if "unhappy" in facts.feeling else [f"Nothing is wrong. {_felt(facts)}."]


def _owner(facts: Facts, asked: str) -> list[str]:
    return ["It is mine."] if any(noun in asked for noun in facts.own) else ["I do not know whose it is."]


def _acquainted(facts: Facts, asked: str) -> list[str]:
    known = dict.fromkeys(name for line in facts.lines for name in (line.speaker, line.addressee))
    others = [name for name in known if name not in (facts.me, facts.partner) and facts.between(name)]
    return [f"I have talked with {joined(others)}."] if others else ["You are the first that I talk with."]


Answer = Callable[[Facts, str], list[str]]

_QUESTIONS: tuple[tuple[str, str, Answer], ...] = (
    (r"\bwhose\b", "whose it is", _owner),
    (r"\bmet so far\b|\bwhom? do you know\b", "whom I have met", _acquainted),
    (r"\bwhere is\b|\bknow where\b|\bhave you (?:seen|met)\b", "where {who} is", _whereabouts),
    (r"\bbeen\b", "whether I was in {place}", _been),
    (r"\bhungry\b|\beaten\b", "whether I am hungry", _hunger),
    (r"\bhow are you\b|\bdo you feel\b|\bare you (?:un)?happy\b", "how I am", _state),
    (r"\bwrong\b|\bhappened\b", "what happened", _trouble),
    (r"\bmay I look\b", "to look around", lambda facts, asked: ["Yes, do look around.", "Yes, of course."]),
    (r"\bmay I come\b", "to come in", lambda facts, asked: ["Yes, you are welcome.", "Yes, do come in."]),
    (r"\bcome\b|\bjoin\b|\balong\b|\bshall we\b|\blet us\b", "me to come along", _invited),
    (r"\bwould you like that\b", "whether I would like that", lambda facts, asked: ["Yes, thank you."]),
    (r"\bthink of\b", "what I think of it", lambda facts, asked: ["I like it.", "I have not thought about it yet."]),
    (r"\blike\b|^ ?And you\b", "what I like", _likes),
    (r"\btalk\b", "whether I want to talk", lambda facts, asked: ["Yes, I would like to talk."]),
    (r"\bwhere (?:do|will|are) you\b", "where I am going", _plan),
    (r"\bwant\b|\bdo(?:ing)?\b|\bplan\b", "what I want to do", _plan),
)
"""Pattern of a question -> what it asks, and how it is answered."""

_STATEMENTS: tuple[tuple[str, Answer], ...] = (
    (r"\bunhappy\b|\bheld back\b", lambda facts, said: ["I am sorry to hear that.", "I hope it gets better."]),
    (r"\blook for\b|\bnot know where\b", _whereabouts),
    (r"\b(?:know|meet|talk with) (?:you|me)\b", lambda facts, said: ["I am glad of that.", "That is good to hear."]),
    (r"\bI like\b", lambda facts, said: [f"I see. I like {liking}." for liking in _likings(facts)[:3]]),
    (r"\bI (?:want|would like)\b", lambda facts, said: [f"I see. {plan}" for plan in _plan(facts, said)]),
    (r"\bthank\b", lambda facts, said: ["You are welcome."]),
)


def _errand(facts: Facts, partner: str) -> list[str]:
    """Return what the goal needs of the partner: to be told where somebody is, whose a thing is, to be let in."""
    goal, first, plan = facts.goal, facts.goal.partition(" ")[0], _to_you(_plan(facts, "")[0], partner)
    place = next((place for place in facts.visited if place != "outside" and place in goal), "")
    if sought := _sought(facts):
        known = sought[0] in facts.seen
        return [*([] if known else [f"{plan} Do you know where {sought[0]} is?"]), f"{plan} Have you seen {sought[0]}?"]
    if first == "ask" and (thing := re.search(r"whose (.+?) it is", goal)):
        return [f"Do you know whose {thing[1]} it is?"]
    if first in ("ask", "talk") and (about := re.search(r"about (.+)", goal)):
        return [f"What do you think of {_to_you(about[1], partner)}?"]
    if "here" in goal and owner(facts.place) == partner:
        return [f"{plan} May I look around?"]
    if place and first in ("see", "go"):
        return [f"{plan} {'May I come in?' if partner in place else 'Have you been there?'}"]
    return [f"{plan} Would you like that?"] if first in ("give", "share") and partner in goal else []


def _questions(facts: Facts, partner: str) -> list[str]:
    """Return what one may ask anybody, other questions first from person to person and from step to step."""
    plan = _to_you(_plan(facts, "")[0], partner)
    asking = ["What do you like to do?", "What do you want to do today?", "How are you?", "Whom have you met so far?"]
    public = [place for place in facts.visited if place.startswith("the ") and within(facts.place) != f"in {place}"]
    asking += [f"Have you been in {place}?" for place in public]
    begin = (facts.time + sum(map(ord, facts.me + partner))) % len(asking)
    asking = [*asking[begin:], *asking[:begin]]
    return [f"{plan} {asking[0]}", *asking, f"{_felt(facts)} today. How are you?"]


def _small_talk(facts: Facts, partner: str) -> list[str]:
    """Return what is left to tell somebody who was asked much: what one did, holds and knows."""
    found = [f"I {facts.last}."] * bool(facts.last and not facts.last.startswith("talked"))
    found += [f"I wanted to {facts.wish}, but I was held back."] * bool(
        facts.wish and not facts.wish.startswith("talk")
    )
    found += [f"I have {_held(facts)} with me."] * bool(facts.held)
    found += [f"I think {who} is {where}." for who, where in facts.seen.items() if who in facts.people - {partner}]
    found += [f"There is {several(noun)} {where}." for noun, where in facts.seen.items() if noun in _WORTH_TELLING]
    return [*found, f"It is good to talk with {partner}.", f"I am glad that {partner} is here."]
