"""What every contender is given: the same rules, the same commands. Rules are prefixes: all can express them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

SIZES = (10, 100, 1_000, 10_000)


class PrefixRule(NamedTuple):
    """`effect` (allow, deny, ask) holds for commands that begin with `prefix`, or are just that."""

    effect: str
    prefix: str


# The rules that the commands below meet.
CORE = (
    PrefixRule("deny", "git push --force"),
    PrefixRule("deny", "rm -rf"),
    PrefixRule("deny", "curl"),
    PrefixRule("ask", "git push"),
    PrefixRule("ask", "docker run"),
    PrefixRule("ask", "npm install"),
    PrefixRule("allow", "git"),
    PrefixRule("allow", "npm run"),
    PrefixRule("allow", "pytest"),
    PrefixRule("allow", "ls"),
)

COMMANDS = (
    "git status --short {0}",
    "ls -la src/{0}",
    "cat docs/{0}.md | head -20",
    "cd packages/{0} && npm run build",
    "pytest tests/test_{0}.py -q 2>&1 | tail -5",
    "git push origin feature/{0}",
    "git add -A && git commit -m 'fix the {0} case'",
    "grep -rn {0} src --include '*.py'",
    "npm install {0}",
    "docker run --rm {0}",
    'echo "building {0}" && make {0}',
    "rm -rf build/{0}",
)


def rules(count: int) -> list[PrefixRule]:
    """`count` rules: the core, then subcommands of common programs and of programs that occur in no command."""
    popular = ("git", "npm", "docker", "kubectl", "aws")
    effects = ("deny", "ask", "allow")
    found = list(CORE[:count])
    for index in range(len(found), count):
        program = popular[index // 2 % len(popular)] if index % 2 else f"program-{index}"
        found.append(PrefixRule(effects[index % len(effects)], f"{program} subcommand-{index}"))
    return found


def remit_policy(given: list[PrefixRule], name: str = "bench.prefixes") -> str:
    """The rules as a remit policy."""
    lines = [f"{rule.effect} Bash({rule.prefix} *)" for rule in given]
    return "\n".join([f"policy {name} for org", "use std.tools", *lines, ""])


def fresh_commands(seed: int) -> Iterator[str]:
    """Commands without end, none like another: whatever a contender caches does not help it."""
    source = random.Random(seed)
    while True:
        for shape in COMMANDS:
            yield shape.format(f"{source.getrandbits(48):012x}")
