"""Policy text in its one canonical form: the same tree, the same comments in the same order."""

from __future__ import annotations

from remit_dsl.diagnostics import Diagnostic
from remit_dsl.layout import Layout, Line, has_blank_line
from remit_dsl.parser import parse
from remit_dsl.source import Source
from remit_dsl.tree import Comment, File

# Comments inside a statement that is joined move out of it, which can let the statement fit on one line the next time.
_MAX_PASSES = 4


def format_source(source: Source) -> tuple[str | None, tuple[Diagnostic, ...]]:
    """The canonical text of a policy file, or None and why it does not parse.

    Formatting the result again changes nothing. It parses to the tree of the source, save for places and for the order
    of a rule's clauses. Every comment is kept, behind the line or in front of the line that holds what it followed.
    """
    text: str | None = None
    for _ in range(_MAX_PASSES):
        file, diagnostics = parse(source)
        if file is None:
            return None, diagnostics
        text = _format(source.text, file)
        if text == source.text:
            break
        source = Source(source.name, text)
    return text, ()


def _format(source_text: str, file: File) -> str:
    layout = Layout(source_text, file)
    lines = [line for statement in file.statements for line in layout.statement(statement)]
    page = _Page(source_text)
    comments = list(file.comments)
    _place_comments(page, lines, comments)
    return "".join([f"{line}\n" for line in page.lines])


def _place_comments(page: _Page, lines: list[Line], comments: list[Comment]) -> None:
    """Writes the lines with each comment near what it stood near, never two comments in another order."""
    at = 0
    while at < len(comments) and (not lines or comments[at].span.start < lines[0].start):
        at = page.own_line(comments, at, lines[0] if lines else None)
    for i, line in enumerate(lines):
        after = lines[i + 1] if i + 1 < len(lines) else None
        inside: list[Comment] = []
        while at < len(comments) and (after is None or comments[at].span.start < after.start):
            if comments[at].own_line and comments[at].span.start >= line.end:
                break
            inside.append(comments[at])
            at += 1
        trailing = inside.pop() if inside and not inside[-1].own_line else None
        page.line(line, inside, trailing)
        while at < len(comments) and (after is None or comments[at].span.start < after.start):
            at = page.own_line(comments, at, after)


class _Page:
    """The lines written so far. Blank lines of the source are kept, one at most, never at either end of a block."""

    def __init__(self, source_text: str) -> None:
        self._text = source_text
        self._opened = True  # nothing yet, or a line that opens a block
        self.lines: list[str] = []

    def line(self, line: Line, before: list[Comment], trailing: Comment | None) -> None:
        if line.spaced:
            self._keep_blank_line(before[0].span.start if before else line.start)
        margin = " " * line.indent
        self.lines += [f"{margin}{comment.text}" for comment in before]
        self.lines.append(f"{margin}{line.text}" + (f"  {trailing.text}" if trailing else ""))
        self._opened = line.text.endswith("{")

    def own_line(self, comments: list[Comment], at: int, after: Line | None) -> int:
        """Writes one comment on a line of its own, as deep as the line `after` it or the block that ends there."""
        indent = 0 if after is None else after.indent + (2 if after.text.startswith("}") else 0)
        if after is None or after.spaced or after.text.startswith("}"):
            self._keep_blank_line(comments[at].span.start)
        self.lines.append(" " * indent + comments[at].text)
        self._opened = False
        return at + 1

    def _keep_blank_line(self, offset: int) -> None:
        start = offset
        while start > 0 and self._text[start - 1] in " \t\r\n,\ufeff":
            start -= 1
        if not self._opened and has_blank_line(self._text, start, offset):
            self.lines.append("")
