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
_MAX_LINKS = 40  # as the kernel has it: path_resolution(7)


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

    What a link points to is replaced, not the link, if it stays in the account's hands: links, file and folder belong to it or root. The
    first content that was not remit's is kept at `path` + BACKUP. Of two at once the second fails: what it read is no longer what is there.
    """
    try:
        real = os.path.realpath(path)
        _check_links(path)
        os.makedirs(os.path.dirname(real), mode=0o755, exist_ok=True)
        _check_owner(os.path.dirname(real))
        _check_owner(real)
        with _locked(real):
            if read(path) != before:
                raise SettingsError("it was changed meanwhile; try again")
            _keep(real, before)
            _write(real, after) if after else _remove(real)
    except OSError as error:
        raise SettingsError(error.strerror or str(error)) from None


def _check_links(path: str) -> None:
    """Raises SettingsError where a link on the way, or one that it leads through, is somebody else's: it leads where they like."""
    step = os.path.abspath(path)
    for _ in range(_MAX_LINKS):
        link = _first_link(step)
        if not link:
            return
        _check_owner(link)
        step = os.path.join(os.path.dirname(link), os.readlink(link)) + step[len(link) :]
    raise SettingsError("it leads through too many links")


def _first_link(path: str) -> str:
    """The first link on the way to `path`, "" for none."""
    parts = path.split("/")
    ways = ["/".join(parts[:end]) for end in range(2, len(parts) + 1)]
    return next((way for way in ways if os.path.islink(way)), "")


def _check_owner(path: str) -> None:
    """Raises SettingsError where something is there that is neither this account's nor root's, or a folder in which anybody may write."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    anybody = stat.S_ISDIR(found.st_mode) and found.st_mode & 0o002
    if found.st_uid not in (0, os.geteuid()) or anybody:
        raise SettingsError(f"{path} is not this account's alone")


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
