"""A JSON schema like those that a mind asks by."""

SCHEMA = {
    "type": "object",
    "properties": {
        "thought": {"type": "string", "minLength": 1, "maxLength": 600},
        "goal_is": {"type": "string", "enum": ["kept", "changed", "reached"]},
        "goal": {"type": "string", "maxLength": 160},
        "plan": {"type": "array", "items": {"type": "string", "maxLength": 120}, "maxItems": 3},
        "action": {"type": "integer", "minimum": 1, "maximum": 23},
        "words": {"type": "string", "maxLength": 400},
    },
    "required": ["thought", "goal_is", "goal", "plan", "action", "words"],
    "additionalProperties": False,
}

GOOD = {
    "thought": "I promised MD to come to the canteen.",
    "goal_is": "kept",
    "goal": "see MD",
    "plan": ["go to the canteen"],
    "action": 7,
    "words": "",
}

RANKING = {
    "type": "object",
    "properties": {
        "order": {
            "type": "array",
            "items": {"type": "string", "enum": ["LL", "MD", "WL", "AY"]},
            "minItems": 4,
            "maxItems": 4,
            "uniqueItems": True,
        }
    },
    "required": ["order"],
    "additionalProperties": False,
}

TIES = {
    "type": "object",
    "properties": {
        "order": {
            "type": "array",
            "items": {"type": "array", "items": {"type": "string", "enum": ["LL", "MD"]}, "minItems": 1, "maxItems": 2},
            "minItems": 1,
            "maxItems": 2,
        }
    },
    "required": ["order"],
    "additionalProperties": False,
}
