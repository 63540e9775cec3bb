import json
import re

import pytest
from mind_schema import GOOD, RANKING, SCHEMA, TIES

from language_models.grammar import compile_grammar
from language_models.grammar_sampling import sample_grammar
from language_models.json_answers import read_object, write_object
from language_models.json_grammar import grammar_of


def test_the_grammar_allows_the_objects_of_the_schema_as_they_are_written() -> None:
    allowed = compile_grammar(grammar_of(SCHEMA))
    assert allowed.fullmatch(write_object(GOOD))
    assert allowed.fullmatch(write_object({**GOOD, "plan": [], "words": 'She said: "Go!" \\ \n é'}))
    for changes in ({"action": 24}, {"thought": ""}, {"plan": ["a"] * 4}, {"goal": "a" * 161}, {"goal_is": "x"}):
        assert not allowed.fullmatch(write_object({**GOOD, **changes})), changes
    assert not allowed.fullmatch(json.dumps(dict(reversed(GOOD.items()))))


@pytest.mark.parametrize("schema", [SCHEMA, {**SCHEMA, "required": []}, TIES])
def test_what_the_grammar_allows_is_an_object_of_the_schema(schema: dict) -> None:
    for seed in range(50):
        read_object(sample_grammar(grammar_of(schema), seed), schema)


def test_a_ranking_is_held_but_for_whether_items_differ() -> None:
    allowed = compile_grammar(grammar_of(RANKING))
    assert allowed.fullmatch('{"order": ["WL", "LL", "MD", "AY"]}')
    assert allowed.fullmatch('{"order": ["WL", "WL", "WL", "WL"]}')
    assert not allowed.fullmatch('{"order": ["WL", "LL", "MD"]}')


def test_arrays_and_numbers_of_all_bounds() -> None:
    def holds(text: str, **form: object) -> bool:
        schema = {"properties": {"a": form}}
        return compile_grammar(grammar_of(schema)).fullmatch(f'{{"a": {text}}}') is not None

    items = {"type": "string", "maxLength": 1}
    for least, most in ((0, 0), (0, 1), (0, 3), (1, 1), (2, 2), (1, 3), (2, None)):
        bounds = {"minItems": least, **({} if most is None else {"maxItems": most})}
        for count in range(5):
            expected = least <= count <= (count if most is None else most)
            assert holds(json.dumps(["x"] * count), type="array", items=items, **bounds) == expected, (
                least,
                most,
                count,
            )
    assert holds("-2", type="integer", minimum=-3, maximum=3)
    assert holds("5", type="integer", enum=[5, 9])
    assert not holds("6", type="integer", enum=[5, 9])
    assert holds('"a \\"b\\""', type="string", enum=['a "b"'])
    with pytest.raises(ValueError, match=re.escape("at most 1000, got 1 to 5000")):
        holds("1", type="integer", minimum=1, maximum=5000)
