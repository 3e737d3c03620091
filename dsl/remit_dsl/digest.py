"""SHA-256 (FIPS 180-4) from the interpreter's own module where there is one: hashlib loads OpenSSL, which a hook pays for on
every call."""

from __future__ import annotations

from typing import Any

NAMES = ("_sha2", "_sha256", "hashlib")  # CPython 3.12 and later, CPython 3.11, any other


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
