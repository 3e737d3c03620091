"""Settings files on disk: read within bounds, replaced as a whole, the last content kept beside."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator

from remit.installing.settings_json import SettingsError
from remit.regular_files import read_regular

MAX_BYTES = 4 * 1024 * 1024
BACKUP = ".before-remit"


def read(path: str) -> str:
    """The file's text, "" where there is none. Raises SettingsError."""
    try:
        content = read_regular(path, MAX_BYTES)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise SettingsError(error.strerror or str(error)) from None
    if len(content) > MAX_BYTES:
        raise SettingsError(f"longer than {MAX_BYTES} bytes")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SettingsError(f"not UTF-8 at byte {error.start}") from None


def replace(path: str, before: str, after: str) -> None:
    """Put `after` in the place of `before`, or remove the file for "". Raises SettingsError; then the file is as it was.

    What a link points to is replaced, not the link, if it stays in the account's hands. The first content that was not remit's is kept at
    `path` + BACKUP. Of two at once the second fails: what it read is no longer what is there.
    """
    try:
        real = os.path.realpath(path)
        os.makedirs(os.path.dirname(real), mode=0o755, exist_ok=True)
        with _locked(real):
            if read(path) != before:
                raise SettingsError("it was changed meanwhile; try again")
            _keep(real, before)
            _write(real, after) if after else _remove(real)
    except OSError as error:
        raise SettingsError(error.strerror or str(error)) from None


@contextlib.contextmanager
def _locked(real: str) -> Iterator[None]:
    """Alone with the file, among those who ask here (flock(2))."""
    import fcntl

    folder = os.open(os.path.dirname(real), os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _keep(real: str, before: str) -> None:
    if before and not os.path.lexists(real + BACKUP):
        _write(real + BACKUP, before, mode=0o600)


def _write(real: str, text: str, mode: int | None = None) -> None:
    if mode is None:
        mode = stat.S_IMODE(os.stat(real).st_mode) if os.path.exists(real) else 0o644
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(real), prefix=".remit-", suffix=".new")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        os.replace(temporary, real)
    except BaseException:
        os.unlink(temporary)
        raise


def _remove(real: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(real)
