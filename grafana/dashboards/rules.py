"""Rules: which speak, which never do, which ask too much, and what rules under trial would have done."""

from __future__ import annotations

from grafana.dashboards.frame import TO_RULE, WHERE, Row, assembled, chosen, host, team
from grafana.dashboards.panels import AMBER, RED, Column, Query, lines, listing, number
from grafana_foundation_sdk.builders.dashboard import Dashboard, QueryVariable

ENFORCED, TRIED = 'enforced="true"', 'enforced="false"'
_ASKING = f'{ENFORCED}, effect=~"ask|guard"'
_TRIED_DENY = f'{TRIED}, effect="deny"'
_RULE = Column("rule", "Rule", url=TO_RULE)
_EFFECT = Column("effect", "Effect")


def _matches(matchers: str, by: str, window: str = "$__range") -> str:
    return f'sum by ({by}) (increase(remit_rule_matches_total{{{WHERE}, rule=~"$rule", {matchers}}}[{window}]))'


def _rates(matchers: str, by: str) -> str:
    return f'sum by ({by}) (rate(remit_rule_matches_total{{{WHERE}, rule=~"$rule", {matchers}}}[$__rate_interval]))'


def _counts() -> Row:
    per_host = f"sum by (instance) (remit_policy_rules{{{WHERE}}})"
    return Row(
        "Now",
        [
            number(
                "Rules",
                "Rules in force on the host that has most of them. A number that you did not expect: see Rules by "
                "effect and tier below.",
                "short",
                f"max({per_host})",
                width=6,
            ),
            number(
                "Without a match",
                "Enforced rules that matched nothing in the time shown. Look at weeks, not hours, before you call a "
                "rule dead; a deny rule that never fires may be doing its work.",
                "short",
                f"count({_matches(ENFORCED, 'rule, effect')} == 0) or vector(0)",
                width=6,
            ),
            number(
                "Matches of asking rules",
                "Calls that a rule put before a human in the time shown. See the noisy ones below.",
                "short",
                f"sum({_matches(_ASKING, 'rule')}) or vector(0)",
                width=6,
            ),
            number(
                "Would have been denied",
                "Calls that a shadow deny rule matched in the time shown. They were not denied. Zero for a week: "
                "enforce the rule; many: read them in the decision log first.",
                "short",
                f"sum({_matches(_TRIED_DENY, 'rule')}) or vector(0)",
                steps=((1, AMBER),),
                width=6,
            ),
        ],
    )


def _enforced() -> Row:
    last = f'max by (rule, effect) (rule:remit_rule_last_match:timestamp_seconds{{rule=~"$rule", {ENFORCED}}}) * 1000'
    return Row(
        "Enforced rules",
        [
            lines(
                "Rules that speak most",
                "Matches per second of the ten busiest rules. A rule that jumps with a new revision matches more than "
                "was meant.",
                "ops",
                Query(f"topk(10, {_rates(ENFORCED, 'rule, effect')})", "{{effect}} {{rule}}"),
            ),
            lines(
                "Matches by effect",
                "Matches per second by what the rule says. Asks above allows: the policy interrupts more than it "
                "permits; write allow rules for what is always approved.",
                "ops",
                Query(_rates(ENFORCED, "effect"), "{{effect}}"),
                stacked=True,
            ),
            listing(
                "All rules",
                "Matches in the time shown, and the last one in the whole fleet. No last match: none "
                "since Prometheus began to record.",
                "short",
                [
                    _RULE,
                    _EFFECT,
                    Column("Value #B", "Last match", "dateTimeFromNow"),
                    Column("Value #A", "Matches", "short"),
                ],
                _matches(ENFORCED, "rule, effect"),
                last,
                width=24,
            ),
        ],
    )


def _doubtful() -> Row:
    return Row(
        "Rules to look at",
        [
            listing(
                "Dead rules",
                "Enforced rules without a match in the time shown. An allow or ask rule that is dead for a quarter "
                "can go; before you remove a deny rule, try a call that it should stop (`remit decide`).",
                "short",
                [_RULE, _EFFECT, Column("Value", "Matches", "short")],
                f"{_matches(ENFORCED, 'rule, effect')} == 0",
            ),
            listing(
                "Noisy asks",
                "The asking rules that interrupt most in the time shown. Narrow them with `except`, or permit what is "
                "always approved.",
                "short",
                [_RULE, Column("Value", "Asks", "short")],
                f"topk(15, {_matches(_ASKING, 'rule')})",
                steps=((100, AMBER), (1000, RED)),
            ),
        ],
    )


def _tried() -> Row:
    return Row(
        "Shadow rules: what would have happened",
        [
            lines(
                "Shadow matches",
                "Matches per second of rules that are counted and not enforced. Wait until a rule has seen a whole "
                "week of work.",
                "ops",
                Query(_rates(TRIED, "rule, effect"), "{{effect}} {{rule}}"),
            ),
            listing(
                "What would have happened",
                "Matches of each shadow rule in the time shown, by team. Ask the teams that it hits before you "
                "enforce it.",
                "short",
                [_RULE, _EFFECT, Column("team", "Team"), Column("Value", "Matches", "short")],
                _matches(TRIED, "rule, effect, team"),
            ),
        ],
    )


def _written() -> Row:
    by = f"max by (effect, tier) (sum by (instance, effect, tier) (remit_policy_rules{{{WHERE}}}))"
    return Row(
        "What is written",
        [
            lines(
                "Rules by effect and tier",
                "Rules in force on the host that has most of them. A step is a new revision; a step that nobody made "
                "is worth a look at who changed the files.",
                "short",
                Query(by, "{{tier}}: {{effect}}"),
                width=24,
            ),
        ],
    )


def _rule() -> QueryVariable:
    query = f"label_values(remit_rule_matches_total{{{WHERE}}}, rule)"
    return chosen("rule", "Rule", "The rule's label, or where it stands when it has none", query)


def dashboard() -> Dashboard:
    """The dashboard `remit-rules`."""
    description = "Which rules speak, which never do, which ask too much, and what shadow rules would have done."
    rows = [_counts(), _enforced(), _doubtful(), _tried(), _written()]
    return assembled("remit-rules", "remit / Rules", description, rows, team(), host(), _rule())
