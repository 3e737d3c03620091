"""Compound commands: bash(1) "Compound Commands". Each function stands on the reserved word that opens its command."""

from __future__ import annotations

import re

from remit.shell import constructs
from remit.shell.arithmetic import arithmetic, arithmetic_end
from remit.shell.assignments import note_value
from remit.shell.commands import Setting
from remit.shell.conditional import conditional
from remit.shell.lists import body, command_list, newline, newlines
from remit.shell.patterns import pattern
from remit.shell.reader import Reader
from remit.shell.redirections import redirections
from remit.shell.simple import define
from remit.shell.word_reader import read_word
from remit.shell.words import Hole, Partial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?=[ \t\n;]|\\\n|\Z)")
_FUNCTION_NAME = re.compile(r"[^\s\\'\"`$;&|<>()*?\[{}~=]+")
_THEN = frozenset(("then",))
_BRANCH_ENDS = frozenset(("elif", "else", "fi"))
_FI = frozenset(("fi",))
_DO = frozenset(("do",))
_DONE = frozenset(("done",))
_CLOSE_BRACE = frozenset(("}",))
_CLOSE_PARENTHESIS = frozenset((")",))
_CLAUSE_ENDS = frozenset((";;", "esac"))


def redirected(reader: Reader, after: str) -> None:
    """The redirections behind a compound command, as a command without words."""
    reader.space()
    draft = reader.begin(after)
    redirections(reader, draft)
    if not draft.redirections:
        reader.work.drafts.pop()


def _expect(reader: Reader, word: str) -> None:
    newlines(reader)
    if reader.reserved() != word:
        reader.decline(constructs.SYNTAX)
    reader.pos += len(word)


def parenthesis(reader: Reader) -> None:
    """`(list)`, or `((expression))` where a `))` matches."""
    if reader.at("(\\\n"):
        reader.decline(constructs.LINE_CONTINUATION)
    if reader.at("(("):
        reader.not_sh()
        end = arithmetic_end(reader, reader.pos + 2)
        if end >= 0:
            reader.pos += 2
            arithmetic(reader, end)
            reader.pos = end + 2
            return
    saved = reader.enter("subshell")
    reader.pos += 1
    body(reader, _CLOSE_PARENTHESIS)
    if not reader.accept(")"):
        reader.decline(constructs.SYNTAX)
    reader.leave(saved)


def group(reader: Reader) -> None:
    """`{ list; }`."""
    saved = reader.enter("group")
    reader.pos += 1
    body(reader, _CLOSE_BRACE)
    _expect(reader, "}")
    reader.leave(saved)


def branch(reader: Reader) -> None:
    """`if list; then list; [elif list; then list;] … [else list;] fi`."""
    saved = reader.enter("branch")
    _expect(reader, "if")
    _condition(reader)
    while reader.reserved() == "elif":
        reader.pos += len("elif")
        _condition(reader)
    if reader.reserved() == "else":
        reader.pos += len("else")
        body(reader, _FI)
    _expect(reader, "fi")
    reader.leave(saved)


def _condition(reader: Reader) -> None:
    body(reader, _THEN)
    _expect(reader, "then")
    body(reader, _BRANCH_ENDS)


def loop(reader: Reader) -> None:
    """`while list; do list; done`, `until …`."""
    saved = reader.enter("loop")
    reader.pos += len("while")
    body(reader, _DO)
    _do_group(reader)
    reader.leave(saved)


def _do_group(reader: Reader) -> None:
    _expect(reader, "do")
    body(reader, _DONE)
    _expect(reader, "done")


def for_loop(reader: Reader) -> None:
    """`for name [in words]; do list; done`, `for ((…;…;…)); do list; done`."""
    saved = reader.enter("loop")
    reader.pos += len("for")
    reader.space()
    if reader.at("(("):
        _arithmetic_head(reader)
    else:
        _word_head(reader)
    _loop_body(reader)
    reader.leave(saved)


def select(reader: Reader) -> None:
    """`select name [in words]; do list; done`."""
    reader.not_sh()
    saved = reader.enter("branch")
    reader.pos += len("select")
    reader.space()
    _word_head(reader)
    _loop_body(reader)
    reader.leave(saved)


def _loop_body(reader: Reader) -> None:
    """`do … done`, or the undocumented `{ … }` that bash takes too."""
    newlines(reader)
    if reader.reserved() == "{":
        reader.only_bash()
        reader.pos += 1
        body(reader, _CLOSE_BRACE)
        _expect(reader, "}")
    else:
        _do_group(reader)


def _arithmetic_head(reader: Reader) -> None:
    reader.not_sh()
    end = arithmetic_end(reader, reader.pos + 2)
    if end < 0:
        reader.decline(constructs.SYNTAX)
    reader.pos += 2
    arithmetic(reader, end)
    reader.pos = end + 2
    reader.space()
    reader.accept(";")


def _word_head(reader: Reader) -> None:
    """`name [in words]` and the separator."""
    name = _NAME.match(reader.text, reader.pos)
    if not name:
        reader.decline(constructs.SYNTAX)
    reader.pos = name.end()
    newlines(reader)
    if reader.reserved() == "in":
        reader.pos += len("in")
        _head_words(reader, name[0])
        return
    reader.work.sets.append(Setting(name[0], Partial((Hole("param", "$@", "", True),), "$@"), reader.context[-1].id))
    if reader.at(";") and not reader.at(";;"):
        reader.pos += 1


def _head_words(reader: Reader, name: str) -> None:
    reader.space()
    while not (reader.at(";") or reader.at("\n")):
        word = read_word(reader)
        if word is None:
            reader.decline(constructs.SYNTAX)
        reader.work.count_words(reader, 1)
        note_value(reader, word)
        reader.work.sets.append(Setting(name, word, reader.context[-1].id))
        reader.space()
    if reader.at(";;") or reader.at(";&"):
        reader.decline(constructs.SYNTAX)
    if not reader.accept(";"):
        newline(reader)


def case(reader: Reader) -> None:
    """`case word in [[(] pattern [| pattern] … ) list ;;] … esac`."""
    saved = reader.enter("branch")
    reader.pos += len("case")
    reader.space()
    if read_word(reader) is None:
        reader.decline(constructs.SYNTAX)
    _expect(reader, "in")
    newlines(reader)
    while reader.reserved() != "esac":
        _clause(reader)
        newlines(reader)
    reader.pos += len("esac")
    reader.leave(saved)


def _clause(reader: Reader) -> None:
    _patterns(reader)
    command_list(reader, _CLAUSE_ENDS)
    if reader.at(";;") or reader.at(";&"):
        _clause_end(reader)
    elif reader.reserved() != "esac":
        reader.decline(constructs.SYNTAX)


def _patterns(reader: Reader) -> None:
    reader.accept("(")
    while True:
        reader.space()
        pattern(reader)
        reader.space()
        if reader.accept(")"):
            return
        if not reader.accept("|"):
            reader.decline(constructs.SYNTAX)


def _clause_end(reader: Reader) -> None:
    if reader.accept(";;&") or reader.accept(";&"):
        reader.only_bash()
    else:
        reader.accept(";;")


def function(reader: Reader) -> None:
    """`function name [()] compound-command`: bash(1) "Shell Function Definitions"."""
    reader.pos += len("function")
    reader.space()
    name = _FUNCTION_NAME.match(reader.text, reader.pos)
    if not name:
        reader.decline(constructs.SYNTAX)
    reader.pos = name.end()
    reader.space()
    if reader.accept("("):
        reader.blanks()
        if not reader.accept(")"):
            reader.decline(constructs.SYNTAX)
    define(reader, name[0])


COMPOUNDS: dict[str, Callable[[Reader], None]] = {
    "(": parenthesis,
    "{": group,
    "if": branch,
    "while": loop,
    "until": loop,
    "for": for_loop,
    "select": select,
    "case": case,
    "[[": conditional,
}
