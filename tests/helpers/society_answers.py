"""What a large model might answer the residents of a society."""

from __future__ import annotations

import json
from typing import Any


def answer(body: dict[str, Any]) -> str:
    prompt = body["messages"][-1]["content"]
    if "response_format" in body:
        schema = body["response_format"]["json_schema"]["schema"]
        return json.dumps({"choice": schema["properties"]["choice"]["enum"][0]})
    if prompt.endswith("There may be"):
        return "Rows of shelves with books, and a few quiet tables for reading."
    words = "\nWords: Good day, neighbour." if "talk with" in prompt.rpartition("You are about to:")[2] else ""
    return f"Thought: I wonder who lives here.{words}"
