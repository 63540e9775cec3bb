"""Generators as JSON-ready data."""

import numpy as np
import pytest

from irollan_env.random_streams import generator_state, restored_generator


def test_a_generator_goes_on_where_it_was():
    generator = np.random.default_rng(3)
    generator.integers(10, dtype=np.uint32)
    twin = restored_generator(generator_state(generator))
    assert twin.bit_generator.state == generator.bit_generator.state


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("state", 1.9),
        ("state", "1.9"),
        ("state", "\u0663"),  # three, in Arabic digits
        ("state", " 7"),
        ("state", "1_0"),
        ("state", "-1"),
        ("state", str(2**128)),
        ("increment", "4"),  # a PCG64's increment is odd
        ("increment", None),
        ("has_uint32", 2),
        ("has_uint32", True),
        ("uinteger", 2**32),
        ("uinteger", 1.0),
    ],
)
def test_what_was_never_saved_is_refused(key, value):
    saved = {**generator_state(np.random.default_rng(0)), key: value}
    with pytest.raises(ValueError, match=r"state.generator must be that of a PCG64 generator"):
        restored_generator(saved)
