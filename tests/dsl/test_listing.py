"""The printable form of a program."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from policies import policy_files
from remit_dsl import PolicySource, Program, Source, compile_policies
from remit_dsl.listing import condition_text, listing

TEXT = """\
policy acme for org "Acme" owner "sec"
set viewers = words { cat, less* }
mode careful, slow { only readonly  ask becomes deny }
mode fast { allow everything }
mode edits { allow fs.write(./**) }
tool Run = Shell { }
tool Shell { subject command: shell }
deny no-push: Shell(git push *), Shell(@viewers *) except Shell(git push origin *)
  because "Open a pull request." severity high ticket "T-1" until 2027-01-31 in mode fast for agent codex
  when request.labels.env == "prod"
ask B
allow C
shadow deny trial: D
default deny Shell
forbid mode fast
lower tiers may deny
on unparseable deny
"""


def listed(text: str) -> str:
    program = compile_policies([PolicySource(Source("p.remit", text))])
    assert isinstance(program, Program), program
    return listing(program)


def test_the_whole() -> None:
    head, _, body = listed(TEXT).partition("\n")
    assert head.startswith("program sha256:")
    assert (
        body
        == """
policies
  acme  [org]  p.remit  "Acme"  owner sec

1-2  deny: certain, then possible (asks) (1)
  no-push: Shell(git push *), Shell(@viewers *)  [org p.remit:8]
      except Shell(git push origin *)
      when request.labels.env == "prod"
      in mode fast
      for agent codex
      until 2027-01-31
      severity high, owner sec, ticket T-1
      "Open a pull request."

3    ask (1)
  acme:11: B  [org p.remit:11]
      owner sec

4    guard: no mode and no allow lifts it (0)

5    the mode's own word (3 modes)
  careful (slow): only read-only; ask becomes deny
  fast: forbidden
  edits: allows fs.write(./**)

6    allow (1)
  acme:12: C  [org p.remit:12]
      owner sec

7    defaults, the first that matches; those without a target last
  deny Shell  [org p.remit:14]
  ask  [nothing is written]
  what cannot be parsed: deny
  tier team may deny
  tier project may deny
  tier user may deny
  tier session may deny

shadow: counted, not enforced (1)
  deny trial: D  [org p.remit:13]
      owner sec

tools (2 names of 1): Shell
programs: 0 names, 0 declarations
environment: 0 harmless, 0 that run something
set acme:viewers: cat, less*

index: what a call shows -> targets that are looked at
  commands: 1 by 1 programs, most for git (1)
  commands looked at always: 1 patterns, 0 texts
  tools: 3 by name, 0 always
"""
    )


@pytest.mark.parametrize(
    "condition",
    [
        'request.user == "a"',
        "not request.agent.interactive",
        '(request.user == "a") and ((session.calls > 3) or request.agent.interactive)',
        'request.user in ["a", "b"]',
        "input.x == true",
        "count(command.words) >= 2",
        'command.text like "*x*"',
        'command.text matches "^a$"',
        'command.words has "x"',
        "access.path in { ./**, ~/.ssh/**, **/.env }",
        "access.host in { *.acme.example, 10.0.0.0/8 }",
        "request.tool in { mcp__*, Bash }",
    ],
)
def test_conditions_read_as_they_are_written(condition: str) -> None:
    sets = {
        "{ ./**, ~/.ssh/**, **/.env }": "set p = paths { ./**, ~/.ssh/**, **/.env }\n",
        "{ *.acme.example, 10.0.0.0/8 }": "set p = hosts { *.acme.example, 10.0.0.0/8 }\n",
        "{ mcp__*, Bash }": "set p = tools { mcp__*, Bash }\n",
    }
    written, before = condition, ""
    for shown, definition in sets.items():
        if shown in condition:
            written, before = condition.replace(shown, "@p"), definition
    program: Any = compile_policies([Source("p.remit", f"{before}deny A when {written}\n")])
    assert condition_text(program.tables["rules"][0][5]) == condition


@settings(max_examples=50)
@given(policy_files())
def test_any_program_can_be_listed_and_names_every_rule(text: str) -> None:
    program = compile_policies([Source("p.remit", text)])
    if isinstance(program, Program):
        shown = listing(program)
        assert all(row[0] in shown for row in program.tables["rules"])
