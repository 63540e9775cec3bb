import pytest

from evaluation.architectures import ARCHITECTURES, get_architecture
from itcma_s.mechanisms import Mechanisms


def test_the_papers_five_differ_exactly_where_they_should():
    def switches(name):
        architecture = get_architecture(name)
        mechanisms = architecture.mechanisms
        return mechanisms.compressed_memory, mechanisms.driver, mechanisms.elimination, architecture.ltrha

    assert {name: switches(name) for name in ARCHITECTURES} == {
        "itcma": (False, False, False, False),
        "ltrha": (False, False, False, True),
        "compressed-memory": (True, False, False, False),
        "driver": (False, True, False, False),
        "itcma-s": (True, True, True, True),
    }
    assert get_architecture("itcma-s").mechanisms == Mechanisms()


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("itcm", "; did you mean 'itcma'?"),
        ("ITCMA-S", "; did you mean 'itcma-s'?"),
        ("compressed memory", "; did you mean 'compressed-memory'?"),
        ("gpt", ", itcma-s"),
    ],
)
def test_an_unknown_name(name, ending):
    with pytest.raises(ValueError, match="it must be one of itcma, ltrha, compressed-memory, driver") as caught:
        get_architecture(name)
    assert str(caught.value).endswith(ending)
