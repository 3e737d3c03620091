"""How much a call could harm, in words."""

from __future__ import annotations

import pytest

from remit.engine import Engine
from remit.files import NoFiles
from remit.request import Request

ENGINE = Engine.from_source(
    'policy p for org\nuse std\ndeny reset: Bash(git reset --hard *) because "x" severity critical\n', files=NoFiles()
)
CALL = Request("Bash", {}, cwd="/srv/shop", workspace=("/srv/shop",), home="/h")


@pytest.mark.parametrize(
    ("command", "level", "why"),
    [
        ("ls src", "low", []),
        ("cat README.md | wc -l", "low", []),
        ("touch a", "medium", ["writes files"]),
        ("rm a", "medium", ["deletes files"]),
        ("rm -r /srv/other/x", "high", ["deletes files outside of the workspace", "deletes files"]),
        ("touch /srv/other/x", "medium", ["writes files outside of the workspace", "writes files"]),
        ("rm -rf /", "critical", ["deletes a whole part of the file system"]),
        ("rm -rf /home", "critical", ["deletes a whole part of the file system"]),
        ('rm -rf "$X"', "critical", ["deletes what is not known"]),
        ("touch /usr/lib/x", "high", ["changes files of the system"]),
        ("touch /dev/null", "low", []),
        ('rm -rf "$X"/build', "critical", ["deletes what is not known"]),
        ("rm -rf *", "medium", ["deletes files"]),
        ("curl https://a.example", "medium", ["connects to other hosts"]),
        ("git push origin main", "high", ["publishes to others"]),
        ("npm publish", "high", ["publishes to others"]),
        ("cat .env", "high", ["touches credentials"]),
        ("cat ~/.ssh/id_ed25519", "high", ["touches credentials"]),
        ("cat .env.example", "low", []),
        ("sudo ls", "high", ["runs as somebody else"]),
        ("python3 x.py", "medium", ["runs code"]),
        ("npm test", "medium", ["runs code"]),
        ("echo x > .git/hooks/y", "high", ["touches what is guarded"]),
        ("echo 'x", "high", ["holds code that could not be understood"]),
        ("git reset --hard", "critical", ["is named by a rule of severity critical"]),
        ("ls && rm -r /srv/other/x", "high", ["deletes files outside of the workspace"]),
    ],
)
def test_level_and_reasons(command: str, level: str, why: list[str]) -> None:
    """The worst reason first; `why` begins with these, or is exactly them where the risk is low."""
    risk = ENGINE.decide(CALL._replace(input={"command": command})).risk()
    assert risk["level"] == level
    assert set(why) <= set(risk["why"])
    assert why or risk["why"] == []
    for reason in why:
        assert reason in risk["explanation"]
    assert risk["explanation"].startswith(f"{level.capitalize()} risk: ")


def test_of_several_reasons_the_worst_is_told_first() -> None:
    risk = ENGINE.decide(CALL._replace(input={"command": "touch a; rm -r /srv/other/x; curl a.example"})).risk()
    assert risk["why"][0] == "deletes files outside of the workspace"
    assert risk["explanation"].count(" and ") == 1


def test_other_tools() -> None:
    reads = CALL._replace(tool="Read", input={"file_path": "/h/.aws/credentials"})
    assert ENGINE.decide(reads).risk()["why"] == ["touches credentials"]
    writes = CALL._replace(tool="Write", input={"file_path": "/etc/motd"})
    assert ENGINE.decide(writes).risk()["level"] == "high"
