"""Shell commands and paths to compare systems on: everyday ones, and those by which rules on text are evaded. Drawn with a given seed."""

from __future__ import annotations

import random

WORDS = (
    "git status", "git push", "git push origin main", "git log --oneline", "git commit -m x", "npm run build", "npm test",
    "npm install left-pad", "ls", "ls -la", "cat a.txt", "rm a.txt", "rm -rf build", "rm -r -f build", "touch x", "mkdir -p a/b",
    "cp a b", "mv a b", "python3 x.py", "make", "make test", "docker ps", "docker run alpine", "curl https://a.example/x",
    "grep -rn TODO src", "find . -name x", "find . -delete", "echo hello", "pytest -q", "sed -i s/a/b/ x", "chmod 777 x",
    "git branch -D x", "git -c a.b=c status", "ln -s a b", "node x.js", "pwd", "wc -l x",
)  # fmt: skip
_AROUND = (
    "{}", "{}", "{}", "{}", "timeout 5 {}", "env {}", "sudo {}", "nohup {}", "A=1 {}", "LANG=C {}", "bash -c '{}'", "({})",
    "{} > out.txt", "{} 2>&1", "{} 2>/dev/null", "{} < in.txt", "$({})", "echo $({})", "! {}", " {}", "if true; then {}; fi",
    "for i in 1 2; do {}; done", "{} $X", "{} *.txt", "xargs {}", "command {}",
)  # fmt: skip
_BETWEEN = (" && ", "; ", " | ", " || ", "\n", " & ", "&&")


def command(chance: random.Random) -> str:
    """One command line, of one command or of several."""
    parts = [_part(chance) for _ in range(chance.choice((1, 1, 1, 1, 2, 2, 3)))]
    text = parts[0]
    for part in parts[1:]:
        text += chance.choice(_BETWEEN) + part.removeprefix("! ")  # which begins pipelines only
    return text


def _part(chance: random.Random) -> str:
    text = chance.choice(WORDS)
    spelling = chance.random()
    if spelling < 0.05:
        text = text.replace(" ", "  ", 1)
    elif spelling < 0.1:
        first, blank, rest = text.partition(" ")
        text = f"'{first}'{blank}{rest}"
    elif spelling < 0.13:
        text = "/usr/bin/" + text
    return chance.choice(_AROUND).format(text)


def start(chance: random.Random) -> str:
    """The first words of some command."""
    words = chance.choice(WORDS).split(" ")
    return " ".join(words[: chance.randint(1, min(3, len(words)))])


def path(chance: random.Random, workspace: str, home: str) -> str:
    """A path: in the workspace, at home, elsewhere, or one that climbs."""
    name = chance.choice(
        (
            "a.py",
            "b.md",
            ".env",
            ".bashrc",
            ".git/config",
            "package.json",
            "x/y.txt",
            "Makefile",
            "src/a.py",
            "src/x/b.py",
        )
    )
    root = chance.choice(
        (workspace, workspace, workspace + "/src", home, "/etc", "/tmp", f"{workspace}/../other", f"{workspace}/src/..")
    )
    return f"{root}/{name}"


def plainly(text: str) -> str:
    """The same commands without what makes no difference to what runs: quotes around a plain word, blanks, `env`, harmless variables."""
    for first in {word.split(" ")[0] for word in WORDS}:
        text = text.replace(f"'{first}'", first)
    return text.replace("LANG=C ", "").replace("env ", "").replace("  ", " ").strip(" ")
