from __future__ import annotations

from remit_calls import Remit


def test_every_command_wherever_it_hides(remit: Remit) -> None:
    done = remit("split", "--json", "--cwd", "/x", "timeout 5 sh -c 'cat a > b' | tee c; echo $(rm d)")
    assert done.code == 0
    found = {unit["text"] for unit in done.json}
    assert {"cat a", "tee c", "rm d"} <= found
    cat = next(unit for unit in done.json if unit["text"] == "cat a")
    assert {(access["kind"], access["target"]) for access in cat["accesses"]} >= {
        ("fs.read", "/x/a"),
        ("fs.write", "/x/b"),
    }


def test_words_that_are_not_known(remit: Remit) -> None:
    unit = remit("split", "--json", 'cp "$A" b').json[0]
    assert unit["unknown"] == [1]


def test_text_from_standard_input(remit: Remit) -> None:
    done = remit("split", "--cwd", "/x", "-", stdin=b"rm -r d")
    assert done.out.splitlines() == ["1. rm -r d", "   exec         rm", "   fs.delete    /x/d/**"]


def test_knowledge_of_a_policy(remit: Remit, policy: str) -> None:
    done = remit("split", "--json", "--policy", policy, "git push")
    assert [unit["program"] for unit in done.json] == ["git"]


def test_what_is_not_understood_is_said(remit: Remit) -> None:
    assert "(not understood: " in remit("split", "echo 'x").out
