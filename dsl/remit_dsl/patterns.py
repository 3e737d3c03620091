"""Patterns: what a target's content asks of a command, a path, a host or a tool. Their data and their notation.

Each parser takes a content as written and gives a pattern, or a PatternError that says where and why. What could only
match nothing by mistake (`$HOME/x`, `https://x/`, `a | b`) is an error, so that no rule is silently dead. As lists, all
patterns are plain JSON; matching reads them by position, so that a row read back needs no conversion but `freeze`.
"""

from __future__ import annotations

from remit_dsl.globs import ANY, Glob, glob_from_json, glob_of, glob_text, parse_glob
from remit_dsl.globs import ANY_DEPTH as ANY_DEPTH  # noqa: PLC0414 (whoever reads patterns needs it)
from remit_dsl.hosts import PLAIN, address_of, host_name
from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

ANY_WORDS = 0  # an element of a ShellPattern: any words, also none

Elem: TypeAlias = "Any"  # Glob | ANY_WORDS | ("@", set name)
Part: TypeAlias = "Any"  # Glob | ANY_DEPTH


class PatternError(NamedTuple):
    """Why a content is no pattern: the message, a way out, and the offset in the content where it goes wrong."""

    message: str
    help: str
    offset: int


class ShellPattern(NamedTuple):
    """The words of a command. rest: the last word ends in a star (or is one), so anything may follow.

    `git *` is (("git", ANY_WORDS), rest), which bare `git` matches too; `git*` is ((("git", ANY),), rest).
    """

    words: tuple[Elem, ...]
    rest: bool


class PathPattern(NamedTuple):
    """A path by components. anchor: `/` (the root), `~` (home), `.` (the workspace), `*` (bare: at any depth).

    `**/x` is anchored at the root and starts with ANY_DEPTH: it means anywhere, even where a bare name means the
    workspace only.
    """

    anchor: str
    parts: tuple[Part, ...]


class HostPattern(NamedTuple):
    """Hosts, and a port or None for any port.

    where: the labels of a name (the first may be ANY = one or more labels, or a glob over one label; `(ANY,)` alone is
    every host); or one text for an address (`("10.0.0.1",)`); or a network: version, first address, prefix length.
    """

    where: tuple[Any, ...]
    port: int | None


def to_json(pattern: Any) -> Any:
    """A pattern or glob as JSON has it: tuples as lists."""
    return [to_json(item) for item in pattern] if isinstance(pattern, (list, tuple)) else pattern


def shell_from_json(row: Sequence[Any]) -> ShellPattern:
    """The ShellPattern of a JSON row."""
    return ShellPattern(glob_from_json(row[0]), row[1])


def path_from_json(row: Sequence[Any]) -> PathPattern:
    """The PathPattern of a JSON row."""
    return PathPattern(row[0], glob_from_json(row[1]))


def host_from_json(row: Sequence[Any]) -> HostPattern:
    """The HostPattern of a JSON row."""
    return HostPattern(glob_from_json(row[0]), row[1])


def parse_tool_pattern(text: str) -> Glob:
    """The glob over tool names that `text` writes; only `*` is special."""
    return parse_glob(text, question=False, classes=False)


# --- shell patterns ------------------------------------------------------------------------------------------


def parse_shell_pattern(text: str) -> ShellPattern | PatternError:
    """The pattern of a command: words, quoted as in a shell; `*` as a word, in one and at the end; `@set` as a word."""
    end = len(text.rstrip())
    before = text[: end - 2]
    escaped = (len(before) - len(before.rstrip("\\"))) % 2 == 1
    prefix = text.endswith(":*", 0, end) and not escaped
    words = _words(before if prefix else text)
    if isinstance(words, PatternError):
        return words
    if prefix and words and words[-1] != ANY_WORDS:
        words.append(ANY_WORDS)
    if not words:
        return PatternError("a command pattern needs at least one word", "for every command write the tool alone", 0)
    last = words[-1]
    return ShellPattern(tuple(words), last == ANY_WORDS or (isinstance(last, tuple) and last[-1] == ANY))


def _words(text: str) -> list[Elem] | PatternError:
    words: list[Elem] = []
    at = 0
    while at < len(text):
        if text[at] in " \t\r\n":
            at += 1
            continue
        word = _word(text, at)
        if isinstance(word, PatternError):
            return word
        element, at = word
        if not (element == ANY_WORDS and words and words[-1] == ANY_WORDS):
            words.append(element)
    return words


# What ends a simple command or redirects it; it would never be seen as part of a word (bash(1) "DEFINITIONS").
_OPERATORS = "|&;<>"


def _is_set_name(text: str) -> bool:
    """Whether a text is `@` and the name of a set: a letter or `_`, then letters, digits, `_`, `.`, `-`."""
    name = text[1:].replace(".", "_").replace("-", "_")
    return text[:1] == "@" and name.isascii() and name.isidentifier() and text[1] not in ".-"


def _word(text: str, start: int) -> tuple[Elem, int] | PatternError:
    """The element that starts at `start`, and the offset behind it."""
    tokens: list[Any] = []
    at = start
    while at < len(text) and text[at] not in " \t\r\n":
        char = text[at]
        if char in "'\"":
            quoted = _quoted(text, at)
            if isinstance(quoted, PatternError):
                return quoted
            tokens.append(quoted[0])
            at = quoted[1]
        elif char == "\\" and at + 1 < len(text):
            tokens.append(text[at + 1])
            at += 2
        elif char in _OPERATORS:
            return PatternError(
                f"`{char}` cannot stand unquoted: a pattern describes one simple command",
                "quote it, or write one rule for each command and `fs.write(…)` for redirections",
                at,
            )
        else:
            tokens.append(ANY if char == "*" else char)
            at += 1
    if _is_set_name(text[start:at]):
        return ("@", text[start + 1 : at]), at
    glob = glob_of(tokens)
    return ANY_WORDS if glob == (ANY,) else glob, at


def _quoted(text: str, start: int) -> tuple[str, int] | PatternError:
    """The text between quotes that open at `start`, and the offset behind them (bash(1) "QUOTING")."""
    quote, at = text[start], start + 1
    found: list[str] = []
    while at < len(text) and text[at] != quote:
        if quote == '"' and text[at] == "\\" and text[at + 1 : at + 2] in ('"', "\\", "$", "`"):
            at += 1
        found.append(text[at : at + 1])
        at += 1
    if at >= len(text):
        return PatternError("a quote is not closed", "close it, or write `\\` in front of it", start)
    return "".join(found), at + 1


def shell_text(pattern: Sequence[Any]) -> str:
    """A shell pattern as it would be written."""
    text = " ".join([_element_text(element) for element in pattern[0]])
    return f"{text[:-2]}\\:*" if text.endswith(":*") else text


def _element_text(element: Elem) -> str:
    if element == ANY_WORDS:
        return "*"
    if isinstance(element, (list, tuple)) and element[0] == "@" and len(element) == 2 and element[1] != ANY:
        return f"@{element[1]}"
    tokens = [element] if isinstance(element, str) else element
    text = "".join(["*" if token == ANY else _shell_escaped(token) for token in tokens])
    return "\\" + text if _is_set_name(text) else text or "''"


def _shell_escaped(text: str) -> str:
    return "".join(["\\" + char if char in "*'\"\\|&;<> \t\r\n" else char for char in text])


# --- path patterns -------------------------------------------------------------------------------------------


def parse_path_pattern(text: str) -> PathPattern | PatternError:
    """The pattern of a path: `/x`, `~/x`, `./x`, `**/x` or bare `x`; `**` as a component, `*`, `?`, `[…]` inside one.

    A trailing `/` means all below.
    """
    text = text.strip()
    error = _path_error(text)
    if error:
        return error
    pieces = _split_components(text)
    if len(pieces) > 1 and pieces[-1] == "":
        pieces[-1] = "**"
    anchor = pieces[0] if pieces[0] in ("~", ".") else "/" if pieces[0] in ("", "**") else "*"
    if anchor in ("~", "."):
        pieces = pieces[1:]
    parts: list[Part] = []
    for piece in pieces:
        part: Part = ANY_DEPTH if piece == "**" else parse_glob(piece, question=True, classes=True)
        if piece in ("", ".") or (part == ANY_DEPTH and parts and parts[-1] == ANY_DEPTH):
            continue
        if part in (".", ".."):
            return PatternError("a path pattern cannot climb with `..`", "name the folder itself", text.find(piece))
        parts.append(part)
    return PathPattern(anchor, tuple(parts))


def _path_error(text: str) -> PatternError | None:
    if not text:
        return PatternError("a path pattern cannot be empty", "for every path write `**`", 0)
    if "\0" in text:
        return PatternError("a path cannot hold a NUL character", "", text.index("\0"))
    if text[0] == "$":
        return PatternError("variables are not filled in here", "write `~/` for home, `./` for the workspace", 0)
    if text[0] == "~" and text[1:2] not in ("", "/"):
        return PatternError("`~` stands for the own home only", "write `~/…`, or the absolute path", 0)
    return None


def _split_components(text: str) -> list[str]:
    """The text between unescaped slashes. An escaped slash separates as well: no component can hold one."""
    pieces = [""]
    at = 0
    while at < len(text):
        char = text[at]
        if char == "\\" and text[at + 1 : at + 2] not in ("", "/"):
            pieces[-1] += text[at : at + 2]
            at += 1
        elif char == "/":
            pieces[-1] = pieces[-1].removesuffix("\\") if text[at - 1 : at] == "\\" else pieces[-1]
            pieces.append("")
        else:
            pieces[-1] += char
        at += 1
    return pieces


def path_text(pattern: Sequence[Any]) -> str:
    """A path pattern as it would be written."""
    anchor, parts = pattern[0], pattern[1]
    body = "/".join(["**" if part == ANY_DEPTH else _part_text(part) for part in parts])
    if anchor == "*":
        return body
    if anchor == "/":
        return body if parts and parts[0] == ANY_DEPTH else f"/{body or '.'}"
    return f"{anchor}/{body}" if body else str(anchor)


def _part_text(part: Glob) -> str:
    text = glob_text(part)
    return "\\" + text if text[:1] in ("~", "$") else text


# --- host patterns -------------------------------------------------------------------------------------------


def parse_host_pattern(text: str) -> HostPattern | PatternError:
    """The pattern of a host: a name, `*.name` (its sub-domains, not itself), `*`, an address or a network.

    Each may have a `:port` behind it; IPv6 then stands in brackets.
    """
    text = text.strip()
    if error := _host_error(text):
        return error
    name, port = _split_port(text)
    if port == "":
        number = None
    elif port.isascii() and port.isdigit() and 0 < int(port) < 65536:
        number = int(port)
    else:
        return PatternError(f"`{port}` is not a port", "ports go from 1 to 65535", len(text) - len(port))
    where = _where(name)
    return where if isinstance(where, PatternError) else HostPattern(where, number)


def _host_error(text: str) -> PatternError | None:
    if not text:
        return PatternError("a host pattern cannot be empty", "for every host write `*`", 0)
    if "://" in text:
        return PatternError("a host pattern has no scheme", "write the host alone: `acme.example`", 0)
    if "@" in text:
        return PatternError("a host pattern has no user", "write the host alone: `acme.example`", text.index("@"))
    if text[0] == ".":
        return PatternError("a host cannot start with a dot", f"for its sub-domains write `*{text}`", 0)
    return None


def _split_port(text: str) -> tuple[str, str]:
    """Name and port ("" if none is written). Colons of a bare IPv6 address are its own."""
    if text[0] == "[":
        name, bracket, port = text.partition("]")
        return (name[1:], port[1:]) if bracket and port[:1] == ":" else (text, "")
    if text.count(":") != 1:
        return text, ""
    name, _, port = text.partition(":")
    return name, port or ":"


def _where(name: str) -> tuple[Any, ...] | PatternError:
    if "/" in name:
        return _network(name)
    if name == "*":
        return (ANY,)
    first, dot, rest = name.partition(".")
    if "*" not in name:
        known = host_name(name)
        return _no_host(name) if known is None else (known,) if address_of(known) else tuple(known.split("."))
    known = host_name(rest) if dot else None
    if known is None or address_of(known) is not None or "*" in rest:
        return PatternError(f"`{name}` is not a host pattern", "a star stands in the first label: `*.acme.example`", 0)
    if first == "*":
        return (ANY, *known.split("."))
    if not PLAIN.issuperset(first.lower().replace("*", "")):
        return _no_host(name)
    return (parse_glob(first.lower(), question=False, classes=False), *known.split("."))


def _no_host(name: str) -> PatternError:
    return PatternError(
        f"`{name}` is not a host name or address", "letters, digits, `-` and dots; IDN also as `xn--…`", 0
    )


def _network(text: str) -> tuple[Any, ...] | PatternError:
    import ipaddress

    try:
        network = ipaddress.ip_network(text.strip("[]"))
    except ValueError:
        return PatternError(f"`{text}` is not a network", "write the first address and the prefix: `10.0.0.0/8`", 0)
    return (network.version, int(network.network_address), network.prefixlen)


def host_text(pattern: Any) -> str:
    """A host pattern as it would be written."""
    where, port = pattern[0], pattern[1]
    if where[0] in (4, 6):
        text = _network_text(where)
    else:
        text = ".".join(["*" if label == ANY else _label_text(label) for label in where])
    if port is None:
        return text
    return f"[{text}]:{port}" if ":" in text else f"{text}:{port}"


def _label_text(label: Any) -> str:
    return label if isinstance(label, str) else "".join(["*" if token == ANY else token for token in label])


def _network_text(where: Any) -> str:
    import ipaddress

    address = ipaddress.IPv4Address(where[1]) if where[0] == 4 else ipaddress.IPv6Address(where[1])
    return f"{address}/{where[2]}"
