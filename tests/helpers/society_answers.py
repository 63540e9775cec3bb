"""What a large model might answer the residents of a society."""

import json

from language_models.scripted import object_by_rule
from ltrha.order_ranker import tie_all


def answer(body):
    prompt = body["messages"][-1]["content"]
    if "response_format" in body:
        schema = body["response_format"]["json_schema"]["schema"]
        if "order" in schema["properties"]:
            return tie_all(prompt)
        return json.dumps(object_by_rule(schema, lambda count, where: 0, lambda where: f"I wonder about {where}."))
    if prompt.endswith("There may be"):
        return "Rows of shelves with books, and a few quiet tables for reading."
    words = "\nWords: Good day, neighbour." if "talk with" in prompt.rpartition("You are about to:")[2] else ""
    return f"Thought: I wonder who lives here.{words}"
