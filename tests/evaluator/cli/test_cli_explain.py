from __future__ import annotations

from pathlib import Path

from remit_calls import Remit


def test_every_stage_is_shown(remit: Remit, policy: str) -> None:
    done = remit("explain", "--policy", policy, "--command", "cd x && git push $F && docker ps && npm run x")
    assert done.code == 3
    assert "1. cd x" in done.out
    assert "deny     maybe no-force-push (org.remit:4)" in done.out
    assert "depending on `$F`" in done.out
    assert "ask      yes   publishing (org.remit:8)" in done.out
    assert "(on trial): Bash(docker *)" in done.out
    assert "permit   everyday (org.remit:18)" in done.out


def test_the_exit_is_shown(remit: Remit, policy: str) -> None:
    done = remit("explain", "--policy", policy, "--command", "git push", "--no-interactive")
    assert done.code == 1
    assert "the exit turned ask into deny: non_interactive" in done.out


def test_what_was_not_understood(remit: Remit, policy: str) -> None:
    done = remit("explain", "--policy", policy, "--command", "echo 'x")
    assert done.code == 3
    assert "not understood: " in done.out


def test_what_a_tree_may_hold_is_not_listed_at_length(remit: Remit, policy: str, tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    for number in range(30):
        (tmp_path / "tree" / f"{number}.remit").write_text("")
    call = ["explain", "--policy", policy, "--command", "rm -r tree"]
    done = remit(*call)
    assert "touches  fs.delete" in done.out
    assert done.out.count("\n   may touch ") == 5
    assert " more that it may touch" in done.out
    assert len(remit(*call, "--json").json["units"][0]["accesses"]) > 30


def test_json_agrees_with_decide(remit: Remit, policy: str) -> None:
    call = ["--policy", policy, "--json", "--command", "cd x && git push -f"]
    explained, decided = remit("explain", *call), remit("decide", *call)
    assert explained.code == decided.code == 1
    verdict, answer = explained.json["verdict"], decided.json
    assert {**verdict, "decision_id": ""} == {**answer, "decision_id": ""}
    assert explained.json["units"][explained.json["strictest"]]["text"] == "git push -f"
