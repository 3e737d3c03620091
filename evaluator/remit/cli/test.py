"""`remit test`: do the policies do what their tests say?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import click

from remit.cli.junit import junit
from remit.cli.loading import Loaded, code_of, load_text
from remit.cli.options import json_option, paths_argument
from remit.cli.output import coloured, counted, print_json
from remit.errors import LoadError
from remit.phrasing import one_line
from remit.policy_tests import Outcome, RuleId, count, run_tests, unreached
from remit_dsl.policy import Declared
from remit_dsl.program import TIERS, Program


@click.command("test")
@paths_argument
@click.option("-k", "name", default="", metavar="TEXT", help="Only tests whose name holds TEXT.")
@click.option(
    "--junit", "junit_file", metavar="FILE", type=click.Path(dir_okay=False), help="Write the results as JUnit XML."
)
@click.option("--coverage", is_flag=True, help="Name the rules that decide no test.")
@json_option
def command(
    paths: tuple[str, ...], policies: tuple[str, ...], name: str, junit_file: str | None, coverage: bool, as_json: bool
) -> int:
    """Run the tests that policies carry.

    They run on a made-up machine: no file, clock or account of this one counts. Exits with 1 when an expectation fails.
    """
    loaded = load_text(paths, policies)
    program = loaded.compilation.program
    if program is None:
        raise LoadError(loaded.compilation.diagnostics, loaded.sources)
    files = [file for file in loaded.compilation.checked.files if not file.standard]
    run = run_tests(_programs(loaded, program, files), files, lambda test: name.lower() in test.lower())
    if name and not run.outcomes:
        raise click.UsageError(f"no test has `{name}` in its name")
    open_rules = unreached(program, run, [file.name for file in files])
    if junit_file is not None:
        Path(junit_file).write_text(junit(run.outcomes), encoding="utf-8")
    if as_json:
        print_json(_json(run.outcomes, open_rules))
    else:
        _print(run.outcomes, open_rules if coverage else None, _rule_count(program, files))
    return code_of(count(run.outcomes)[1] > 0)


def _programs(loaded: Loaded, whole: Program, files: Sequence[Declared]) -> Callable[[str], Program]:
    """The program for a test's `tier` setting."""
    tier_of = {file.source.name: file.tier for file in files}

    @cache
    def program_for(tier: str) -> Program:
        if not tier:
            return whole
        above = TIERS[: TIERS.index(tier) + 1]
        found = loaded.loader.find().files
        return loaded.loader.compile([file for file in found if tier_of.get(file.name) in above])

    return program_for


def _rule_count(program: Program, files: Sequence[Declared]) -> int:
    names = {file.name for file in files}
    return len([row for row in program.tables["rules"] if row[13] in names])


def _print(outcomes: Sequence[Outcome], open_rules: Sequence[tuple[RuleId, str]] | None, rules: int) -> None:
    for outcome in outcomes:
        if not outcome.passed:
            place = f"{outcome.file}:{outcome.line}"
            click.echo(f"{coloured('FAIL', 'red')} {place}  {outcome.test}")
            click.echo(f"     {outcome.expected} {one_line(outcome.call, 200)}")
            click.echo(f"     {outcome.problem}")
    if open_rules is not None:
        for (_, rule), at in open_rules:
            click.echo(f"{coloured('not tested', 'yellow')} {at}  {rule}")
        click.echo(f"{rules - len(open_rules)} of {rules} rules decide a test")
    passed, failed = count(outcomes)
    tests = {(outcome.file, outcome.test) for outcome in outcomes}
    click.echo(f"{counted(tests, 'test')}, {counted(outcomes, 'expectation')}: {passed} passed, {failed} failed")


def _json(outcomes: Sequence[Outcome], open_rules: Sequence[tuple[RuleId, str]]) -> dict[str, Any]:
    passed, failed = count(outcomes)
    return {
        "passed": passed,
        "failed": failed,
        "expectations": [_row(outcome) for outcome in outcomes],
        "rules_without_test": [{"policy": policy, "rule": rule, "at": at} for (policy, rule), at in open_rules],
    }


def _row(outcome: Outcome) -> dict[str, Any]:
    row = {name: value for name, value in outcome._asdict().items() if name != "verdict"}
    verdict = outcome.verdict
    return {**row, "passed": outcome.passed, "verdict": verdict.to_json() if verdict is not None else None}
