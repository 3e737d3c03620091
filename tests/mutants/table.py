"""The mutants: for each law, ways in which the evaluator could break it, and the test that has to notice."""

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    """One change to a source file. old: text that stands in it exactly once. test: the file, below `tests`, that has to fail."""

    name: str
    law: str
    file: str
    old: str
    new: str
    test: str


DECIDE, PERMIT, MATCH = "evaluator/remit/decide.py", "evaluator/remit/permit.py", "evaluator/remit/match.py"
SHELL, CANDIDATES = "evaluator/remit/match_shell.py", "evaluator/remit/candidates.py"
OBSERVE, ENGINE, INDEX = "evaluator/remit/observe_shell.py", "evaluator/remit/engine.py", "dsl/remit_dsl/index.py"

MUTANTS = (
    # L1: a matching deny decides
    Mutant("mildest unit decides", "L1", DECIDE, "else max(speaking, key", "else min(speaking, key", "properties/test_deny_outranks.py"),
    Mutant(
        "approval lifts a deny", "L1", DECIDE,
        "    if decision != ASK:\n        return decision, reason, False\n    if way.approved:",
        "    if decision == ALLOW:\n        return decision, reason, False\n    if way.approved:",
        "properties/test_deny_outranks.py",
    ),
    Mutant(
        "bypass before deny", "L1", DECIDE,
        "    if held is not None and held.decision == DENY:\n        return held",
        "    if held is not None and held.decision == DENY and not (mode is not None and mode.allow_everything):\n        return held",
        "properties/test_deny_outranks.py",
    ),
    Mutant("an ask hides a deny", "L1", DECIDE, 'if held is not None and effect != "deny":', "if held is not None:", "properties/test_small_world.py"),
    Mutant(
        "the denial of everything spares bare redirections", "L1", SHELL,
        "    if plan.total:\n        return YES\n    if not unit.argv:\n        return NO\n    if plan.words[0]",
        "    if not unit.argv:\n        return NO\n    if plan.total:\n        return YES\n    if plan.words[0]",
        "evaluator/test_decision_rows.py",
    ),
    # L2: restricting never loosens
    Mutant(
        "an ask saves from a mode that only reads", "L2", DECIDE,
        "    if word is not None and word.decision == DENY:\n        return word",
        "    if word is None:\n        return held",
        "properties/test_small_world.py",
    ),
    Mutant(
        "an ask saves from a default deny", "L2", DECIDE,
        "        return answer if answer.decision == DENY else held._replace(neutral=answer.neutral)",
        "        return held",
        "properties/test_small_world.py",
    ),
    Mutant("an ask gives a neutral command a voice", "L2", DECIDE, "held._replace(neutral=answer.neutral)", "held", "evaluator/test_decision_rows.py"),
    Mutant(
        "an ask saves from the classifier", "L2", DECIDE,
        'way.classifier == "deny" or (way.classifier == "allow" and unspoken)', 'way.classifier in ("allow", "deny") and unspoken',
        "properties/test_small_world.py",
    ),
    Mutant("a classifier lifts an ask", "L2", DECIDE, '(way.classifier == "allow" and unspoken)', 'way.classifier == "allow"', "properties/test_small_world.py"),
    # L3: doubt is no permission
    Mutant(
        "a deny that may match is none", "L3", DECIDE,
        "        if truth == NO:\n            continue\n        if effect", "        if truth == NO or (effect == \"deny\" and truth == MAYBE):\n            continue\n        if effect",
        "properties/test_small_world.py",
    ),
    Mutant("an allow that may match counts", "L3", PERMIT, "if named and rule_truth(scene, rule, named) == YES:", "if named and rule_truth(scene, rule, named) >= MAYBE:", "properties/test_reference.py"),
    Mutant("a glob that may match matches", "L3", "evaluator/remit/match_words.py", "return YES if glob_covers(glob, known) else MAYBE", "return YES", "properties/test_doubt.py"),
    Mutant("an unknown program is no program", "L3", SHELL, "    if isinstance(word, Partial) and word.many:\n        return MAYBE\n    by_path", "    if isinstance(word, Partial) and word.many:\n        return NO\n    by_path", "properties/test_wrapping.py"),
    Mutant("an access that may be permitted is", "L3", MATCH, "    best = max(answers)\n    return best if wide or best == YES else NO", "    return YES if max(answers) else NO", "properties/test_reference.py"),
    Mutant("an exception to a deny holds when it may", "L3", MATCH, "(YES if wide else MAYBE)", "MAYBE", "properties/test_reference.py"),
    Mutant("a word with holes starts no command", "L3", OBSERVE, "(declared and type(word) is not str)", "type(word) is not str", "properties/test_doubt.py"),
    # L4: no disguise
    Mutant("inner commands are not looked at", "L4", OBSERVE, "            for item in analysis.inner:\n                self._inner", "            for item in analysis.inner[:0]:\n                self._inner", "properties/test_wrapping.py"),
    Mutant("an unknown program runs nothing", "L4", OBSERVE, "        if not known:\n            self._possible_commands", "        if known:\n            self._possible_commands", "properties/test_wrapping.py"),
    Mutant("a program by its path is another", "L4", SHELL, "        return max(match_element(wanted, unit.program, sets), match_element(element, word, sets))", "        return min(match_element(wanted, unit.program, sets), match_element(element, word, sets))", "properties/test_wrapping.py"),
    Mutant("what is beyond the possible commands is dropped", "L4", OBSERVE, "            full = count > MAX_POSSIBLE_COMMANDS\n", "            if count > MAX_POSSIBLE_COMMANDS:\n                break\n            full = False\n", "evaluator/test_decision_rows.py"),
    # L5: no order
    Mutant("files as they come", "L5", "dsl/remit_dsl/checker.py", "        own.sort(key=lambda file: (TIERS.index(file.tier), file.name, file.source.name))\n", "", "properties/test_order.py"),
    Mutant("hits as they come", "L5", DECIDE, "    held: Answer | None = None\n    for number in sorted(hits):", "    held: Answer | None = None\n    for number in hits:", "properties/test_reference.py"),
    Mutant("the last rule of a line names the reason", "L5", DECIDE, "        if held is None:\n            held = Answer(ASK", "        if held is None or truth == YES:\n            held = Answer(ASK", "properties/test_reference.py"),
    # L7: the index gives what looking at every rule gives
    Mutant("the word behind the program is skipped", "L7", CANDIDATES, "    for word in unit.argv[1:]:", "    for word in unit.argv[2:]:", "properties/test_reference.py"),
    Mutant("options are index keys", "L7", INDEX, 'if isinstance(word, str) and not word.startswith(("-", "~"))]', "if isinstance(word, str)]", "properties/test_wrapping.py"),
    Mutant("an unknown word finds nothing", "L7", CANDIDATES, "            return [ref for refs in words.values() for ref in refs]", "            continue", "properties/test_reference.py"),
    Mutant("only the last component is looked up", "L7", INDEX, 'for part in fold_text(path).split("/"):', 'for part in fold_text(path).split("/")[-1:]:', "properties/test_reference.py"),
    Mutant("sub-domains are not looked up", "L7", INDEX, "        if not dot:\n            break", "        break", "properties/test_reference.py"),
    Mutant("a tree is looked up like a file", "L7", CANDIDATES, "if path is not None and path.paths and not access.tree:", "if path is not None and path.paths:", "properties/test_reference.py"),
    # L8: failures and limits
    Mutant("a failure allows", "L8", ENGINE, 'ON_FAILURE = "deny"', 'ON_FAILURE = "allow"', "properties/test_failures.py"),
    Mutant("some failures pass through", "L8", ENGINE, "        except Exception as error:  # noqa: BLE001", "        except ValueError as error:  # noqa: BLE001", "properties/test_failures.py"),
    Mutant("what is not understood is allowed", "L8", DECIDE, 'return Answer(DENY if program.tables["on_unparseable"] == "deny" else ASK, reason)', "return Answer(ALLOW, reason)", "properties/test_failures.py"),
    Mutant("a large request is judged in part", "L8", "evaluator/remit/observe.py", "    return total > MAX_REQUEST_BYTES", "    return False", "properties/test_failures.py"),
    Mutant("too deep is nothing", "L8", OBSERVE, '            self.opaque("unwrapping depth", text, nest)\n            return', "            return", "properties/test_failures.py"),
    Mutant("a long command is cut", "L8", "evaluator/remit/shell/constructs.py", "MAX_LENGTH = 32 * 1024", "MAX_LENGTH = 1 << 30", "properties/test_failures.py"),
)  # fmt: skip
