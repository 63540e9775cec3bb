import pytest

from language_models.address import find_key
from language_models.openai_compatible import OpenAICompatible
from language_models.openai_embedder import OpenAIEmbedder

OPENAI = "https://api.openai.com/v1"


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of OpenAI")
    monkeypatch.setenv("IROLLAN_API_KEY", "of all others")


@pytest.mark.parametrize(
    ("url", "key"),
    [
        (OPENAI, ("OPENAI_API_KEY", "of OpenAI")),
        ("https://API.OpenAI.com:443/v1", ("OPENAI_API_KEY", "of OpenAI")),
        ("http://api.openai.com/v1", ("IROLLAN_API_KEY", "of all others")),
        ("https://api.openai.com.example.org/v1", ("IROLLAN_API_KEY", "of all others")),
        ("https://example.org/api.openai.com/v1", ("IROLLAN_API_KEY", "of all others")),
        ("http://127.0.0.1:8000/v1", ("IROLLAN_API_KEY", "of all others")),
    ],
)
def test_the_key_of_openai_is_for_openai_alone(url: str, key: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_key(url) == key
    assert find_key(url, given="") == ("IROLLAN_API_KEY", "")
    monkeypatch.delenv("IROLLAN_API_KEY")
    assert find_key(url).value == (key[1] if key[0] == "OPENAI_API_KEY" else "")
    monkeypatch.delenv("OPENAI_API_KEY")
    assert find_key(url) == ("IROLLAN_API_KEY", "")


def test_a_variable_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_API_KEY", "other")
    assert find_key(OPENAI, "OTHER_API_KEY") == ("OTHER_API_KEY", "other")


@pytest.mark.parametrize("kind", [OpenAICompatible, OpenAIEmbedder])
def test_a_variable_that_is_not_set(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    for value in (None, ""):
        monkeypatch.delenv("OTHER_API_KEY", raising=False)
        if value is not None:
            monkeypatch.setenv("OTHER_API_KEY", value)
        with pytest.raises(
            ValueError, match=r"variable OTHER_API_KEY, which key_variable names for http://host/v1, is"
        ):
            kind("http://host/v1", key_variable="OTHER_API_KEY")
    with pytest.raises(ValueError, match="must be the name of an environment variable") as error:
        kind("http://host/v1", key_variable="sk-secret")
    assert "secret" not in str(error.value)
