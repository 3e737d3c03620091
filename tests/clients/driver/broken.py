"""Ways in which an installed hook can be broken, each done to the text that `remit install` wrote."""

from __future__ import annotations

import sys
from pathlib import Path

from remit import launch

# What stands in the place of the launcher. Each is started as it is, by the interpreter that was installed.
LAUNCHERS = {
    "crash": "raise RuntimeError('broken')\n",
    "exit 1": "import sys\nsys.exit(1)\n",
    "killed": "import os\nos.kill(os.getpid(), 9)\n",
    "killed in the middle": "import os\nos.write(1, b'{\"hookSpecific')\nos.kill(os.getpid(), 9)\n",
    "late": "import time\ntime.sleep(15)\n",
}
WAYS = ("", "no interpreter", *LAUNCHERS)


def broken(text: str, way: str, folder: Path) -> str:
    """The settings with the hook broken in one of WAYS; "" leaves it whole."""
    if way == "no interpreter":
        return _replaced(text, sys.executable, str(folder / "gone" / "python"))
    if way in LAUNCHERS:
        launcher = folder / "broken" / "remit" / "launch.py"
        launcher.parent.mkdir(parents=True)
        launcher.write_text(LAUNCHERS[way])
        return _replaced(text, launch.__file__, str(launcher))
    assert way == ""
    return text


def _replaced(text: str, old: str, new: str) -> str:
    assert old in text, f"the hook that was installed names no {old}"
    return text.replace(old, new)
