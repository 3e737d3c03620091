from __future__ import annotations

from remit_calls import Remit

from remit_dsl.program import Program


def test_listing_names_rules_in_order(remit: Remit, policy: str) -> None:
    done = remit("program", "--policy", policy)
    assert done.code == 0
    assert 0 < done.out.index("no-force-push") < done.out.index("publishing") < done.out.index("everyday")


def test_json_is_the_program(remit: Remit, policy: str) -> None:
    done = remit("program", "--policy", policy, "--json")
    program = Program.from_json(done.out)
    revision = remit("decide", "--policy", policy, "--command", "ls", "--json").json["revision"]
    assert program.revision == revision
