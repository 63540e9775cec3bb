import re

import pytest

from language_models.grammar import compile_grammar

THOUGHT = r"""
# A thought, then a line of speech or nothing.
root   ::= thought "\n" speech
thought ::= "I " [a-z ,']+ "."
speech ::= ("\"" [^"\n]{1,40} "\"" | "(silent)")
"""


@pytest.mark.parametrize(
    ("grammar", "text", "matches"),
    [
        (THOUGHT, 'I wonder about it.\n"Hello, Ada!"', True),
        (THOUGHT, "I wonder about it.\n(silent)", True),
        (THOUGHT, "I wonder about it.", False),
        (THOUGHT, 'I wonder about it.\n""', False),
        (r'root ::= "a"* "b"? [0-9]{2}', "aaab42", True),
        (r'root ::= "a"* "b"? [0-9]{2}', "b4", False),
        (r'root ::= "ab"+', "abab", True),
        (r'root ::= "ab"+', "abb", False),
        (r'root ::= "\x41\u00e9" [\]\\^-]', "Aé]", True),
        (r'root ::= "\x41\u00e9" [\]\\^-]', "Aé-", True),
        (r"root ::= [^\n]+ .", "one\n", True),
        (r"root ::= [a\-z]", "m", False),
        ('root ::= "yes" |\n "no"\n', "no", True),
        ('root ::= "a.b"', "axb", False),
    ],
)
def test_the_texts_a_grammar_allows(grammar: str, text: str, matches: bool) -> None:
    assert (compile_grammar(grammar).fullmatch(text) is not None) is matches


@pytest.mark.parametrize(
    ("grammar", "message"),
    [
        ("", "a grammar is a list of rules"),
        ('answer ::= "a"', "a rule named root, got rules ['answer']"),
        ("root ::= speech", "names rule 'speech', which it does not define"),
        ('root ::= "a" root', "rule 'root' refers to itself"),
        ('root ::= ("a"', "parentheses do not match in rule 'root'"),
        ('root ::= "a")', "parentheses do not match in rule 'root'"),
        ('root ::= "a', "not GBNF at '\"a', character 9"),
        ("root ::= []", "an empty character set"),
    ],
)
def test_what_is_no_grammar(grammar: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        compile_grammar(grammar)
