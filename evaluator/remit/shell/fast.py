"""The fast path: plain words, simple quotes, redirections to plain words, joined by `&&`, `||`, `;`, `|`, `|&`, newline.

It gives what the whole grammar would give (a test holds the two together), or None for everything that it does not know
entirely: expansions, globs, reserved words, assignments, comments, `&`, characters beyond printable ASCII. It goes from one
special character to the next, and does without `re`, whose import takes as long as all the rest of a hook.
"""

from __future__ import annotations

from remit.shell.commands import Context, Redirection, Script, SimpleCommand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from remit.shell.words import Word

MAX_LENGTH = 2048
_MAX_COMMANDS = 256

# What words may be made of without meaning anything to the shell, and the blanks between them; everything else is special.
_PLAIN = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+:,./^=- \t"
_SIMPLE = b"&|;<>\n"  # what the specials are that need no quotes to be known here
_BLANKS = " \t"
_ENDING = frozenset("\n;&|")  # specials that may follow a word without a blank
_OPERATORS = ("&&", "||", "|&", "|", ";", "\n")
_REDIRECTIONS = ("&>>", "&>", ">>", "<&", ">&", ">|", "<", ">")
_NOT_BEHIND = {"<&": "-", ">&": "-", ";": ";&", "<": "&", ">": "&"}
_PIPES = frozenset(("|", "|&"))
_RESERVED = frozenset(
    "if then else elif fi for while until do done case esac select function in time coproc".split()  # noqa: SIM905
)

NOTHING = Script((), (), ())


class _Declined(Exception):
    """The text is not plain."""


def fast(text: str) -> Script | None:
    """The commands of a plain text; None if it is not plain, or longer than 2048 characters."""
    if not text.isascii() or len(text.rstrip(_BLANKS)) > MAX_LENGTH:
        return None
    specials = text.encode().translate(None, _PLAIN)
    if not specials:
        return _single(text)
    if (b"'" not in specials and b'"' not in specials and specials.translate(None, _SIMPLE)) or "<<" in text:
        return None  # soon told, so that texts for the grammar lose no time here
    try:
        return _Reader(text, specials.decode()).script()
    except _Declined:
        return None


def _single(text: str) -> Script | None:
    """One command of plain words, or none."""
    words = text.split()
    if not words:
        return NOTHING
    if words[0] in _RESERVED or "=" in words[0]:
        return None
    start, end = len(text) - len(text.lstrip(_BLANKS)), len(text.rstrip(_BLANKS))
    return Script((SimpleCommand(tuple(words), (), (), (), "", start, end),), (), ())


class _Reader:
    """One reading of a text. specials: its special characters in order; `at` counts those that have been read, `pos` the text."""

    __slots__ = (
        "after", "argv", "at", "commands", "context", "end", "pipelines", "pos", "redirections", "specials", "start", "text",
    )  # fmt: skip

    def __init__(self, text: str, specials: str) -> None:
        self.text, self.specials = text, specials
        self.pos = self.at = self.pipelines = self.end = 0
        self.start = -1
        self.after = ""
        self.commands: list[SimpleCommand] = []
        self.argv: list[Word] = []
        self.redirections: list[Redirection] = []
        self.context: tuple[Context, ...] = ()

    def script(self) -> Script:
        """All of the text. Raises _Declined."""
        while self.at < len(self.specials):
            self._to_special()
        self._words(self.text[self.pos :])
        if self.start >= 0:
            self._finish()
        elif self.after not in ("", ";"):
            raise _Declined
        if len(self.commands) > _MAX_COMMANDS:
            raise _Declined
        return Script(tuple(self.commands), (), ())

    def _next(self) -> int:
        """Where the next special character stands, or the end of the text."""
        return self.text.index(self.specials[self.at], self.pos) if self.at < len(self.specials) else len(self.text)

    def _to_special(self) -> None:
        """The words up to the next special character, and what it begins."""
        place = self._next()
        special = self.text[place]
        before = self.text[self.pos : place]
        if special in _ENDING:
            self._words(before)
            self._operator_or_redirection(special)
            return
        touching = "" if before[-1:] in _BLANKS else before.rpartition(" ")[2].rpartition("\t")[2]
        self._words(before[: len(before) - len(touching)])
        if special in "'\"":
            self._quoted(place - len(touching), touching)
        elif special in "<>" and (not touching or (len(touching) == 1 and touching.isdigit())):
            self._redirection(touching)
        else:
            raise _Declined

    def _words(self, segment: str) -> None:
        """Plain words with blanks around them."""
        words = segment.split()
        if words:
            self._begin(self.pos + len(segment) - len(segment.lstrip(_BLANKS)), words[0])
            self.argv += words
            self.end = self.pos + len(segment.rstrip(_BLANKS))
        self.pos += len(segment)

    def _begin(self, start: int, source: str) -> None:
        """A word starts here, that the grammar must look at if it is a command's first and may be more than a name."""
        if not self.argv and (source in _RESERVED or "=" in source):
            raise _Declined
        if self.start < 0:
            self.start = start

    def _quoted(self, start: int, before: str) -> None:
        """A word with quoted parts, that begins with `before`."""
        text, pieces, pos = self.text, [before], self.pos + len(before)
        while True:
            close = text.find(text[pos], pos + 1)
            quoted = text[pos + 1 : close]
            if close < 0 or not _is_literal(quoted, text[pos]):
                raise _Declined
            pieces.append(quoted)
            self.at += 2 + len(quoted.encode().translate(None, _PLAIN))
            self.pos = close + 1
            pieces.append(self._bare())
            pos = self.pos
            if text[pos : pos + 1] not in ("'", '"'):
                break
        self._begin(start, text[start:pos])
        self._end_of_word()
        self.argv.append("".join(pieces))

    def _bare(self) -> str:
        """The plain characters from here to the next blank or special character."""
        bare = self.text[self.pos : self._next()].partition(" ")[0].partition("\t")[0]
        self.pos += len(bare)
        return bare

    def _end_of_word(self) -> None:
        if self.pos == self._next() < len(self.text) and self.specials[self.at] not in _ENDING:
            raise _Declined
        self.end = self.pos

    def _operator_or_redirection(self, special: str) -> None:
        if special == "&" and self.text.startswith("&>", self.pos):
            self._redirection("")
            return
        operator = self._take(_OPERATORS)
        if self.start < 0:
            if operator != "\n":
                raise _Declined
            return
        if operator in _PIPES and not self.context:
            self.pipelines += 1
            self.context = (Context("pipeline", self.pipelines),)
        self._finish()
        self.after = ";" if operator == "\n" else operator
        if operator not in _PIPES:
            self.context = ()

    def _finish(self) -> None:
        """The command ends here."""
        argv, redirections = tuple(self.argv), tuple(self.redirections)
        self.commands.append(SimpleCommand(argv, (), redirections, self.context, self.after, self.start, self.end))
        self.argv, self.redirections, self.start = [], [], -1

    def _redirection(self, descriptor: str) -> None:
        """An operator with the descriptor in front of it, and the plain word behind it."""
        if self.start < 0:
            self.start = self.pos
        self.pos += len(descriptor)
        operator = self._take(_REDIRECTIONS)
        while self.text[self.pos : self.pos + 1] in (" ", "\t"):
            self.pos += 1
        target = self._bare()
        if not target:
            raise _Declined
        self._end_of_word()
        self.redirections.append(Redirection(descriptor, operator, target))

    def _take(self, operators: tuple[str, ...]) -> str:
        """The operator that stands here, the longest that fits. All of its characters are special."""
        for operator in operators:
            if self.text.startswith(operator, self.pos):
                self.pos += len(operator)
                self.at += len(operator)
                behind = self.text[self.pos : self.pos + 1]
                if behind and behind in _NOT_BEHIND.get(operator, ""):
                    break
                return operator
        raise _Declined


def _is_literal(quoted: str, quote: str) -> bool:
    """Whether a text between quotes stands for itself."""
    if quote == '"' and ("$" in quoted or "`" in quoted or "\\" in quoted):
        return False
    return quoted.isprintable() or quoted.replace("\n", "").replace("\t", "").isprintable()
