import ast

import pytest

from benchmarks.mutation.equations import TESTS
from benchmarks.mutation.mutants import mutants


def changes(source):
    return [(mutant.line, mutant.change) for mutant in mutants(source)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("T = 0.85", [(1, "0.85  ->  1.85")]),
        ("x = a - 1", [(1, "a - 1  ->  a + 1"), (1, "1  ->  2")]),
        ("x = a and not b", [(1, "a and (not b)  ->  a or not b"), (1, "not b  ->  not not b")]),
        ("x = a < b", [(1, "a < b  ->  a <= b"), (1, "a < b  ->  a >= b")]),
        ("x = a is None", [(1, "a is None  ->  a is not None")]),
        ("x = min(a, b)", [(1, "min(a, b)  ->  max(a, b)")]),
        ("x = abs(a)", [(1, "abs(a)  ->  float(a)")]),
        ("x = np.argmax(a)", [(1, "np.argmax(a)  ->  np.argmin(a)")]),
        ("x = -a", [(1, "-a  ->  +a")]),
        ("wrap: bool = False", [(1, "False  ->  True")]),
        ("def f(x: float, y: float = 2.0):\n    return x", [(1, "2.0  ->  3.0"), (2, "x  ->  y")]),
        ("def f(x: float, y: int):\n    return x", []),
        ("def f(w):\n    return w.a @ w.b", [(2, "w.a  ->  w.b"), (2, "w.b  ->  w.a")]),
        ("def f():\n    a = b()\n    return a\n    c = b()", []),
        ("def f():\n    a = b()\n    c = b()\n    return a", [(4, "a  ->  c")]),
    ],
)
def test_what_is_changed(source, expected):
    assert changes(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        '"""A text of 1 < 2."""',
        "if a < 1:\n    raise ValueError(1 + 2)",
        "x: Literal[1]",
        "def get_state(self):\n    return 1 + 2",
        "@cache(maxsize=2)\ndef f(): ...",
        'x = check_range("need", need, 0.0, 1.0, "use it")',
    ],
)
def test_what_is_left_alone(source):
    assert changes(source) == []


def test_each_mutant_has_one_change_and_leaves_the_others_alone():
    source = "x = 1 + 2\ny = 3"
    found = list(mutants(source))
    assert [mutant.number for mutant in found] == [0, 1, 2, 3]
    assert [ast.unparse(mutant.tree) for mutant in found] == [
        "x = 1 - 2\ny = 3",
        "x = 2 + 2\ny = 3",
        "x = 1 + 3\ny = 3",
        "x = 1 + 2\ny = 4",
    ]


@pytest.mark.parametrize("file", TESTS)
def test_every_file_of_equations_is_there_with_its_tests(file):
    from project import ROOT

    assert (ROOT / file).is_file()
    assert all((ROOT / test).is_file() for test in TESTS[file])
