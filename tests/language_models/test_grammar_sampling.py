import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from language_models.grammar import compile_grammar
from language_models.grammar_sampling import sample_grammar

PAGE = r"""
root ::= "MD: \"" sentence (" " sentence)? "\"\nMD thought: I want to know" (", so" | " and") rest "." "\n"
sentence ::= [A-Z] [a-z' ,]{10,60} [.?!]
rest ::= (" " word){2,6}
word ::= [a-z]+
"""
FORMS = (
    PAGE,
    r'root ::= "yes" | "no" | [0-9]{4}',
    r'root ::= ("a" | ("b" | "c")* "d")+ .?',
    r'root ::= [^"\n]{1,40}',
    r"root ::= [xyz]{3} [b-d]* [a-z]{2} [a-z]{30,}",
    r'root ::= line{2,} "end"' + '\nline ::= "- " [^\\n]+ "\\n"',
)


@pytest.mark.parametrize("grammar", FORMS)
@settings(max_examples=20)
@given(seed=st.integers(0, 10_000))
def test_a_sample_obeys_its_grammar(grammar: str, seed: int) -> None:
    text = sample_grammar(grammar, "prompt", seed)
    assert compile_grammar(grammar).fullmatch(text)
    assert text == sample_grammar(grammar, "prompt", seed)


def test_samples_differ_and_are_made_of_words() -> None:
    texts = {sample_grammar(PAGE, "prompt", seed) for seed in range(30)}
    assert len(texts) > 20
    assert "MD thought: I want to know" in min(texts)


def test_what_cannot_be_sampled() -> None:
    with pytest.raises(ValueError, match="rule 'root' refers to itself"):
        sample_grammar('root ::= "a" root')
    with pytest.raises(ValueError, match="holds none of the characters"):
        sample_grammar(r"root ::= [\u0416]")
