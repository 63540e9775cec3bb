"""Records of a run that never was, which read as if it had been."""

import numpy as np

SIX = ("AY", "SG", "MD", "WL", "LL", "WM")
SHARED = ("Public Canteen", "Public Reading Room", "outside")
PLACES = (*(f"{name}'s Home" for name in SIX), *SHARED)
GAIN = {"LL": 0.9, "SG": 0.7, "WM": 0.6, "AY": 0.2, "WL": -0.8, "MD": -0.7}
LINES = (
    "have you seen the 10 dollar on the table? i wonder who left it there.",
    "shall we go to the reading room together and look at it closely?",
    "thank you for the clothes, they are still a little damp.",
    "i found a book about coins. it says the marks are old.",
    "come and eat with us, there is enough beefsteak for everyone.",
)


def synthetic_run(steps=75, seed=5, *, ltrha=True, elimination=True):
    """Records, metrics and usage of a made-up run."""
    rng = np.random.default_rng(seed)
    place = {name: f"{name}'s Home" for name in SIX}
    resources = dict.fromkeys(SIX, 1.0)
    state = {name: np.zeros(3) for name in SIX}
    driver = dict.fromkeys(SIX, 0.0)
    records, metrics, heard = [], [], {name: [] for name in SIX}
    topics = dict.fromkeys(PLACES, 0.0)
    for time in range(steps):
        said = {name: [] for name in SIX}
        here_at = dict(place)
        for name in SIX:
            here = here_at[name]
            company = [other for other in SIX if other != name and here_at[other] == here]
            target = np.array([1.6 + GAIN[name], 0.8 + 0.3 * len(company), 0.25 + 0.2 * GAIN[name]])
            state[name] = 0.85 * state[name] + 0.15 * target + rng.normal(0, 0.12, 3)
            pleasure, arousal, dominance = (float(value) for value in np.tanh(state[name]))
            driver[name] = 0.9 * driver[name] + 0.25 * (0.4 * pleasure + 0.3 * arousal + 0.3 * dominance)
            social = GAIN[name] > 0 and company and rng.random() < 0.6
            if social:
                weights = np.array([2.0 + GAIN[other] for other in company])
                other = str(rng.choice(company, p=weights / weights.sum()))
                line = LINES[int(rng.integers(len(LINES)))]
                action = f'chat with {other}: "{other}, {line}"'
            elif rng.random() < (0.45 if GAIN[name] > 0 else 0.15):
                goal_place = "LL's Home" if time < 40 else "Public Reading Room"
                target_place = goal_place if GAIN[name] > 0 and here == "outside" else str(rng.choice(PLACES[:-1]))
                action = f"go to {target_place if here == 'outside' else 'outside'}"
            elif company and rng.random() < 0.2:
                action = f"put food {int(rng.integers(1, 9))} in/on {company[0]}"
            else:
                action = str(
                    rng.choice(["use bed 2", "use chair 4", "take book 3 from bookshelf 3", "use sinkbasin 1"])
                )
            rate = 0.5 + 0.5 / (1 + np.exp(-resources[name]))
            draw = rng.random()
            became = "filtered" if ltrha and draw > rate else "executed"
            if became == "executed" and rng.random() < 0.03:
                became = "inadmissible"
            failure = None
            if rng.random() < 0.008:
                became, failure, action = "failed", "the model gave no answer within 60 s", None
            admissible = ["go to outside", "use bed 2", "use chair 4", "take book 3 from bookshelf 3", "use table 2"]
            admissible += [f"chat with {other}: ..." for other in company]
            scores = {one: round(float(rng.uniform(1, 5)), 2) for one in admissible}
            records.append(
                {
                    "time": time,
                    "resident": name,
                    "place": here,
                    "observation": f"You are in {here}. Looking around you, you see "
                    + "".join(f"a person named {other} who is moving, " for other in company)
                    + "a door to outside, the table 2, the table 3, the chair 4, the bed 2, the bookshelf 3, and the "
                    "book 3 placed on the bookshelf 3. You are holding the food 12. You are moving.",
                    "percepts": [],
                    "messages": heard[name],
                    "events": [],
                    "goal": "find out who left the 10 dollar, together with the others"
                    if GAIN[name] > 0
                    else "have a quiet day and read",
                    "admissible": admissible,
                    "relevance": scores if elimination else None,
                    "protention": {
                        one: f"You are in {here} and you did: {one}." for one in admissible if scores[one] >= 3
                    },
                    "thought": "after looking around, i noticed that the others were still busy with the bill on the "
                    "table. i wondered whether to join them, and what they would say if i told them what i had found "
                    "on the bookshelf this morning."
                    if failure is None
                    else "",
                    "action": action,
                    "outcome": became,
                    "result": {
                        "executed": "You did it.",
                        "filtered": "",
                        "inadmissible": "Nothing happens. There is no such thing here.",
                        "failed": "",
                    }[became],
                    "failure": failure,
                    "pleasure": pleasure,
                    "arousal": arousal,
                    "dominance": dominance,
                    "driver": driver[name],
                    "resources": resources[name] if ltrha else None,
                    "topic": topics[here] if ltrha else None,
                    "memories": [3, 8] if time > 10 else [],
                    "calls": [time * 20 + SIX.index(name)],
                    "explanation": {"met " + company[0]: 0.31, "answered": 0.22, "filtered": -0.4}
                    if company
                    else {"alone": -0.05},
                }
            )
            if became == "executed" and action.startswith("go to "):
                place[name] = action.removeprefix("go to ")
            if became == "executed" and action.startswith("chat with "):
                for listener in company:
                    said[listener].append(
                        {"time": time, "sender": name, "addressee": other, "text": f"{other}, {line}"}
                    )
            for quantity, value in (
                ("pleasure", pleasure),
                ("arousal", arousal),
                ("dominance", dominance),
                ("driver", driver[name]),
            ):
                metrics.append({"time": time, "subject": name, "quantity": quantity, "value": value})
        heard = said
        if ltrha:
            for one in PLACES:
                felt = [np.tanh(state[name]) for name in SIX if place[name] == one]
                topics[one] = float(np.mean([p * (a + 1) / 2 for p, a, _ in felt])) if felt else 0.0
                metrics.append({"time": time, "subject": one, "quantity": "topic", "value": topics[one]})
                metrics.append({"time": time, "subject": one, "quantity": "people", "value": float(len(felt))})
            order = sorted(SIX, key=lambda name: -GAIN[name] + rng.normal(0, 0.9))
            for name, change in zip(order, (3, 2, 1, -1, -2, -3), strict=True):
                resources[name] += change
                metrics.append({"time": time, "subject": name, "quantity": "resources", "value": resources[name]})
    usage = [
        {
            "module": module,
            "calls": calls * steps,
            "prompt_tokens": prompt * steps,
            "cached_tokens": cached * steps,
            "generated_tokens": generated * steps,
            "seconds": seconds * steps,
            "waiting": seconds * steps / 4,
            "retries": failures,
            "failures": failures,
            "refusals": 0,
        }
        for module, calls, prompt, cached, generated, seconds, failures in (
            ("elimination", 2, 380, 300, 40, 0.4, 0),
            ("goal", 1, 210, 150, 14, 0.2, 0),
            ("protention", 3, 640, 500, 90, 0.9, 1),
            ("action", 6, 2600, 2100, 230, 3.1, 3),
            ("matrix", 1, 410, 160, 6, 0.3, 0),
        )
    ]
    return records, metrics, usage


def manifest(steps=75):
    """What a run directory says about itself."""
    effective = {
        "architecture": "itcma-s",
        "steps": steps,
        "seed": 5,
        "model": {"name": "SmolLM2-135M-Instruct Q4_1", "embedder": "all-MiniLM-L6-v2", "serving": "exact"},
        "ltrha": {"resource_mode": "amount"},
    }
    return {
        "seconds": 412.6,
        "started": "2026-11-21T21:04:00+00:00",
        "configuration": {"given": {"seed": 5}, "effective": effective},
        "versions": {"irollan-valley": "0.1.0", "python": "3.11.2"},
    }
