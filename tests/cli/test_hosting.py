"""What a server is told that others use, too: options, the environment, and what neither may say."""

from pathlib import Path

import pytest

from fairviz.cli import app
from fairviz.errors import UsageError
from tests.cli.parsers import parser_of


def told(*words: str) -> dict[str, str]:
    return app.server_variables(parser_of("app").parse_args(words))


@pytest.fixture(autouse=True)
def _nothing_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for option in app.OPTIONS:
        monkeypatch.delenv(option.variable, raising=False)


def test_a_personal_machine_is_told_nothing() -> None:
    assert told() == {}


def test_options_come_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRVIZ_BASE_PATH", "lab/")
    monkeypatch.setenv("FAIRVIZ_EMBED_FROM", "https://A.example, http://localhost:8888/")
    assert told() == {
        "FAIRVIZ_BASE_PATH": "/lab",
        "STREAMLIT_SERVER_BASE_URL_PATH": "/lab",
        "FAIRVIZ_EMBED_FROM": "https://a.example,http://localhost:8888",
    }
    monkeypatch.setenv("FAIRVIZ_MAX_UPLOAD", "20")
    assert told()["STREAMLIT_SERVER_MAX_UPLOAD_SIZE"] == "20"
    said = told("--base-path", "/fairviz", "--embed-from", "https://b.example:444", "--embed-from", "https://c.example")
    assert said["STREAMLIT_SERVER_BASE_URL_PATH"] == "/fairviz"
    assert said["FAIRVIZ_EMBED_FROM"] == "https://b.example:444,https://c.example"


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("--embed-from", "moodle.example", "expected https://NAME"),
        ("--embed-from", "https://moodle.example/course", "without a path"),
        ("--embed-from", "*", "expected https://NAME"),
        ("--embed-from", "https://a.example; script-src *", "expected https://NAME"),
        ("--base-path", "/", "expected a path such as /fairviz"),
        ("--base-path", "/a/../b", "expected a path such as /fairviz"),
        ("--base-path", "/a'b", "expected a path such as /fairviz"),
        ("--max-upload", "1 GB", "expected a whole number from 1 to 512"),
        ("--max-upload", "513", "expected a whole number from 1 to 512"),
        ("--session-memory", "0", "expected a whole number from 1 on"),
    ],
)
def test_what_an_option_cannot_take_is_one_line(
    monkeypatch: pytest.MonkeyPatch, option: str, value: str, reason: str
) -> None:
    with pytest.raises(UsageError) as refused:
        told(option, value)
    assert str(refused.value).startswith(f"{option} {value}: ")
    assert reason in str(refused.value)
    variable = next(one.variable for one in app.OPTIONS if one.flag == option)
    monkeypatch.setenv(variable, value)
    with pytest.raises(UsageError, match=variable):
        told()


PROVIDER = {
    "redirect_uri": "https://study.example/oauth2callback",
    "cookie_secret": "0123456789abcdef0123456789abcdef",
    "client_id": "fairviz",
    "client_secret": "hidden",
    "server_metadata_url": "https://login.example/.well-known/openid-configuration",
}


def in_toml(folder: Path, **changes: str) -> str:
    path = folder / "secrets.toml"
    lines = [f'{key} = "{value}"' for key, value in (PROVIDER | changes).items() if value]
    path.write_text("\n".join(["[auth]", *lines]))
    return str(path)


def test_who_signs_people_in_stands_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "find_spec", lambda name: name)
    path = in_toml(tmp_path)
    assert told("--sign-in", path) == {"FAIRVIZ_SIGN_IN": path}
    assert app.provider(path) == PROVIDER
    assert app.provider("") == {}
    with pytest.raises(UsageError, match="--embed-from and --sign-in: choose one"):
        told("--sign-in", path, "--embed-from", "https://a.example")
    monkeypatch.setattr(app, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r'authlib and httpx not installed: .* -m pip install .*\[signin\]"'):
        told("--sign-in", path)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"client_id": "", "client_secret": ""}, "[auth] has to give client_id, client_secret, each a text"),
        ({"redirect_uri": "https://study.example/"}, "redirect_uri is the dashboard's address with /oauth2callback"),
        ({"cookie_secret": "secret"}, "cookie_secret has to be random and of at least 32 characters"),
    ],
)
def test_a_provider_that_is_not_all_there_is_one_line(tmp_path: Path, changes: dict[str, str], reason: str) -> None:
    path = in_toml(tmp_path, **changes)
    with pytest.raises(UsageError) as refused:
        told("--sign-in", path)
    assert str(refused.value).startswith(f"--sign-in {path}: {reason}")
    assert "hidden" not in str(refused.value)


def test_a_provider_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        told("--sign-in", str(tmp_path / "none.toml"))
    (tmp_path / "bad.toml").write_text("[auth\n")
    with pytest.raises(UsageError, match=r"bad\.toml: .*line 1"):
        told("--sign-in", str(tmp_path / "bad.toml"))
