"""Hosts of URLs and words, and host patterns against them. What programs would read differently is not known."""

from __future__ import annotations

from remit.facts import MAYBE, NO, YES, HostFact
from remit.shell.words import Word
from remit_dsl.globs import ANY, glob_matches
from remit_dsl.hosts import address_of, host_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Default ports (IANA service names and port numbers).
_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21, "ftps": 990, "sftp": 22, "ssh": 22, "git": 9418,
          "rsync": 873, "ldap": 389, "ldaps": 636, "smtp": 25, "imap": 143, "redis": 6379, "postgres": 5432,
          "postgresql": 5432, "mysql": 3306, "mongodb": 27017}  # fmt: skip
_SCHEMES = frozenset((*_PORTS, "file", "data", "ext"))
_LOOPBACK_V4 = 127  # RFC 1122 3.2.1.3 (g): 127.0.0.0/8
_SCHEME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789+-.")


def host_of_url(text: str) -> HostFact:
    """The host that a URL leads to (RFC 3986 3.2), also when the scheme is missing.

    Unknown where programs differ on it: backslashes, blanks or control characters, several `@`, no `//` behind a
    scheme, an encoded host, an octal address.
    """
    stripped = text.strip()
    if "\\" in stripped or any(char.isspace() or char < " " or char == "\x7f" for char in stripped):
        return HostFact(None, None, text)
    scheme, marker, rest = stripped.partition("://")
    if not marker:
        if stripped.partition(":")[0].lower() in _SCHEMES and ":" in stripped:
            return HostFact(None, None, text)
        return _of_authority(stripped.removeprefix("//"), None, text)
    scheme = scheme.lower()
    if not scheme or not _SCHEME.issuperset(scheme):
        return HostFact(None, None, text)
    return _of_authority(rest, _PORTS.get(scheme.rsplit("+", 1)[-1]), text)


def _of_authority(rest: str, port: int | None, source: str) -> HostFact:
    """The host of what stands behind `//`, up to the path, query or fragment."""
    end = min([at for at in (rest.find("/"), rest.find("?"), rest.find("#")) if at >= 0], default=len(rest))
    authority = rest[:end]
    if authority.count("@") > 1:
        return HostFact(None, None, source)
    name, written = _split_port(authority.rpartition("@")[2])
    if written is not None:
        if written and not (written.isascii() and written.isdigit() and int(written[:6]) < 65536):
            return HostFact(None, None, source)
        port = int(written) if written else port
    return HostFact(host_name(name) if name else None, port, source)


def _split_port(text: str) -> tuple[str, str | None]:
    if text[:1] == "[":
        name, bracket, rest = text.partition("]")
        if not bracket or (rest and rest[0] != ":"):
            return "", None
        return name + bracket, rest[1:] if rest else None
    if text.count(":") > 1:  # an address without its brackets, or nonsense
        return "", None
    name, colon, port = text.partition(":")
    return name, port if colon else None


def host_of_word(word: Word) -> HostFact:
    """The host that a word of a command names: a URL, `host`, `host:port`, `user@host`, `user@host:path`, `host:path`.

    Unknown for a path and for a bare name without dots: that may be an alias (ssh_config(5) "Host", a git remote).
    """
    if type(word) is not str:
        return _of_partial(word)
    if "://" in word or word.startswith("//"):
        return host_of_url(word)
    if not word or word[0] in "./~-":
        return HostFact(None, None, word)
    before, colon, after = word.partition("/")[0].partition(":")
    if not colon or (after.isascii() and after.isdigit()) or "[" in before:
        fact = host_of_url(word)
        return fact._replace(name=None) if _may_be_alias(fact) else fact
    if "@" in after or before.lower() in _SCHEMES:
        return HostFact(None, None, word)  # `user:secret@host` to some, `host:path` to others; `http:host` to curl(1)
    fact = host_of_url(before)._replace(port=None, source=word)  # scp(1): behind the first colon stands a path
    return fact._replace(name=None) if _may_be_alias(fact) else fact


def _may_be_alias(fact: HostFact) -> bool:
    name = fact.name or ""
    return fact.port is None and name != "localhost" and "." not in name and ":" not in name


def _of_partial(word: Any) -> HostFact:
    """The host of a URL whose holes come behind its host."""
    prefix: str = word.prefix
    at = prefix.find("://")
    start = at + 3 if at >= 0 else 0
    if any(mark in prefix[start:] for mark in "/?#"):
        return host_of_word(prefix)._replace(source=word.source)
    return HostFact(None, None, word.source)


def match_host(pattern: Any, fact: HostFact, wide: bool) -> int:
    """Truth of a HostPattern (or its row) on a host. wide: the names and addresses of this machine are one."""
    where, port = pattern[0], pattern[1]
    truth = _match_name(where, fact.name, wide)
    if truth == NO or port is None:
        return truth
    if fact.port is None:
        return MAYBE
    return truth if fact.port == port else NO


def _match_name(where: Any, name: str | None, wide: bool) -> int:
    first = where[0]
    if len(where) == 1 and first == ANY:
        return YES
    if name is None:
        return MAYBE
    if first in (4, 6) or address_of(name) is not None or name == "localhost" or name.endswith(".localhost"):
        return _match_address(where, name, wide)
    return YES if _match_labels(where, name.split(".")) else NO


def _match_labels(where: Any, labels: list[str]) -> bool:
    first, behind = where[0], list(where[1:])
    if first == ANY:
        return len(labels) > len(behind) and labels[len(labels) - len(behind) :] == behind
    return len(labels) == len(where) and labels[1:] == behind and glob_matches(first, labels[0])


def _match_address(where: Any, name: str, wide: bool) -> int:
    """An address, or a name of this machine (RFC 6761 6.3: `localhost` and all below it), on a pattern."""
    if where[0] in (4, 6):
        if _in_network(where, name) or (wide and _is_own(name) and any(_in_network(where, own) for own in _OWN)):
            return YES
        return NO
    if where == (name,) or (where[0] == ANY and _match_labels(where, name.split(".")) and address_of(name) is None):
        return YES
    same = tuple(where) == tuple(name.split(".")) and address_of(name) is None
    return YES if same or (wide and _is_own(name) and _is_own(".".join(map(str, where)))) else NO


_OWN = ("127.0.0.1", "::1", "0.0.0.0", "::")  # noqa: S104  (compared with, never bound)


def _is_own(name: str) -> bool:
    """Whether a connection to `name` stays on this machine. Connecting to the unspecified address does, on Linux."""
    if name == "localhost" or name.endswith(".localhost") or name in _OWN:
        return True
    address = address_of(name) if name else None
    return address is not None and address[0] == 4 and address[1] >> 24 == _LOOPBACK_V4


def _in_network(where: Any, name: str) -> bool:
    version, base, length = where
    address = address_of(name)
    if address is None or address[0] != version:
        return False
    shift = (32 if version == 4 else 128) - length
    return bool(address[1] >> shift == base >> shift)
