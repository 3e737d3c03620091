"""The naive evaluator: what a program means, written down as directly as `docs/semantics.md` says it.

It looks at every rule, every target and every access; it knows no index, no plan and no short cut. Slow and plain on purpose: the
evaluator proper has to agree with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from reference_match import (
    ANY,
    as_one_word,
    frozen,
    host_truth,
    path_truth,
    shell_narrowly,
    shell_widely,
    spelled_out,
    takes,
    takes_tokens,
)

from remit.conditions import ABSENT, UNKNOWN, evaluate
from remit.facts import MAYBE, NO, YES, Access, Facts, HostFact, PathFact, Unit
from remit.spellings import runs_by_option
from remit_dsl.breadth import permits_too_much, shell_tools
from remit_dsl.program import Program, target_from

ALLOW, ASK, DENY = 0, 1, 2
NAMES = ("allow", "ask", "deny")
DECISION = {name: at for at, name in enumerate(NAMES)}
LIMITS = ("too long", "nesting", "too many commands", "too many words", "unwrapping depth", "request size")
# Whose reason is told when several units are equally strict.
# Asks that a classifier may answer.
OPEN = ("no_rule", "default", "approvable")
SPEAKS = ("no_rule", "default", "approvable", "mode", "unparseable", "guard", "rule", "uncertain")


class Said(NamedTuple):
    """What is said of one unit. neutral: it needs no permission and gives none. code `approvable`: a guard that a classifier may answer."""

    decision: int
    code: str
    neutral: bool = False


class Answer(NamedTuple):
    """The whole answer: decision, reason code, and the decision on each unit."""

    decision: str
    code: str
    units: tuple[str, ...]


class Reference:
    """A program, evaluated naively on one request's facts."""

    def __init__(self, program: Program, facts: Facts) -> None:
        self.tables = program.tables
        self.facts = facts
        self.rules = [frozen(row) for row in program.tables["rules"] if not row[2]]
        self.defaults = [frozen(row) for row in program.tables["defaults"]]
        self.sets = {name: frozen(globs) for name, globs in program.tables["sets"].items()}
        row = self.tables["modes"].get(facts.mode)
        forbidden = self.tables["forbidden_modes"]
        self.mode = None if row is None or row[0] in forbidden or facts.mode in forbidden else frozen(row)

    def answer(self) -> Answer:
        """The strictest over the units, then what becomes of an ask."""
        said = [self._unit(at) for at in range(len(self.facts.units))]
        speaking = [item for item in said if not item.neutral] or [self._global_default()]
        speaking += [item for item in said if item.neutral and item.decision != ALLOW]
        best = max(
            speaking,
            key=lambda item: (item.decision, SPEAKS.index("unparseable" if item.code == "budget" else item.code)),
        )
        decision, code = self._exit(best)
        told = "guard" if code == "approvable" else code
        return Answer(NAMES[decision], told, tuple([NAMES[item.decision] for item in said]))

    def _exit(self, said: Said) -> tuple[int, str]:
        way, becomes = self.facts.exit, self.mode[4] if self.mode else ""
        if said.decision != ASK:
            return said.decision, said.code
        if way.approved:
            return ALLOW, "approval"
        if becomes == "deny":
            return DENY, "non_interactive"
        code = said.code
        if becomes == "classifier":
            if way.denial_limit:
                code = "denial_limit" if code in OPEN else code
            elif way.classifier == "deny":
                return DENY, "classifier"
            elif way.classifier == "allow" and code in OPEN:
                return ALLOW, "classifier"
        return (ASK, code) if way.interactive else (DENY, "non_interactive")

    # --- the ladder ------------------------------------------------------------------------------------------

    def _unit(self, at: int) -> Said:
        """The strictest of what rules restrict and of what would be without them: so a rule can only tighten."""
        unit = self.facts.units[at]
        truths = [
            (row[1] if not row[16] else "approvable", self.rule(row, unit)) for row in self.rules if row[1] != "allow"
        ]
        if ("deny", YES) in truths:
            return Said(DENY, "rule")
        held = [
            {"deny": "uncertain", "ask": "rule"}.get(effect, effect)
            for stage in ("deny", "ask", "guard", "approvable")
            for effect, truth in truths
            if effect == stage and truth != NO
        ]
        if unit.kind == "opaque":
            strict = self.tables["on_unparseable"] == "deny" or (self.mode is not None and self.mode[1])
            return Said(DENY if strict else ASK, "budget" if unit.construct in LIMITS else "unparseable")
        without = self._unheld(at, unit)
        if held and without.decision != DENY:
            return Said(ASK, held[0], without.neutral)
        return without

    def _unheld(self, at: int, unit: Unit) -> Said:
        if not unit.sure:
            return Said(ALLOW, "no_rule", True)
        if self.mode:
            if self.mode[1] and not self._reads_only(unit):
                return Said(DENY, "mode")
            if self.mode[2] or (self.mode[3] and self._in_mode(unit)):
                return Said(ALLOW, "mode")
        if self._named(unit) or self._spelled_around(at) or self._sum(unit) == "rule":
            return Said(ALLOW, "rule")
        by_sum = self._sum(unit)
        if by_sum == "nothing":
            return Said(ALLOW, "no_rule", True)
        for row in self.defaults:
            if any(target[0] != "cap" and self._default_names(row, target, unit) for target in row[1]):
                return Said(DECISION[row[0]], "default")
        return Said(ALLOW, "default") if by_sum == "default" else self._fallback(unit)

    def _fallback(self, unit: Unit) -> Said:
        """The strictest default over the accesses that nothing permits; where none speaks of one, and for what a command does
        beside its accesses, the global one."""
        everything = self._global_default()
        said = [] if self._is_sum(unit) else [everything]
        for access in unit.accesses:
            if not self._permitted(access, unit):
                row = self._speaking_default(access)
                said.append(everything if row is None else Said(DECISION[row[0]], "default"))
        return max(said, key=lambda item: (item.decision, SPEAKS.index(item.code)), default=everything)

    def _is_sum(self, unit: Unit) -> bool:
        """Whether the unit does nothing but what its accesses say."""
        return unit.known and not unit.assignments and not (unit.analysis is not None and unit.analysis.acts)

    def _global_default(self) -> Said:
        for row in self.defaults:
            if not row[1]:
                return Said(DECISION[row[0]], "default")
        return Said(ASK, "no_rule")

    # --- rules and targets -----------------------------------------------------------------------------------

    def rule(
        self, row: Any, unit: Unit, keep: Callable[[Any, Access | None], bool] = lambda target, access: True
    ) -> int:
        """Truth of a rule on a unit: the best over all its targets on the unit and on each of its accesses."""
        wide = row[1] != "allow"
        best = NO
        for target in row[3]:
            for access in [None, *unit.accesses] if target[0] == "cap" else [None]:
                if keep(target, access):
                    best = max(best, self._alternative(row, target, unit, access, wide))
        return min(best, self._applies(row, wide))

    def _applies(self, row: Any, wide: bool) -> int:
        facts = self.facts
        if (row[6] and facts.mode not in row[6]) or (row[8] and (facts.today > row[8] if facts.today else not wide)):
            return NO
        if row[7] and facts.agent not in row[7]:
            return MAYBE if wide and not facts.agent else NO
        return YES

    def _alternative(self, row: Any, target: Any, unit: Unit, access: Access | None, wide: bool) -> int:
        truth = self.target(target, unit, access, wide)
        for other in row[4]:
            if truth != NO and self._excepted(other, unit, access, not wide) >= (YES if wide else MAYBE):
                return NO
        if truth != NO and row[5] is not None:
            truth = min(truth, self._condition(row[5], unit, access, wide))
        return truth

    def _excepted(self, target: Any, unit: Unit, access: Access | None, wide: bool) -> int:
        if target[0] != "cap" or access is not None:
            return self.target(target, unit, access, wide)
        own = [item for item in unit.accesses if item.kind == target[1]]
        return min([self.target(target, unit, item, wide) for item in own], default=NO)

    def target(self, target: Any, unit: Unit, access: Access | None, wide: bool) -> int:
        """Truth of one target."""
        if target[0] == "cap":
            if access is None or access.kind != target[1]:
                return NO
            truth = self._access(target, access, wide)
            # What is only possible restricts as maybe; what permits must permit it all the same.
            return truth if not wide or (access.sure and unit.sure) else min(truth, MAYBE)
        facts = self.facts
        if YES not in (takes(target[1], facts.tool), takes(target[1], facts.agent_tool)):
            return NO
        truth = self._content(target, unit, wide)
        truth = truth if wide or truth == YES else NO
        return truth if unit.sure else min(truth, MAYBE)

    def _content(self, target: Any, unit: Unit, wide: bool) -> int:
        kind, patterns = target[0], target[2]
        if unit.kind == "opaque":
            return (YES if kind == "any" else MAYBE) if wide else NO
        if kind == "any":
            return YES
        if kind == "shell":
            return self._shell(patterns[0], unit, wide)
        subject = self.facts.subject
        if kind == "like":
            if unit.kind == "command":
                tokens, glob = as_one_word(unit.argv), spelled_out(patterns[0])
                truth = takes_tokens(glob, tokens)
                if not unit.known:
                    truth = max(truth, min(MAYBE, takes_tokens((ANY, " ", *glob), tokens)))
                return truth if wide or not unit.assignments else NO
            return takes(patterns[0], subject) if isinstance(subject, str) else MAYBE
        if subject is None or not self.facts.declared:
            return MAYBE
        return max([self._subject(kind, pattern, subject, wide) for pattern in patterns])

    def _subject(self, kind: str, pattern: Any, subject: Any, wide: bool) -> int:
        if kind == "path" and isinstance(subject, PathFact):
            return path_truth(pattern, subject, self.facts.roots, wide, False)
        if kind == "host" and isinstance(subject, HostFact):
            return host_truth(pattern, subject)
        if kind == "text" and isinstance(subject, (str, PathFact)):
            return takes(pattern, subject if isinstance(subject, str) else subject.source)
        return MAYBE

    def _shell(self, row: Any, unit: Unit, wide: bool) -> int:
        if unit.kind != "command":
            return MAYBE
        if wide:
            at = self.tables["program_names"].get(unit.program)
            return shell_widely(row, unit, None if at is None else self.tables["programs"][at], self.sets)
        everything = row[1] and (not row[0] or row[0] == (ANY,))
        return YES if shell_narrowly(row, unit, self.sets, ()) and (everything or not unit.assignments) else NO

    def _access(self, target: Any, access: Access, wide: bool) -> int:
        truths = [self._access_pattern(pattern, access, wide) for pattern in target[2]] or [YES]
        return max(truths) if wide or max(truths) == YES else NO

    def _access_pattern(self, pattern: Any, access: Access, wide: bool) -> int:
        if access.path is not None:
            return path_truth(pattern, access.path, self.facts.roots, wide, access.tree)
        if access.host is not None:
            return host_truth(pattern, access.host)
        if access.program is None:
            return MAYBE
        if not isinstance(access.program, str):
            return takes(pattern, access.program)
        named = takes(pattern, access.program.rsplit("/", 1)[-1]) if wide else NO
        return max(named, takes(pattern, access.program))

    # --- conditions ------------------------------------------------------------------------------------------

    def _condition(self, when: Any, unit: Unit, access: Access | None, wide: bool) -> int:
        scope = {**self.facts.values, "command": self._command(unit), "access": ABSENT, "data": self.tables["data"]}
        if access is not None:
            path, host = access.path, access.host
            scope["access"] = {
                "kind": access.kind,
                "path": ABSENT if path is None else path if path.paths else UNKNOWN,
                "host": ABSENT if host is None else host.name or UNKNOWN,
            }
        return evaluate(when, scope, self._in_set, wide)

    def _command(self, unit: Unit) -> Any:
        if unit.kind != "command":
            return UNKNOWN if unit.kind == "opaque" else ABSENT
        words = [word if isinstance(word, str) else UNKNOWN for word in unit.argv]
        analysis = unit.analysis
        return {
            "program": unit.program if unit.program else UNKNOWN if unit.argv else ABSENT,
            "text": UNKNOWN if UNKNOWN in words else unit.text,
            "words": words,
            "options": UNKNOWN if analysis is None else [option.name for option in analysis.options],
            "operands": UNKNOWN if analysis is None else [words[at] for at in analysis.operands],
        }

    def _in_set(self, kind: str, patterns: Any, value: Any, wide: bool) -> int:
        if value is ABSENT:
            return NO
        if kind == "paths" and isinstance(value, PathFact):
            return max([path_truth(frozen(p), value, self.facts.roots, wide, False) for p in patterns], default=NO)
        if kind == "hosts" and isinstance(value, str):
            return max([host_truth(frozen(p), HostFact(value, None, value)) for p in patterns], default=NO)
        return MAYBE

    # --- permission ------------------------------------------------------------------------------------------

    def _rules(self, effect: str) -> Iterable[Any]:
        return [row for row in self.rules if row[1] == effect]

    def _counts(self, target: Any) -> bool:
        """Whether an allow of this target counts in the mode."""
        if self.mode is None or not self.mode[5]:
            return True
        return not permits_too_much(target_from(target), shell_tools(self.tables["tools"]), self.sets)

    def _named(self, unit: Unit) -> bool:
        """An allow rule names the command, spells what bites, and what its redirections touch is permitted."""
        teeth = self._open_teeth(unit)

        def named(target: Any, access: Access | None) -> bool:
            return target[0] != "cap" and self._spells(target, unit, teeth) and self._counts(target)

        return any(self.rule(row, unit, named) == YES for row in self._rules("allow")) and self._aside(unit)

    def _spells(self, target: Any, unit: Unit, places: list[int]) -> bool:
        if not places or target[0] == "any":
            return True
        return target[0] == "shell" and shell_narrowly(target[2][0], unit, self.sets, places)

    def _open_teeth(self, unit: Unit) -> list[int]:
        """Words that make the command bite, without an inner unit or a permitted access of their own."""
        if unit.analysis is None:
            return []
        inner = [item.place for item in unit.analysis.inner if item.kind != "code"]
        found = []
        for tooth in sorted({*unit.analysis.teeth, *self._possible_teeth(unit)}):
            own = [item for item in unit.accesses if item.place in (tooth, tooth + 1)]
            bare = not own or not all(self._permitted(item, unit) for item in own)
            if tooth not in inner and tooth + 1 not in inner and bare:
                found.append(tooth)
        return found

    def _possible_teeth(self, unit: Unit) -> list[int]:
        """Words with holes that may be an option which bites."""
        analysis = unit.analysis
        at = self.tables["program_names"].get(unit.program)
        if analysis is None or analysis.known or at is None:
            return []
        if not analysis.readonly and not runs_by_option(self.tables["programs"][at]):
            return []
        return [place for place in analysis.doubtful if not isinstance(unit.argv[place], str)]

    def _aside(self, unit: Unit) -> bool:
        aside = [item for item in unit.accesses if item.place == -1 and item.kind != "exec"]
        return unit.kind != "command" or all(self._permitted(item, unit) for item in aside)

    def _spelled_around(self, at: int) -> bool:
        """An allow rule for a command around this one spells the word where it starts, and the words that bite."""
        unit = self.facts.units[at]
        places = [unit.parent_index, *[unit.parent_index + tooth for tooth in self._open_teeth(unit)]]
        inside = unit
        while inside.parent >= 0 and inside.parent_index >= 0 and self._aside(unit):
            outer = self.facts.units[inside.parent]

            def spells(target: Any, access: Access | None, outer: Unit = outer, places: list[int] = places) -> bool:
                words = target[2][0][0] if target[0] == "shell" else (ANY,)
                spelled = isinstance(words[0], str) and shell_narrowly(target[2][0], outer, self.sets, places)
                return spelled and self._counts(target)

            for row in self._rules("allow"):
                if outer.program is not None and self.rule(row, outer, spells) == YES and self._aside(outer):
                    return True
            inside, places = outer, [outer.parent_index]
        return False

    def _sum(self, unit: Unit) -> str:
        """Whether the sum of the unit's accesses permits it: `rule`, `default`, `nothing` (is needed), or `` (it does not)."""
        if not self._is_sum(unit):
            return ""
        needed = list(unit.accesses)
        if unit.transparent or unit.inert:
            needed = [item for item in needed if item.kind != "exec"]
            if not needed:
                run = [self._permitted(item, unit) for item in unit.accesses[:1]]
                return (run[0] if run else "") or "nothing"
        grants = [self._permitted(item, unit) for item in needed]
        if not grants or "" in grants:
            return ""
        return "rule" if "rule" in grants else "default"

    def _permitted(self, access: Access, unit: Unit) -> str:
        """What permits one access: `rule`, `default` or nothing."""
        for row in self._rules("allow"):
            if self.rule(row, unit, lambda target, own: own is access and self._counts(target)) == YES:
                return "rule"
        default = self._speaking_default(access)
        return "default" if default is not None and default[0] == "allow" else ""

    def _speaking_default(self, access: Access) -> Any:
        for row in self.defaults:
            wide = row[0] != "allow"
            for target in row[1]:
                named = target[0] == "cap" and target[1] == access.kind
                if named and self._access(target, access, wide) >= (MAYBE if wide else YES):
                    return row
        return None

    def _default_names(self, row: Any, target: Any, unit: Unit) -> bool:
        if row[0] != "allow":
            return self.target(target, unit, None, True) != NO
        named = self.target(target, unit, None, False) == YES
        return named and self._spells(target, unit, self._open_teeth(unit)) and self._aside(unit)

    # --- modes -----------------------------------------------------------------------------------------------

    def _reads_only(self, unit: Unit) -> bool:
        if not self._is_sum(unit):
            return False
        return all(item.kind == "fs.read" or (item.kind == "exec" and item.place == -1) for item in unit.accesses)

    def _in_mode(self, unit: Unit) -> bool:
        if not self._is_sum(unit):
            return False
        assert self.mode is not None
        caps = [target for target in self.mode[3] if target[0] == "cap"]
        return bool(unit.accesses) and all(
            any(cap[1] == item.kind and self._access(cap, item, False) == YES for cap in caps) for item in unit.accesses
        )


def reference(program: Program, facts: Facts) -> Answer:
    """What the naive evaluator answers."""
    return Reference(program, facts).answer()
