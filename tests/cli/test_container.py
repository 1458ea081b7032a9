"""The image of the dashboard, as far as it can be looked at without Docker; ``tests/e2e/test_hosting.py`` starts it."""

import re
import tomllib
from pathlib import PurePosixPath

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from fairviz.cli import app
from fairviz.resources import EXAMPLE
from tests.dashboard import ROOT, dockerfile, variables_of_image


def values(instruction: str) -> list[str]:
    return [value for name, value in dockerfile() if name == instruction]


def test_the_base_is_named_by_its_version() -> None:
    (base,) = values("FROM")
    assert re.fullmatch(r"python:3\.\d+-slim-[a-z]+", base)
    assert "latest" not in base


def test_it_does_not_run_as_root_and_says_whether_it_is_well() -> None:
    names = [name for name, _ in dockerfile()]
    (user,) = values("USER")
    assert user not in {"root", "0"}
    assert any(f" {user}" in line for line in values("RUN") if line.startswith("useradd"))
    assert names.index("USER") < names.index("CMD")
    assert len(values("HEALTHCHECK")) == len(values("CMD")) == 1
    compiled = next(i for i, (_, value) in enumerate(dockerfile()) if "fairviz report" in value)
    assert compiled > names.index("USER"), "who runs it has to be able to read and write what was compiled"


def test_what_is_copied_is_there_and_let_in() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in ignored, "all stays outside that is not named"
    for line in values("COPY"):
        *sources, _ = [word for word in line.split() if not word.startswith("--")]
        for source in sources:
            assert (ROOT / source).exists(), source
            assert f"!{source}" in ignored, source
    named = {line[1:] for line in ignored if line.startswith("!")}
    assert not any(PurePosixPath(name).name == "secrets.toml" for name in named)


def test_packages_are_those_of_the_lock_known_by_version_and_hash() -> None:
    """``tests/test_installs.py`` holds the list against the lock."""
    install = next(line for line in values("RUN") if line.startswith("pip install"))
    assert "--require-hashes -r requirements.txt" in install
    pinned = set(re.findall(r"^([a-z0-9-]+)==\S+", (ROOT / "requirements.txt").read_text(), re.MULTILINE))
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    needed = [Requirement(text).name for extra in ("app", "signin", "print") for text in extras[extra]]
    assert {canonicalize_name(name) for name in needed} <= pinned


def test_the_how_to_names_every_option_and_the_port_of_the_image() -> None:
    text = (ROOT / "docs" / "how-to" / "hosting.md").read_text()
    for option in app.OPTIONS:
        assert re.search(rf"^\| `{option.flag} \S+` \| `{option.variable}` \|", text, re.MULTILINE), option.flag
    image = variables_of_image()
    named = set(re.findall(r"FAIRVIZ_[A-Z_]+", text))
    assert {name for name in image if name.startswith("FAIRVIZ_")} <= named
    heard = {app.ADDRESS, app.ALLOW_HOST, EXAMPLE}
    assert named <= heard | {option.variable for option in app.OPTIONS}
    assert f"app_port: {image['PORT']}\n" in text
    assert values("EXPOSE") == [image["PORT"]]
    assert set(app.PROVIDER_KEYS) == set(re.findall(r"^(\w+) = \"", text, re.MULTILINE))
