"""What is suggested beside an ask: general enough to be of use, never dangerous."""

from __future__ import annotations

from typing import Any

import pytest

from remit.engine import Engine
from remit.files import NoFiles
from remit.request import Request

ENGINE = Engine.from_source(
    "policy p for org\nuse std\nask held: Bash(terraform *)\ndeny never: Bash(shutdown *)\n", files=NoFiles()
)
CALL = Request("Bash", {}, cwd="/srv/shop", workspace=("/srv/shop",), home="/h")


def _rules(**changes: Any) -> list[str]:
    return [item["rule"].removeprefix("allow ") for item in ENGINE.decide(CALL._replace(**changes)).suggestions]


@pytest.mark.parametrize(
    ("command", "suggested"),
    [
        # By name: what does more than touch things.
        ("npm run build", ["Bash(npm run *)"]),
        ("git push origin main", ["Bash(git push *)"]),
        ("frobnicate a b", ["Bash(frobnicate *)"]),
        ("make all > out.txt 2>&1", ["Bash(make *), fs.write(./out.txt)"]),
        ("make all > /dev/null", ["Bash(make *)"]),
        # By what is touched: the workspace to read, a folder of it to change, one file elsewhere.
        ("cat src/a.py", ["exec(cat), fs.read(./**)"]),
        ("cat /h/notes.txt", ["exec(cat), fs.read(/h/notes.txt)"]),
        ("rm -r build/x", ["exec(rm), fs.delete(./build/**)"]),
        ("rm notes.txt", ["exec(rm), fs.delete(./notes.txt)"]),
        ("cp src/a build/b", ["exec(cp), fs.read(./**), fs.write(./build/**)"]),
        ("curl https://a.example/x", ["exec(curl), net.connect(a.example)"]),
        # One for each part.
        ("npm run x && cat a | sort", ["Bash(npm run *)", "exec(cat), fs.read(./**)", "exec(sort)"]),
        ("cat a; cat b", ["exec(cat), fs.read(./**)"]),
        ("terraform apply; npm run x", ["Bash(npm run *)"]),
        # Never: what runs anything, whole trees elsewhere, credentials, the system, what is guarded, asked or in doubt.
        ("python3 x.py", []),
        ("bash x.sh", []),
        ("sudo ls", ["exec(ls), fs.read(./**)"]),
        ("npx thing", ["Bash(thing *)"]),
        ("env -S 'npm run x'", ["Bash(npm run *)"]),
        ("xargs wc", []),
        ("docker run alpine", []),
        ("./run.sh", []),
        ("A=1 npm run x", []),
        ("rm -rf .", []),
        ("rm -rf /srv/other", []),
        ("rm /srv/other/x", []),
        ("ls /", []),
        ("cat .env", []),
        ("cat ~/.ssh/id_rsa", []),
        ("touch /usr/bin/x", []),
        ("touch .github/workflows/x.yml", ["exec(touch), fs.write(./.github/workflows/x.yml)"]),
        ("find . -delete", []),
        ("cat $X", []),
        ("cat 'a,b)c'", ["exec(cat), fs.read(./**)"]),
        ("rm 'a,b)c'", []),
        ("echo x > .git/hooks/y", []),
        ("terraform apply", []),
        ("shutdown now", []),
        ("echo 'x", []),
        ("npm run x > ~/out", ["Bash(npm run *), fs.write(/h/out)"]),
        ("npm run x > ~/.out", []),
        ("npm run x > $OUT", []),
    ],
)
def test_commands(command: str, suggested: list[str]) -> None:
    assert _rules(input={"command": command}) == suggested


@pytest.mark.parametrize(
    ("tool", "given", "suggested"),
    [
        ("Read", {"file_path": "src/a.py"}, ["fs.read(./**)"]),
        ("Read", {"file_path": "/etc/hosts"}, ["fs.read(/etc/hosts)"]),
        ("Read", {"file_path": "/etc/shadow"}, []),
        ("Edit", {"file_path": "src/a/b.py"}, ["Edit(./src/**)"]),
        ("Write", {"file_path": "b.py"}, ["Write(./b.py)"]),
        ("Write", {"file_path": "/tmp/b.py"}, ["fs.write(/tmp/b.py)"]),
        ("Write", {"file_path": ".vscode/tasks.json"}, []),
        ("Grep", {"pattern": "x", "path": "src"}, ["fs.read(./**)"]),
        ("WebFetch", {"url": "https://docs.example/x"}, ["net.connect(docs.example)"]),
        ("mcp__search__find", {"q": "x"}, ["mcp__search__find"]),
        ("Unheard", {}, []),
    ],
)
def test_tools(tool: str, given: dict[str, Any], suggested: list[str]) -> None:
    assert _rules(tool=tool, input=given) == suggested


def test_each_says_what_it_would_permit() -> None:
    verdict = ENGINE.decide(CALL._replace(input={"command": "cp src/a build/b && npm run x"}))
    assert [item["permits"] for item in verdict.suggestions] == [
        "running cp, wherever what it touches is permitted; reading every file of the workspace; writing every file below ./build",
        "every call of npm run, with any options and operands but those that run other programs",
    ]


def test_what_is_permitted_already_is_not_suggested_again() -> None:
    engine = Engine.from_source("policy p\nuse std\nuse std.reading\n", files=NoFiles())
    verdict = engine.decide(CALL._replace(input={"command": "cp src/a build/b"}))
    assert [item["rule"] for item in verdict.suggestions] == ["allow exec(cp), fs.write(./build/**)"]
