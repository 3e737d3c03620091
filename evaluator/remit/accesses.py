"""What the words of a command touch: roles, redirections and bare possibilities -> accesses."""

from __future__ import annotations

from remit.facts import Access, Analysis, HostFact, PathFact, RoleUse
from remit.mentions import value_parts
from remit.network import host_of_word
from remit.paths import FileSystem, Roots, resolve, resolve_word
from remit.shell.commands import Assignment, Redirection
from remit.shell.words import Partial, Word
from remit.shell_state import State, fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

KINDS = {
    "read": ("fs.read",),
    "write": ("fs.write",),
    "delete": ("fs.delete",),
    "edit": ("fs.read", "fs.write"),
    "link": ("fs.read", "fs.write"),
    "enter": ("fs.read",),
}
ONE_KIND = {"read": "fs.read", "write": "fs.write", "delete": "fs.delete"}
FS_KINDS = ("fs.read", "fs.write", "fs.delete")
# Reading or writing these touches nothing: null(4), and the descriptors a process already holds (proc(5)).
NOTHING = frozenset(("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "-"))
READING_OPS = frozenset(("<",))
WRITING_OPS = frozenset((">", ">>", ">|", "&>", "&>>", ">&"))
MAX_POSSIBLE_WORDS = 64
# Options of searching programs that say which names of a tree are looked into (see `found_names`).
NARROWING = frozenset(("--include", "-g"))
MAX_ENTRIES = 1000  # of a folder that a glob is compared with


class Places:
    """Resolves words to paths, seen from the folders where a shell may be. wanted: whether any rule asks for paths."""

    __slots__ = ("cwds", "files", "roots", "seen", "wanted")

    def __init__(
        self,
        roots: Roots,
        files: FileSystem,
        wanted: bool,
        cwds: tuple[str, ...],
        seen: dict[tuple[str, str], PathFact] | None = None,
    ) -> None:
        self.roots = roots
        self.files = files
        self.wanted = wanted
        self.cwds = cwds
        self.seen: dict[tuple[str, str], PathFact] = {} if seen is None else seen

    def at(self, cwds: tuple[str, ...]) -> Places:
        """The same, seen from `cwds` (empty: it is not known where)."""
        return self if cwds == self.cwds else Places(self.roots, self.files, self.wanted, cwds, self.seen)

    def named(self, text: str) -> PathFact:
        """Where a path that a tool was given leads; `~` is home."""
        return resolve(text, self.roots, self.files)

    def path(self, word: Word) -> PathFact | None:
        """Where a shell's word leads, once the shell has expanded it; None when no rule asks."""
        if not self.wanted:
            return None
        return self.resolved(word)

    def resolved(self, word: Word) -> PathFact:
        """Where a shell's word leads, whether a rule asks or not."""
        if type(word) is str and word.startswith("/"):
            return self._one(word, self.roots.cwd)
        if not self.cwds:
            return _from_somewhere(word, self.roots, self.files)
        if len(self.cwds) == 1:
            return self._one(word, self.cwds[0])
        facts = [self._one(word, cwd) for cwd in self.cwds]
        if all(fact.paths for fact in facts):
            return facts[0]._replace(paths=tuple(dict.fromkeys([path for fact in facts for path in fact.paths])))
        return facts[0]._replace(paths=(), prefix="", suffix=facts[0].suffix)

    def _one(self, word: Word, cwd: str) -> PathFact:
        """Seen from one folder. What one request asks twice is looked up once."""
        if type(word) is not str:
            return resolve_word(word, self.roots.seen_from(cwd), self.files, {})
        fact = self.seen.get((word, cwd))
        if fact is None:
            fact = self.seen[word, cwd] = resolve(word, self.roots.seen_from(cwd), self.files, tilde=False)
        return fact

    def has_options(self, folder: str) -> bool:
        """Whether a name in the folder starts with a dash, or there are too many names to tell."""
        names = enumerate(self.files.scan(folder))
        return any(name.startswith("-") or seen >= MAX_ENTRIES for seen, (name, _) in names)

    def folders(self, text: str) -> tuple[str, ...]:
        """Where `cd text` may lead; empty when it is not known."""
        if text.startswith("/"):
            return self._one(text, self.roots.cwd).paths[:1]
        facts = [self._one(text, cwd) for cwd in self.cwds]
        if not all(fact.paths for fact in facts):
            return ()
        return tuple(dict.fromkeys([fact.paths[0] for fact in facts]))

    def inside_workspace(self, fact: PathFact | None) -> bool:
        """Whether every spelling lies in the workspace."""
        if fact is None or not fact.paths:
            return False
        return all(
            any(path == root or path.startswith(root.rstrip("/") + "/") for root in self.roots.workspace)
            for path in fact.paths
        )


def _from_somewhere(word: Word, roots: Roots, files: FileSystem) -> PathFact:
    """A relative path in a folder that is not known: only its end is, unless it climbs."""
    if type(word) is not str:
        return resolve_word(word, roots.seen_from(""), files, {})
    steps = [step for step in word.split("/") if step not in ("", ".")]
    end = "" if ".." in steps or not steps else "/" + "/".join(steps)
    return PathFact((), "", end, False, word)


def role_accesses(analysis: Analysis, places: Places, caps: Mapping[str, Any]) -> tuple[Access, ...]:
    """The accesses that a command's declaration gives its words."""
    found: list[Access] = []
    entered = places if all([use.kind == "enter" for use in analysis.roles]) else places_entered(analysis, places)
    for use in analysis.roles:
        kind, word, place, tree, sure = use
        if kind in ONE_KIND and type(word) is str:
            if word not in NOTHING:
                path = entered.path(word) if entered.wanted else None
                found.append(Access(ONE_KIND[kind], path, None, None, sure, tree, place))
        elif kind == "connect":
            found.append(Access("net.connect", None, host_of_word(word), None, sure, False, place))
        elif kind == "run":
            found.append(Access("exec", None, None, word, sure, False, place))
            if type(word) is not str or "/" in word or "." in word:  # a script's file, which may be shown as it is run
                found += _file_accesses(use._replace(kind="read"), entered)
        elif kind in KINDS and (type(word) is not str or word not in NOTHING):
            found += _file_accesses(use, places if kind == "enter" else entered)
    return tuple(found)


def places_entered(analysis: Analysis, places: Places) -> Places:
    """Seen from the working folder, and from each folder that an option changes to: which of them a word is seen from differs by
    program (`make -C`, `tar -C`), so that either spelling counts."""
    if not any([use.kind == "enter" for use in analysis.roles]):
        return places
    seen, current = places.cwds, places
    for use in analysis.roles:
        if use.kind != "enter":
            continue
        folders = current.folders(use.word) if type(use.word) is str else ()
        if not folders:
            return places.at(())
        current = places.at(folders)
        seen = tuple(dict.fromkeys((*seen, *folders)))
    return places.at(seen)


def code_accesses(language: str, text: str, places: Places) -> tuple[Access, ...]:
    """What source text that a program reads from its input may touch: its path-like and host-like literals."""
    from remit.code import scan_code  # few calls hold source text

    code = scan_code(language, text)
    found = [("fs.read", name) for name in code.reads] + [("fs.write", name) for name in code.writes]
    files = [Access(kind, places.path(name), None, None, code.sure, False, -2) for kind, name in found]
    hosts = [Access("net.connect", None, host_of_word(name), None, False, False, -2) for name in code.hosts]
    return (*files, *hosts)


def input_accesses(analysis: Analysis, stdin: Word | None, places: Places) -> tuple[Access, ...]:
    """What a heredoc or here-string that an interpreter reads may touch."""
    languages = [item.language for item in analysis.inner if item.kind == "input" and item.language != "shell"]
    return code_accesses(languages[0], stdin, places) if languages and type(stdin) is str else ()


def _file_accesses(use: RoleUse, places: Places) -> list[Access]:
    role, word, place, tree, sure = use
    if word.__class__ is not str and is_pipe(word):
        return []
    if role == "enter" and places.inside_workspace(places.resolved(word)):
        return []
    path = places.path(word) if places.wanted else None
    # What lies at any depth is looked for in the real tree; what is not there can be written, but not read.
    tree = tree or role == "link" or (role == "read" and is_deep(word))
    return [Access(kind, path, None, None, sure, tree, place) for kind in KINDS[role]]


def is_deep(word: Word) -> bool:
    """Whether the word may lie at any depth below a folder: it holds `**`."""
    return isinstance(word, Partial) and any([not isinstance(part, str) and part.text == "**" for part in word.parts])


def is_pipe(word: Word) -> bool:
    """Whether the word is one process substitution: a pipe to a command that is judged by itself."""
    if not isinstance(word, Partial) or len(word.parts) != 1:
        return False
    part = word.parts[0]
    return not isinstance(part, str) and part.kind == "process"


def redirection_accesses(items: tuple[Redirection, ...], places: Places, state: State) -> tuple[Access, ...]:
    """What redirections read, write and connect to (bash(1) "REDIRECTION")."""
    found: list[Access] = []
    for item in items:
        if item.op.startswith("<<"):
            continue
        target = fill(item.target, state, places.roots.home)
        found += _redirection(item.op, target, places)
    return tuple(found)


def _redirection(op: str, target: Word, places: Places) -> list[Access]:
    text = target if type(target) is str else ""
    if op in (">&", "<&") and (text.rstrip("-").isdigit() or text == "-"):
        return []
    if text in NOTHING or (text.startswith("/dev/fd/") and text[8:].isdigit()):
        return []
    for scheme in ("/dev/tcp/", "/dev/udp/"):
        if text.startswith(scheme):
            name, _, port = text[len(scheme) :].partition("/")
            host = HostFact(name.lower(), int(port) if port.isdigit() else None, text)
            return [Access("net.connect", None, host, None, True, False, -1)]
    kinds = ["fs.read"] if op in ("<", "<>", "<&") else []
    if op in WRITING_OPS or op == "<>":
        kinds.append("fs.write")
    if is_pipe(target):
        return []
    path = places.path(target)
    return [Access(kind, path, None, None, True, False, -1) for kind in kinds]


def environment_accesses(assignments: tuple[Assignment, ...]) -> tuple[Access, ...]:
    """The hosts that a command may be led to by its environment (`https_proxy=http://host`): every value that is a URL."""
    values = [item.value for item in assignments if "://" in str(item.value)]
    return tuple([Access("net.connect", None, host_of_word(value), None, False, False, -2) for value in values])


def possible_accesses(words: tuple[Word, ...], places: Places, caps: Mapping[str, Any]) -> tuple[Access, ...]:
    """What the words of a program that nobody declared may be: paths it reads, writes or deletes, hosts, programs it runs."""
    kinds = [kind for kind in FS_KINDS if kind in caps]
    found: list[Access] = []
    for word in words[:MAX_POSSIBLE_WORDS]:
        values: tuple[Word, ...] = value_parts(word) if type(word) is str else () if is_pipe(word) else (word,)
        for value in values:
            if kinds:
                path = places.path(value)
                found += [Access(kind, path, None, None, False, False, -2) for kind in kinds]
            if "net.connect" in caps and _may_be_host(value):
                found.append(Access("net.connect", None, host_of_word(value), None, False, False, -2))
            if "exec" in caps:
                found.append(Access("exec", None, None, value, False, False, -2))
    if len(words) > MAX_POSSIBLE_WORDS:
        found += [
            Access(kind, None, None, None, False, True, -2) for kind in (*kinds, "net.connect", "exec") if kind in caps
        ]
    return tuple(found)


def _may_be_host(word: Word) -> bool:
    """Whether a word of an unknown program can name a host: a URL, `user@host`, `host:path`, or a name with a dot and no slash."""
    if type(word) is not str:
        return True
    return ":" in word or "@" in word or ("." in word and "/" not in word) or word == "localhost"
