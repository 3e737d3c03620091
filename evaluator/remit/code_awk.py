"""awk programs: which files they read and write, what they connect to, and whether they run something.

Source: POSIX.1-2017 awk, and the gawk manual ("Redirection", "Getline", "TCP/IP Networking", "Include Files"). What is redirected
to, read from or run must be one string literal; anything built from data, and anything that can be read in two ways, may be
anything.
"""

from __future__ import annotations

import re

from remit.code_facts import NOTHING, UNKNOWN, CodeFacts
from remit_dsl.records import NamedTuple

_TOKEN = re.compile(
    r"""(?P<blank>(?:[ \t\r\f\v]|\\\r?\n)++)|(?P<comment>\#[^\n]*+)|(?P<string>"(?:[^"\\\n]|\\.)*+")"""
    r"""|(?P<name>[A-Za-z_][A-Za-z0-9_:]*+)|(?P<number>[0-9.]++(?:[eE][+-]?[0-9]++)?+|0x[0-9A-Fa-f]++)"""
    r"""|(?P<op>\|\||\|&|&&|>>|>=|<=|\+\+|--|!~|==|!=|[-+*/%^]=|\*\*|[\n;{}()\[\],|<>=+*%^!~?:$&/@-])""",
    re.DOTALL,
)
_REGEX = re.compile(r"/((?:[^/\\\n]|\\.)++)/")
_ESCAPES = {'\\"': '"', "\\\\": "\\", "\\/": "/", "\\n": "\n", "\\t": "\t"}
_ESCAPE = re.compile(r"\\.", re.DOTALL)
# After one of these a slash divides; after a name that is a keyword it begins a regex; after `)`, `++`, `--` it may be either.
_OPERAND_KINDS = frozenset(("string", "number", "name"))
_KEYWORDS = frozenset(("print", "printf", "return", "in", "else", "do", "case", "getline"))
_EITHER = frozenset((")", "++", "--"))
_ENDS = frozenset(("", ";", "\n", "}"))
_BEGINS = frozenset(("", ";", "\n", "{", "(", "&&", "||", "!", "="))
_DANGER = re.compile(r"system|getline|[|>@]|ARG[VC]")
_SPECIAL_FILES = frozenset(("/dev/stdout", "/dev/stderr", "/dev/stdin", "-"))
_MAX_SUBSCRIPT = 32  # tokens


class _Token(NamedTuple):
    """kind: `string`, `name`, `number`, `regex`, `op`; text as written; depth of parentheses around it."""

    kind: str
    text: str
    depth: int


_END = _Token("op", "", 0)


class _GivenUp(Exception):
    """The program can not be followed."""


def scan_awk(text: str) -> CodeFacts:
    """What the program does; unknown when it is not plain. Total; linear in the text."""
    if _DANGER.search(text) is None:
        return NOTHING
    try:
        return _Awk(_tokens(text)).facts()
    except _GivenUp:
        return UNKNOWN


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    at, depth = 0, 0
    while at < len(text):
        before = tokens[-1] if tokens else _END
        if text[at] == "/" and _begins_regex(before, text, at):
            match = _REGEX.match(text, at)
            if match is None or _opens_bracket(match[1]):
                raise _GivenUp
            tokens.append(_Token("regex", match[0], depth))
        else:
            match = _TOKEN.match(text, at)
            if match is None:
                raise _GivenUp
            kind = match.lastgroup or ""
            if kind not in ("blank", "comment"):
                depth += (match[0] == "(") - (match[0] == ")")
                tokens.append(_Token(kind, match[0], depth))
        at = match.end()
    return tokens


def _begins_regex(before: _Token, text: str, at: int) -> bool:
    if before.text in _EITHER or before.text == "getline":
        if _DANGER.search(text, at):
            raise _GivenUp
        return False
    if before.kind == "name":
        return before.text in _KEYWORDS
    return before.kind not in _OPERAND_KINDS and before.text not in ("]", "$")


def _opens_bracket(regex: str) -> bool:
    """Whether the regex ends inside a bracket expression, where a slash is plain for some implementations."""
    opened = regex.rfind("[")
    return opened >= 0 and "]" not in regex[opened + 2 :]


class _Awk:
    """Walks the tokens once. plain: all that is touched was a literal."""

    __slots__ = ("commands", "hosts", "plain", "reads", "runs", "tokens", "writes")

    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.reads: list[str] = []
        self.writes: list[str] = []
        self.hosts: list[str] = []
        self.commands: list[str] = []
        self.runs, self.plain = False, True

    def facts(self) -> CodeFacts:
        """Everything that the program touches."""
        printing = -1  # depth of parentheses of the print statement that we are in
        for at, (kind, text, depth) in enumerate(self.tokens):
            if text in ("print", "printf") and kind == "name":
                printing = depth
            elif text in ("\n", ";", "}"):
                # A statement goes on in the next line behind a comma and behind `&&` and `||`.
                if text != "\n" or self._token(at - 1).text not in (",", "&&", "||"):
                    printing = -1
            elif kind == "name":
                self._name(at, text)
            elif text in ("|", "|&"):
                self._pipe(at, printing == depth)
            elif text in (">", ">>") and printing == depth:
                self._target(at + 1, self.writes)
            elif text == "@":
                self._unknown()
        return CodeFacts(
            self.runs or not self.plain,
            tuple(self.reads),
            tuple(self.writes),
            tuple(self.hosts),
            self.plain,
            tuple(self.commands),
        )

    def _token(self, at: int) -> _Token:
        return self.tokens[at] if 0 <= at < len(self.tokens) else _END

    def _unknown(self) -> None:
        self.runs, self.plain = True, False

    def _name(self, at: int, text: str) -> None:
        if text == "system":
            literal = _literal(self._token(at + 2))
            if self._token(at + 1).text == "(" and self._token(at + 3).text == ")" and literal is not None:
                self._run(literal)
            else:
                self._unknown()
        elif text == "getline":
            self._getline(at + 1)
        elif text in ("ARGV", "ARGC"):
            self._unknown()

    def _getline(self, at: int) -> None:
        """`getline [variable] [< file]`; a pipe into it is seen at the pipe."""
        if self._token(at).text == "$":
            at += 1
        if self._token(at).kind in ("name", "number"):
            at += 1
            if self._token(at).text == "[":
                at = self._behind_subscript(at)
        if self._token(at).text == "<":
            self._target(at + 1, self.reads, ends=False)

    def _behind_subscript(self, at: int) -> int:
        """The place behind the subscript that opens at a place; it is not known when it is long."""
        for end in range(at, at + _MAX_SUBSCRIPT):
            if self._token(end).text == "]":
                return end + 1
        self._unknown()
        return at

    def _target(self, at: int, names: list[str], *, ends: bool = True) -> None:
        """The file behind `>`, `>>` or `<`; for output a concatenation could follow, so that it must be all."""
        name = _literal(self._token(at))
        if name is None or (ends and self._token(at + 1).text not in _ENDS):
            self._unknown()
        elif name.startswith("/inet"):
            self._connect(name)
        elif name not in _SPECIAL_FILES:
            names.append(name)

    def _pipe(self, at: int, printing: bool) -> None:
        """`print | "command"`, `"command" | getline`; gawk's `|&` takes a network address in the same places."""
        place = at + 1 if printing else at - 1
        literal = _literal(self._token(place))
        around = self._token(place + 1).text in _ENDS if printing else self._token(place - 1).text in _BEGINS
        if literal is None or not around:
            self._unknown()
        elif literal.startswith("/inet"):
            self._connect(literal)
        else:
            self._run(literal)

    def _connect(self, name: str) -> None:
        """gawk: /inet[46]/PROTOCOL/LOCAL PORT/HOST/PORT."""
        parts = name.split("/")
        if len(parts) != 6:
            self._unknown()
            return
        self.hosts.append(f"{parts[4]}:{parts[5]}")

    def _run(self, command: str) -> None:
        self.runs = True
        self.commands.append(command)


def _literal(token: _Token) -> str | None:
    """The text of a string literal, or None if the token is none or has an escape whose meaning differs between awks."""
    if token.kind != "string":
        return None
    body = token.text[1:-1]
    if any(escape not in _ESCAPES for escape in _ESCAPE.findall(body)):
        return None
    return _ESCAPE.sub(lambda match: _ESCAPES[match[0]], body)
