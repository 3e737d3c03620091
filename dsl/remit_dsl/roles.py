"""Flags of a role in a compiled `program` declaration (see `programs`); apart, so that reading them imports nothing."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

TREE: Final = 1  # everything below the path as well
DYNAMIC: Final = 2  # words that are not known are put in or added when the command runs
ELSEWHERE: Final = 4  # runs as somebody else, or somewhere else
HERE: Final = (
    8  # the working directory, when no operand stands there; to `connect`, the remote that only a configuration names
)
LAST: Final = 16  # ends the options
ASSIGNS: Final = 32  # leading NAME=value words are assignments
PAIR: Final = 64  # the option takes two words, and the second has the role
REST: Final = 128  # the role is that of what the last star of the pattern stands for
PERHAPS: Final = 256  # only possible, whatever is known of the words
LITERAL: Final = 512  # the pattern speaks of words that are known only

# What stands in the place of an operand with the flag HERE, by what is done with it; "." for all that is not named. That git fetches
# from origin where nothing else is said: git-fetch(1), DESCRIPTION.
INSTEAD: Final = {"connect": "origin"}

FLAGS: Final = {
    "tree": TREE,
    "dynamic": DYNAMIC,
    "elsewhere": ELSEWHERE,
    "here": HERE,
    "last": LAST,
    "assigns": ASSIGNS,
    "pair": PAIR,
    "rest": REST,
    "perhaps": PERHAPS,
    "literal": LITERAL,
}
