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


# The rules that some of the commands below meet. Most commands meet none, as most that agents run are plain reading.
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

# What coding agents run, in the proportions counted in 15,700 distinct commands of published agent runs (the transcripts of the
# Terminal-Bench leaderboard, trajectories of SWE-agent and OpenHands): 40 % hold more than one simple command, 13.6 % a here document,
# 2 % a wrapper (timeout, xargs, env, sudo), 1 % a command substitution, 0.8 % a loop or condition. So 24 of these 60 hold more than
# one command and 8 a here document.
PLAIN = (
    "ls -la src/{0}",
    "ls packages/{0}/src",
    "cat services/billing/src/invoices/{0}.py",
    "cat /etc/{0}.conf",
    "sed -n '120,180p' services/billing/src/{0}/handlers.py",
    "grep -rn 'raise {0}Error' src tests --include='*.py'",
    "grep -n 'def parse_{0}' lib/parser.py",
    "rg -n 'class {0}' packages/core/src",
    "find . -name '*{0}*' -type f -not -path './node_modules/*'",
    "find src/{0} -type f -name '*.ts'",
    "head -50 logs/{0}.log",
    "wc -l data/{0}.csv",
    "git status --short {0}",
    "git diff HEAD~1 -- src/{0}.py",
    "git log --oneline -10 -- docs/{0}.md",
    "git push origin feature/{0}",
    "git commit -m 'Handle the {0} case when the list of rows is empty'",
    "python3 scripts/export_{0}.py --input data/raw.json --output data/{0}.json --verbose",
    "python -m pytest tests/integration/test_{0}.py -x -q --tb=short",
    "pytest tests/test_{0}.py -q 2>&1",
    "python3 -c 'import {1}; print({1}.__version__)'",
    "pip install {0}==1.4.2",
    "npm install {0}",
    "npm run test:{0}",
    "mkdir -p build/{0}/assets",
    "rm -rf build/{0}",
    "cp templates/{0}.conf /tmp/{0}.conf",
    "chmod +x scripts/{0}.sh",
    "curl -s http://localhost:8080/api/{0}",
    "docker run --rm {0}",
)
COMPOUND = (
    "cd packages/{0} && npm run build",
    "cd /w/services/{0} && python -m pytest tests/unit -q -k 'search or filter' --tb=short 2>&1 | tail -20",
    "cd src/{0} && ls -la && cat README.md",
    "cd build/{0} && cmake .. && make -j4 2>&1 | tail -5",
    "cd /w && git log --oneline -5 -- services/{0} && git diff --stat HEAD~3 -- services/{0}",
    "cat docs/{0}.md | head -20",
    "cat package.json | grep -A5 '{0}'",
    "ls -la /usr/local/lib | grep {0}",
    "grep -rn '{0}' --include='*.go' . | head -30",
    "find . -type f -name '*.py' | xargs grep -ln 'import {0}' | sort",
    "ps aux | grep {0} | grep -v grep",
    "pytest tests/test_{0}.py -q 2>&1 | tail -5",
    "git add -A && git commit -m 'fix the {0} case'",
    "git stash && git checkout main -- src/{0}.rs && git stash pop",
    'echo "building {0}" && make {0}',
    "mkdir -p out/{0} && cp -r assets/*.png out/{0}/",
    "pip install -r requirements/{0}.txt 2>&1 | tail -3",
    "timeout 300 cargo test --release --lib {0} 2>&1 | grep -E 'test result|FAILED|panicked'",
    'npm ci --silent && npx tsc --noEmit -p packages/{0}; echo "exit: $?"',
    "which node python3 gcc; node --version; echo {0}",
    'echo "$(git rev-parse HEAD) {0}" > build/revision.txt; cat build/revision.txt',
    "for f in src/{0}/*.py; do python -m py_compile $f || exit 1; done",
)
HEREDOC = (
    "cat > src/{0}.py << 'EOF'\n{2}\nEOF",
    "cat <<'EOF' > tests/test_{0}.py\n{2}\nEOF",
    "cat > /tmp/{0}.sh << EOF\n#!/bin/bash\nset -e\necho building {0}\nmake -C $PWD all\nEOF",
    "python3 << 'EOF'\n{2}\nEOF",
    "python3 - <<'PY'\nimport re\ntext = open('src/{0}.py').read()\nprint(re.findall('def (.*)', text))\nPY",
    "tee config/{0}.yaml << 'EOF'\nname: {0}\nsteps:\n  - run: make test\n  - run: make lint\nEOF",
    "cat > /tmp/{0}.py << 'EOF'\n{2}\nEOF\npython3 /tmp/{0}.py",
    'mkdir -p pkg/{0} && cat > pkg/{0}/main.go << \'EOF\'\npackage main\n\nimport "fmt"\n\nfunc main() {{\n\tfmt.Println("{0}")\n}}\nEOF',
)
_SOURCE = '''import json
import sys


def load_{0}(path):
    """Read the rows of a file, without the empty ones."""
    with open(path) as file:
        rows = [json.loads(line) for line in file if line.strip()]
    return [row for row in rows if row.get("kind") == "{0}"]


if __name__ == "__main__":
    for row in load_{0}(sys.argv[1]):
        print(row["name"], len(row))'''
COMMANDS = (*PLAIN, *COMPOUND, *HEREDOC)
# Each class of commands with the places of its shapes among COMMANDS; `all` is the mix.
CLASSES = {
    "all": range(len(COMMANDS)),
    "plain": range(len(PLAIN)),
    "compound": range(len(PLAIN), len(PLAIN) + len(COMPOUND)),
    "heredoc": range(len(PLAIN) + len(COMPOUND), len(COMMANDS)),
}


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
    """Commands without end, round by round of COMMANDS, none like another: whatever a contender caches does not help it."""
    source = random.Random(seed)
    while True:
        for shape in COMMANDS:
            token = f"{source.getrandbits(48):012x}"
            yield shape.format(token, f"m{token}", _SOURCE.format(token))
