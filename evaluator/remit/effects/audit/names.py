"""Names that secrets are given to: variables, parameters, headers, options."""

from __future__ import annotations

# Compared without case, `_`, `-` and `.`.
_WITHIN = (
    "password", "passwd", "passphrase", "passcode", "secret", "token", "apikey", "accesskey", "privatekey", "secretkey",
    "signingkey", "encryptionkey", "masterkey", "accountkey", "authkey", "credential", "authorization", "cookie",
    "connectionstring", "jwt", "bearer", "hmac",
)  # fmt: skip
_WHOLE = frozenset((
    "pwd", "pass", "pw", "sig", "auth", "pin", "otp", "dsn", "salt", "signature", "sharedaccesssignature", "psk", "sas",
    "sessionid",
))  # fmt: skip
_ENDINGS = ("_key", "-key", "_pass", "-pass", "_pwd", "_pw", "_auth", "_dsn", "_pat", "_salt", "_otp")
# What names where a secret is, or counts words, is none.
_NOT = ("file", "path", "dir", "tokens", "tokenizer", "name", "length", "count", "id")
_STILL = ("accesskeyid",)
_DROPPED = {ord(char): None for char in "_-."}


def is_secret_name(name: str) -> bool:
    """Whether what is given to this name has to be taken for a secret."""
    if len(name) > 256:
        name = name[-256:]
    lowered = name.lower()
    plain = lowered.translate(_DROPPED)
    if plain.endswith(_STILL):
        return True
    if plain in _WHOLE:
        return True
    if plain.endswith(_NOT):
        return False
    return lowered.endswith(_ENDINGS) or any([word in plain for word in _WITHIN])


def option_name(word: str) -> str:
    """The name of an option whose value is the next word; "" for any other word."""
    return word.lstrip("-") if word.startswith("-") and "=" not in word and " " not in word else ""
