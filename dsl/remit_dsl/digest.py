"""SHA-256 (FIPS 180-4) from the interpreter's own module where there is one: hashlib loads OpenSSL, which a hook pays for on
every call."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# CPython 3.12 and later, CPython 3.11; any other interpreter
NAMES = ("_sha2" if sys.version_info >= (3, 12) else "_sha256", "hashlib")


def sha256(data: bytes) -> Any:
    """A hash object over `data`: `update` adds to it, `hexdigest` gives 64 hexadecimal digits."""
    for name in NAMES:
        try:
            return __import__(name).sha256(data)
        except (ImportError, AttributeError):
            continue
    raise RuntimeError("this Python has no SHA-256")


def fingerprint_of(text: str) -> str:
    """`sha256:` and the hash of a text in UTF-8; lone surrogates are hashed as they are."""
    return "sha256:" + str(sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
