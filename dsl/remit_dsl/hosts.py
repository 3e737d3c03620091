"""Host names and addresses in one form, so that they can be compared as text."""

from __future__ import annotations

MAX_NAME = 253  # RFC 1035 2.3.4, without the trailing dot
MAX_LABEL = 63

PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")
# IDNA 2003, which the standard library implements, and IDNA 2008 give these different names (RFC 5894 7.2).
_DEVIATIONS = frozenset("ßς\u200c\u200d")


def host_name(text: str) -> str | None:
    """A host name or address in its one form; None when it is none, or not one that every program reads alike.

    Names: ASCII (RFC 3490 for other scripts), lower-case, no trailing dot. IPv4: four decimal numbers. IPv6: compressed
    (RFC 5952), without brackets.
    """
    if text[:1] == "[" and text[-1:] == "]":
        return _ipv6(text[1:-1])
    if ":" in text:
        return _ipv6(text)
    name = text.lower() if text.isascii() else _ascii_name(text)
    if name is None:
        return None
    name = name.removesuffix(".")
    if not 0 < len(name) <= MAX_NAME or not PLAIN.issuperset(name):
        return None
    labels = name.split(".")
    if not all(0 < len(label) <= MAX_LABEL for label in labels):
        return None
    return _ipv4(labels) if _is_number(labels[-1]) else name


def _ascii_name(text: str) -> str | None:
    if len(text) > MAX_NAME or not _DEVIATIONS.isdisjoint(text):
        return None
    try:
        return text.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return None


def _is_number(label: str) -> bool:
    """Whether a last label makes the name an IPv4 address (WHATWG URL, "ends in a number")."""
    return label.isdigit() or (label.startswith("0x") and all(char in "0123456789abcdef" for char in label[2:]))


def _ipv4(labels: list[str]) -> str | None:
    """An address of one to four decimal or hexadecimal numbers, as inet_aton(3) reads it.

    None for a leading zero: some read it as octal, others as decimal.
    """
    if len(labels) > 4 or not all(_is_number(label) and label != "0x" for label in labels):
        return None
    if any(len(label) > 1 and label[0] == "0" and label[1] != "x" for label in labels):
        return None
    numbers = [int(label, 0) for label in labels]
    *leading, last = numbers
    if any(number > 255 for number in leading) or last >= 256 ** (5 - len(numbers)):
        return None
    value = last + sum([number << (24 - 8 * at) for at, number in enumerate(leading)])
    return ".".join([str(value >> shift & 255) for shift in (24, 16, 8, 0)])


def _ipv6(text: str) -> str | None:
    import ipaddress

    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return None
    if address.scope_id is not None:
        return None
    return str(address.ipv4_mapped or address)


def address_of(name: str) -> tuple[int, int] | None:
    """Version and number of an address in its one form; None for a name."""
    if ":" in name:
        import ipaddress

        return 6, int(ipaddress.IPv6Address(name))
    if not name[-1:].isdigit() or not _is_number(name.rsplit(".", 1)[-1]):
        return None
    value = 0
    for part in name.split("."):
        value = value << 8 | int(part)
    return 4, value
