"""Places by what is usually kept there: credentials, what the system consists of. For words to people only: policies decide by patterns."""

from __future__ import annotations

# Folders of credentials in a home: ssh(1), gpg(1), and the cloud tools that everybody has.
_FOLDERS = frozenset((".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", "keyrings", "gcloud"))
_NAMES = frozenset((
    ".netrc", "_netrc", ".pgpass", ".git-credentials", ".npmrc", ".pypirc", ".htpasswd", "credentials", "credentials.json",
    "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "shadow", "gshadow", "secrets.json", "secrets.yaml", "secrets.yml",
))  # fmt: skip
_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk")
# hier(7): what the system is made of, and windows into its kernel.
_SYSTEM = ("/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/root", "/run", "/sbin", "/sys", "/usr", "/var")
_HARMLESS_DEVICES = frozenset(("/dev/null", "/dev/zero", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"))


def holds_credentials(path: str) -> bool:
    """Whether an absolute path looks like a place for credentials."""
    parts = path.split("/")
    name = parts[-1]
    env = name == ".env" or (name.startswith(".env.") and name not in (".env.example", ".env.sample", ".env.template"))
    return env or name in _NAMES or name.endswith(_ENDINGS) or not _FOLDERS.isdisjoint(parts)


def is_system(path: str) -> bool:
    """Whether an absolute path belongs to the system rather than to somebody's work; `/` itself does."""
    if path in _HARMLESS_DEVICES:
        return False
    return path == "/" or any(path == folder or path.startswith(folder + "/") for folder in _SYSTEM)
