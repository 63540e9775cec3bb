import re

import pytest
from asking import generate, use
from stand_in import Server

from language_models.embedders.openai_embedder import OpenAIEmbedder
from language_models.protocol import ModelUnavailable
from language_models.registry import describe_model, find_embedder, find_model
from language_models.remote.address import check_address, find_key
from language_models.remote.openai_compatible import OpenAICompatible

OPENAI, OTHER = "https://api.openai.com/v1", "http://host/v1"


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in (("OPENAI_API_KEY", "of OpenAI"), ("IROLLAN_API_KEY", "of all others")):
        monkeypatch.setenv(variable, value)


@pytest.mark.parametrize(
    ("url", "variable"),
    [
        (OPENAI, "OPENAI_API_KEY"),
        ("https://API.OpenAI.com:443/v1", "OPENAI_API_KEY"),
        ("http://api.openai.com/v1", "IROLLAN_API_KEY"),
        ("https://api.openai.com.example.org/v1", "IROLLAN_API_KEY"),
        ("https://example.org/api.openai.com/v1", "IROLLAN_API_KEY"),
        ("http://127.0.0.1:8000/v1", "IROLLAN_API_KEY"),
    ],
)
def test_the_key_of_openai_is_for_openai_alone(url: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    key = {"OPENAI_API_KEY": "of OpenAI", "IROLLAN_API_KEY": "of all others"}[variable]
    assert find_key(url) == (variable, key)
    assert find_key(url, given="") == ("IROLLAN_API_KEY", "")
    monkeypatch.delenv("IROLLAN_API_KEY")
    assert find_key(url).value == (key if variable == "OPENAI_API_KEY" else "")
    monkeypatch.delenv("OPENAI_API_KEY")
    assert find_key(url) == ("IROLLAN_API_KEY", "")


@pytest.mark.parametrize("kind", [OpenAICompatible, OpenAIEmbedder])
def test_a_variable_that_is_not_set(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTHER_API_KEY", raising=False)
    message = f"variable OTHER_API_KEY, which key_variable names for {OTHER}, is"
    with pytest.raises(ValueError, match=message):
        kind(OTHER, key_variable="OTHER_API_KEY")
    monkeypatch.setenv("OTHER_API_KEY", "")
    with pytest.raises(ValueError, match=message):
        kind(OTHER, key_variable="OTHER_API_KEY")
    with pytest.raises(ValueError, match="must be the name of an environment variable") as error:
        kind(OTHER, key_variable="sk-secret")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "IROLLAN_API_KEY", "OTHER_API_KEY"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (" \tabc\r\n", ""),
        ("  \n", "holds nothing but blanks; put the key there, or leave it empty for none"),
        ("sk-secret\nsk-other", "cannot hold a key: character 10 of 18 is none that is printed, or beyond ASCII"),
        ("sk-sec\x7fret", "character 7 of 10"),
        ("\u201csk-secret\u201d", "character 1 of 11"),
    ],
)
def test_what_can_be_a_key_and_what_cannot(
    variable: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key is taken without the blanks around it, and no error shows it."""
    url = OPENAI if variable == "OPENAI_API_KEY" else OTHER
    monkeypatch.setenv(variable, value)
    named = {"key_variable": variable} if variable == "OTHER_API_KEY" else {}
    if not message:
        assert find_key(url, named.get("key_variable")) == (variable, "abc")
        return
    for kind in (OpenAICompatible, OpenAIEmbedder):
        with pytest.raises(ValueError, match=f"^the environment variable {variable} .*{re.escape(message)}") as error:
            kind(url, **named)
        assert "sec" not in str(error.value)
    with pytest.raises(ValueError, match=re.escape(message)):
        find_key(url, given=value)
    # Whoever replays a run needs none.
    assert describe_model(f"openai:{url}#small").recorded_name == f"openai:{url}#small"


LABEL = "between the dots of a host must have 1 to 63 characters"
FORM = "must look like http://127.0.0.1:8000/v1"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("localhost:8000", f"{FORM}, got 'localhost:8000'"),
        ("http://", FORM),
        ("http://host/v1?key=1", "must end before any ?"),
        ("http://a..b/v1", LABEL),
        (f"http://{'a' * 64}.example/v1", LABEL),
        ("http://.example/v1", LABEL),
        ("http://host:99999/v1", "got 'http://host:99999/v1': Port out of range 0-65535"),
        ("http://host:0/v1", "with a port from 1 to 65535, got 'http://host:0/v1'"),
        ("http://host:http/v1", "got 'http://host:http/v1': Port could not be cast to integer"),
        ("http://[::1/v1", "got 'http://[::1/v1': Invalid IPv6 URL"),
        ("http://me:secret@host:99999/v1", "must hold no password; put the key into IROLLAN_API_KEY"),
        ("http://ho st/v1", "without blanks and ends of lines, got 'http://ho st/v1'"),
        ("http://host/v1\n", "without blanks and ends of lines, got 'http://host/v1\\n'"),
        ("http://ho\x00st/v1", "without blanks and ends of lines"),
    ],
)
def test_what_is_no_address_is_told_before_anything_is_sent(url: str, message: str) -> None:
    for resolve in (find_model, find_embedder):
        with pytest.raises(ValueError, match=f"^the address .*{re.escape(message)}") as error:
            resolve(f"openai:{url}#small")
        assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8000/v1", "http://[::1]:8000/v1", "https://host./v1", "http://my_host:1", "http://bü.ex"]
)
def test_addresses(url: str) -> None:
    check_address(url)


@pytest.mark.parametrize("url", ["http://\u2024a/v1", "http://a\\b/v1"])
def test_an_address_that_turns_out_to_be_none_is_not_asked_again(url: str) -> None:
    with pytest.raises(ModelUnavailable, match=r"is no address that can be asked: .*; correct it") as error:
        use(Server(url=url), generate, backoff=30)
    assert error.value.usage.retries == 0
