"""How much a call could harm, and why: for people who are asked, and for logs. It decides nothing."""

from __future__ import annotations

from remit.sensitive import holds_credentials, is_system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from remit.facts import Access

LEVELS = ("low", "medium", "high", "critical")
# What an access can do at worst, and how it is called.
BY_KIND = {
    "fs.delete": (1, "deletes files"),
    "fs.write": (1, "writes files"),
    "net.connect": (1, "connects to other hosts"),
}
BY_CODE = {
    "uncertain": (2, "may do what a rule denies"),
    "unparseable": (2, "holds code that could not be understood"),
    "budget": (2, "exceeds a limit"),
    "guard": (2, "touches what is guarded"),
    "error": (2, "could not be judged"),
}
OUTSIDE = {
    "fs.delete": (2, "deletes files outside of the workspace"),
    "fs.write": (1, "writes files outside of the workspace"),
}
# Programs that run what they are given, or what somebody else wrote; that act as somebody else; and commands that publish.
RUNNERS = frozenset((
    "sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "npx", "bunx",
    "uvx", "make", "npm", "pnpm", "yarn", "cargo", "go", "eval", "source", "docker", "podman",
))  # fmt: skip
AS_SOMEBODY_ELSE = frozenset(("sudo", "su", "doas", "runuser", "pkexec"))
PUBLISHING = (
    "git push", "npm publish", "pnpm publish", "yarn publish", "cargo publish", "twine upload", "gem push", "docker push",
    "podman push", "gh release", "gh pr", "helm push", "uv publish", "poetry publish", "vsce publish",
)  # fmt: skip

Found = tuple[int, str]


def risk_of(
    reasons: Iterable[tuple[str, str]], units: Iterable[tuple[str, Iterable[Access]]], outside: Iterable[str]
) -> tuple[str, list[str]]:
    """Level, and why in words, the worst first: from the reasons (code, severity), the units (text, accesses), and which changes reach
    beyond the workspace."""
    found: list[Found] = []
    for code, severity in reasons:
        if code in BY_CODE:
            found.append(BY_CODE[code])
        if severity in LEVELS:
            found.append((LEVELS.index(severity), f"is named by a rule of severity {severity}"))
    found += [OUTSIDE[kind] for kind in outside if kind in OUTSIDE]
    for text, accesses in units:
        found += _of_text(text)
        for access in accesses:
            found += _of_access(access)
    level = max([rank for rank, _ in found], default=0)
    return LEVELS[level], list(dict.fromkeys([why for _, why in sorted(found, key=lambda item: -item[0])]))


def explanation(level: str, why: list[str]) -> str:
    """The risk in a sentence."""
    if not why:
        return f"{level.capitalize()} risk: nothing that it is known to do would harm."
    *others, last = why
    told = f"{', '.join(others)} and {last}" if others else last
    return f"{level.capitalize()} risk: it {told}."


def _of_text(text: str) -> Iterator[Found]:
    for command in PUBLISHING:
        if text == command or text.startswith(command + " "):
            yield 2, "publishes to others"


def _of_access(access: Access) -> Iterator[Found]:
    if access.kind == "exec":
        yield from _of_program(str(access.program) if access.program is not None else "")
        return
    if access.kind in BY_KIND:
        yield BY_KIND[access.kind]
    if access.path is None:
        return
    paths = access.path.paths
    if access.kind == "fs.delete" and access.place >= 0 and not paths and not access.path.prefix:
        yield 3, "deletes what is not known"
    if not access.sure:
        return
    if any(holds_credentials(path) for path in paths):
        yield 2, "touches credentials"
    if access.kind in OUTSIDE and any(is_system(path) for path in paths):
        yield 2, "changes files of the system"
    if access.kind == "fs.delete" and any(path.count("/") < 2 for path in paths):
        yield 3, "deletes a whole part of the file system"


def _of_program(program: str) -> Iterator[Found]:
    name = program.rsplit("/", 1)[-1].rstrip("0123456789.")
    if name in AS_SOMEBODY_ELSE:
        yield 2, "runs as somebody else"
    elif name in RUNNERS:
        yield 1, "runs code"
