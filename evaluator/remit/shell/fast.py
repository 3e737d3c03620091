"""The fast path: plain words, simple quotes, redirections to plain words, joined by `&&`, `||`, `;`, `|`, `|&`, newline.

It gives what the whole grammar would give (a test holds the two together), or None for everything that it does not know
entirely: expansions, globs, reserved words, assignments, comments, `&`, characters beyond printable ASCII.
"""

from __future__ import annotations

import re

from remit.shell.commands import Context, Redirection, Script, SimpleCommand

MAX_LENGTH = 2048
_MAX_COMMANDS = 256

_SAFE = r"[A-Za-z0-9_@%+:,./^=-]"
_END = r"(?=[ \t\n;&|]|\Z)"
_SINGLE = r"'[\n\t -&(-~]*'"
_DOUBLE = r'"[\n\t !#%-\[\]-_a-~]*"'
_TOKEN = re.compile(
    rf"[ \t]*+(?:({_SAFE}++{_END}(?:[ \t]++{_SAFE}++{_END})*+)"
    rf"|((?:{_SAFE}++|{_SINGLE}|{_DOUBLE})++){_END}"
    rf"|(?:([0-9]?)(>>|[<>]&(?!-)|>\||[<>](?!&))|(&>>|&>))[ \t]*+({_SAFE}++){_END}"
    r"|(&&|\|[|&]?|;(?![;&])|\n))"
)
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_WORDS, _TARGET, _OPERATOR = 1, 6, 7
_PIPES = frozenset(("|", "|&"))
_RESERVED = frozenset(
    "if then else elif fi for while until do done case esac select function in time coproc".split()  # noqa: SIM905
)


def fast(text: str) -> Script | None:
    """The commands of a plain text; None if it is not plain, or longer than 2048 characters."""
    size = len(text.rstrip(" \t")) if text[-1:] in " \t" else len(text)
    if size > MAX_LENGTH:
        return None
    commands: list[SimpleCommand] = []
    argv: list[str] = []
    redirections: list[Redirection] = []
    context: tuple[Context, ...] = ()
    after, pipelines, pos, start, end = "", 0, 0, -1, 0
    match = _TOKEN.match
    while pos < size:
        token = match(text, pos)
        if token is None:
            return None
        kind, pos = token.lastindex, token.end()
        if kind != _OPERATOR:
            if start < 0:
                start = pos - len(token[0].lstrip(" \t"))
            if not _add(token, argv, redirections):
                return None
            end = pos
        elif start >= 0:
            operator = token[_OPERATOR]
            if operator in _PIPES and not context:
                pipelines += 1
                context = (Context("pipeline", pipelines),)
            commands.append(SimpleCommand(tuple(argv), (), tuple(redirections), context, after, start, end))
            context = context if operator in _PIPES else ()
            argv, redirections, start = [], [], -1
            after = ";" if operator == "\n" else operator
        elif token[_OPERATOR] != "\n":
            return None
    if start >= 0:
        commands.append(SimpleCommand(tuple(argv), (), tuple(redirections), context, after, start, end))
    if len(commands) > _MAX_COMMANDS or (start < 0 and after not in ("", ";")):
        return None
    return Script(tuple(commands), (), ())


def _add(token: re.Match[str], argv: list[str], redirections: list[Redirection]) -> bool:
    """Add words or a redirection; False for a first word that the grammar must look at."""
    kind = token.lastindex
    if kind == _TARGET:
        redirections.append(Redirection(token[3] or "", token[4] or token[5], token[_TARGET]))
        return True
    words = token[_WORDS].split() if kind == _WORDS else [_unquoted(token[2])]
    if not argv:
        first = words[0] if kind == _WORDS else token[2]
        if first in _RESERVED or "=" in first:
            return False
    argv += words
    return True


def _unquoted(source: str) -> str:
    return _QUOTED.sub(lambda quoted: quoted[1] or quoted[2] or "", source)
