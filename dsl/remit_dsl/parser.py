"""Policy text -> syntax tree. The only module that knows lark.

The grammar is read and its tables are built once per process, when the first text is parsed. The tree is built while
the text is read, so no pass over an intermediate tree is needed and depth costs no Python stack.
"""

from __future__ import annotations

import re
import threading
from functools import cache
from importlib import resources
from typing import Any, Final

from lark import Lark, Token, UnexpectedInput, UnexpectedToken

from remit_dsl.builder import Builder
from remit_dsl.diagnostics import MAX_DIAGNOSTICS, Diagnostic, cap
from remit_dsl.escapes import UNWRITABLE
from remit_dsl.source import Source
from remit_dsl.syntax_errors import STATEMENTS, Stop, explain
from remit_dsl.tree import File

MAX_FILE_CHARACTERS = 4 * 1024 * 1024
MAX_NESTING = 64  # brackets of conditions and blocks; later steps walk the tree by recursion

# Tabs and line breaks are fine, and so is a carriage return in front of a line break.
_FORBIDDEN: Final = re.compile(f"(?![\t\n]|\r\n)[{UNWRITABLE}]")
_MARGIN: Final = re.compile(rf"^(?:{'|'.join(' '.join(STATEMENTS.values()).split())})(?![A-Za-z0-9_.*-])", re.MULTILINE)
# How a terminal of one or more keywords looks as a regular expression: see `_END` in the grammar.
_KEYWORDS: Final = re.compile(r"(?:\(\?:)?([a-z][a-z.|\\-]*)\)?\(\?[!=].*", re.DOTALL)
_lock = threading.Lock()  # the builder and the nesting count serve one text at a time


class _TooDeep(Exception):
    """Brackets are nested deeper than MAX_NESTING; the argument is the offset of the one too many."""


def parse(source: Source) -> tuple[File | None, tuple[Diagnostic, ...]]:
    """The tree of a policy file, or None and what is wrong with it, at most 100 findings.

    Total: any text gives an answer, in time linear in its length. After an error, reading goes on at the next line that
    begins with the first word of a statement, so that one run names every mistake.
    """
    refused = _refused(source)
    if refused:
        return None, cap(refused)
    with _lock:
        return _parse(source)


def _refused(source: Source) -> list[Diagnostic]:
    """Why the text is not even read: its length, or characters in it that no policy may hold."""
    text = source.text
    if len(text) > MAX_FILE_CHARACTERS:
        message = f"file of {len(text)} characters is longer than {MAX_FILE_CHARACTERS}"
        return [Diagnostic("E109", message, "split it into several files", source.name, 0, 0)]
    found = []
    for match in _FORBIDDEN.finditer(text, 1 if text.startswith("\ufeff") else 0):
        message = f"character U+{ord(match.group()):04X} may not stand in a policy"
        help_text = f"in a string it is written `\\u{{{ord(match.group()):X}}}`"
        found.append(Diagnostic("E106", message, help_text, source.name, match.start(), match.end()))
        if len(found) > MAX_DIAGNOSTICS:
            break
    return found


def _parse(source: Source) -> tuple[File | None, tuple[Diagnostic, ...]]:
    grammar = _grammar()
    problems: list[Diagnostic] = []
    base = 0
    while True:
        grammar.begin(source, base)
        try:
            file = grammar.lark.parse(source.text[base:])
        except UnexpectedInput as error:
            noted = list(grammar.builder.problems)
            stop = grammar.stop(source, base, _offset(error, base, len(source.text)))
            problems += [*noted, explain(source, stop)]
        except _TooDeep as error:
            stop_at = base + int(error.args[0])
            message = f"nested deeper than {MAX_NESTING}"
            help_text = "leave out parentheses that change nothing, or split the rule"
            deep = Diagnostic("E105", message, help_text, source.name, stop_at, stop_at + 1)
            problems += [*grammar.builder.problems, deep]
            stop = Stop(stop_at, {}, "", 0, 0, None)
        else:
            problems += grammar.builder.problems
            return (None, cap(problems)) if problems else (file, ())  # type: ignore[return-value]
        margin = _MARGIN.search(source.text, _resume(source.text, stop.offset, base))
        if margin is None or len(problems) > MAX_DIAGNOSTICS:
            return None, cap(problems)
        base = margin.start()


def _resume(text: str, offset: int, base: int) -> int:
    """Where to look for the next statement: at the place of the error, if that is not where reading began."""
    return offset if offset > base else base + 1


def _offset(error: UnexpectedInput, base: int, length: int) -> int:
    """Where the first text stands that fits nowhere; the end of the text if it ends too soon."""
    if isinstance(error, UnexpectedToken):
        return length if error.token.type == "$END" else base + (error.token.start_pos or 0)
    return base + (error.pos_in_stream or 0)


class _Grammar:
    """The parser, the builder that it calls, and the count of open brackets that the lexer keeps."""

    def __init__(self) -> None:
        self.builder = Builder()
        self.depth = 0
        opens, closes = ("_LPAR", "_LBRACE", "LSQB"), ("_RPAR", "RPAR", "RBRACE", "RSQB")
        self.lark = Lark(
            resources.files("remit_dsl").joinpath("grammar.lark").read_text(encoding="utf-8"),
            parser="lalr",
            lexer="contextual",
            transformer=self.builder,
            maybe_placeholders=False,
            propagate_positions=False,
            lexer_callbacks={
                "COMMENT": self.builder.note_comment,
                **dict.fromkeys(opens, self._open),
                **dict.fromkeys(closes, self._close),
            },
        )
        self._terminals = {terminal.name: terminal for terminal in self.lark.terminals}

    def begin(self, source: Source, base: int) -> None:
        self.depth = 0
        self.builder.begin(source, base)

    def stop(self, source: Source, base: int, offset: int) -> Stop:
        """What would fit at `offset`. The text before it is read again: the parser that stopped has already drawn
        conclusions from the token that does not fit, and no longer knows all that would have."""
        self.begin(source, base)
        reader: Any = self.lark.parse_interactive(source.text[base:offset])
        try:
            reader.exhaust_lexer()
        except UnexpectedInput as error:
            # Only where a token ends depends on what follows it; then what has been read so far must do.
            reader = error.interactive_parser
        last = reader.lexer_thread.state.last_token
        stack = reader.parser_state.value_stack
        braces = [value for value in stack if isinstance(value, Token) and value.type == "_LBRACE"]
        return Stop(
            offset,
            {terminal: self._keywords(terminal) for terminal in reader.accepts()},
            last.type if last else "",
            base + last.start_pos if last else 0,
            base + last.end_pos if last else 0,
            base + (braces[-1].start_pos or 0) if braces else None,
        )

    def _keywords(self, terminal: str) -> tuple[str, ...]:
        definition = self._terminals.get(terminal)
        found = _KEYWORDS.fullmatch(definition.pattern.to_regexp()) if definition else None
        return tuple(sorted(found[1].replace("\\", "").split("|"))) if found else ()

    def _open(self, token: Token) -> Token:
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise _TooDeep(token.start_pos)
        return token

    def _close(self, token: Token) -> Token:
        self.depth -= 1
        return token


@cache
def _grammar() -> _Grammar:
    return _Grammar()
