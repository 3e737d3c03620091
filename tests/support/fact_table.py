"""The table of commands that are run for real: `tests/programs/facts.txt`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

FACTS = Path(__file__).parents[1] / "programs" / "facts.txt"


class Row(NamedTuple):
    """A command of a program, its sign (`-` harmless, `+` with teeth, `~` either), and what is known to happen unseen."""

    program: str
    sign: str
    command: str
    unseen: tuple[str, ...] = ()

    def spelled(self, port: int, folder: Path) -> str:
        """The command as it is run."""
        return self.command.replace("{port}", str(port)).replace("{w}", str(folder))


def rows() -> list[Row]:
    """The table."""
    found, program = [], ""
    for line in FACTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("=== "):
            program = line[4:].strip()
        elif line[:2] in ("- ", "+ ", "~ "):
            found.append(Row(program, line[0], line[2:]))
        elif line.startswith("  unseen "):
            seen = line.removeprefix("  unseen ").partition(" # ")[0].strip()
            found[-1] = found[-1]._replace(unseen=(*found[-1].unseen, seen))
        else:
            assert not line or line.startswith("#"), line
    return found
