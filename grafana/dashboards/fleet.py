"""Fleet overview: what is decided, for whom, why, by which revisions, and how fast."""

from __future__ import annotations

from grafana.dashboards.frame import JOB, TO_HOST, TO_RULE, TO_TEAM, WHERE, Row, assembled, chosen, host, team
from grafana.dashboards.panels import AMBER, RED, AnyPanel, Column, Query, lines, listing, number
from grafana_foundation_sdk.builders.dashboard import Dashboard, QueryVariable

_CHOSEN = f'{WHERE}, agent=~"$agent"'


def _rate(more: str = "", by: str = "") -> str:
    """Decisions a second; more: further matchers, by: what they are summed by."""
    summed = f"sum by ({by})" if by else "sum"
    matchers = f"{_CHOSEN}, {more}" if more else _CHOSEN
    return f"{summed} (rate(remit_decisions_total{{{matchers}}}[$__rate_interval]))"


def _share(more: str, by: str = "") -> str:
    """The share of all decisions; 0, not nothing, while there are none of that kind."""
    return f"({_rate(more, by)} or 0 * {_rate('', by)}) / ({_rate('', by)} > 0)"


DENIED, ASKED, NOT_ALLOWED = 'decision="deny"', 'decision="ask"', 'decision!="allow"'
FREE = 'decision="allow", reason!="approval"'
_SHARE_STEPS = ((0.1, AMBER), (0.25, RED))


def _calls() -> list[AnyPanel]:
    """How many calls, and how many of them people notice."""
    return [
        number(
            "Decisions",
            "Tool calls decided per second. None at all: open Health, the daemons are not asked.",
            "ops",
            _rate(),
        ),
        number(
            "Denied",
            "Share of calls that were denied. A jump after a new revision: open Rules and look for the rule that "
            "denies; take the change back if it was not meant. A jump without one: an agent runs into a wall or "
            "tries to get round it; look at the hosts below.",
            "percentunit",
            _share(DENIED),
            steps=_SHARE_STEPS,
        ),
        number(
            "Asked",
            "Share of calls that wait for a human. People who are asked too often stop reading: find noisy rules "
            "in Rules, and permit what is always approved.",
            "percentunit",
            _share(ASKED),
            steps=((0.2, AMBER), (0.4, RED)),
        ),
    ]


def _standing() -> list[AnyPanel]:
    """How much runs by itself, on how many daemons, by how many revisions."""
    return [
        number(
            "Free of approval",
            "Share of calls that ran without anybody being asked. It is what the policy saves people; watch it "
            "when you change rules.",
            "percentunit",
            _share(FREE),
        ),
        number(
            "Daemons that answer",
            "Daemons that the last scrape reached. Fewer than there are hosts: open Health.",
            "short",
            f"sum(up{{{JOB}, {WHERE}}})",
        ),
        number(
            "Revisions in force",
            "How many different programs decide at present. More than one for longer than a roll-out takes: see "
            "Revisions below.",
            "short",
            f"count(count by (revision) (remit_policy_info{{{WHERE}}}))",
            steps=((2, AMBER), (4, RED)),
        ),
    ]


def _decisions() -> Row:
    return Row(
        "Decisions",
        [
            lines(
                "Decisions by outcome",
                "Allowed, asked and denied calls per second. Use it to see whether a change of a share comes from "
                "more denials or fewer calls.",
                "ops",
                Query(_rate("", "decision"), "{{decision}}"),
                stacked=True,
            ),
            lines(
                "Shares",
                "The shares of calls that are denied, asked and free of approval. Compare before and after a new "
                "revision.",
                "percentunit",
                Query(_share(DENIED), "denied"),
                Query(_share(ASKED), "asked"),
                Query(_share(FREE), "free of approval"),
            ),
        ],
    )


def _who() -> Row:
    return Row(
        "Who",
        [
            lines(
                "Decisions by agent",
                "Calls per second by agent; `other` is an agent that no policy names. An agent that should not be "
                "here: find its hosts, then write a rule `for agent`.",
                "ops",
                Query(_rate("", "agent"), "{{agent}}"),
            ),
            lines(
                "Denied by team",
                "Share of denied calls for each team. One team far above the others: its work differs from what the "
                "policy expects; ask it before you loosen anything. Click a line to see that team alone.",
                "percentunit",
                Query(_share(DENIED, "team"), "{{team}}"),
                steps=_SHARE_STEPS,
                link=("Only this team", TO_TEAM),
            ),
        ],
    )


def _why() -> Row:
    return Row(
        "Why",
        [
            lines(
                "Reasons of denials and asks",
                "Reason codes per second (docs/semantics.md explains each). `rule`, `guard` and `mode` are the "
                "policy's own word. `uncertain` and `unparseable` are commands that could not be understood; "
                "`no_rule` is work that no rule covers; `error` needs a look at Health.",
                "ops",
                Query(_rate(NOT_ALLOWED, "decision, reason"), "{{decision}}: {{reason}}"),
            ),
            lines(
                "Tools that are denied or asked",
                "Denials and asks per second by tool; `other` is a tool that no policy declares. A tool that asks all "
                "the time needs a declaration or an allow rule.",
                "ops",
                Query(f"topk(10, {_rate(NOT_ALLOWED, 'tool')})", "{{tool}}"),
            ),
        ],
    )


def _most() -> Row:
    return Row(
        "Most",
        [
            listing(
                "Hosts that are denied most",
                "Denials in the time shown. One host far above the rest: look at its decision log (`remit audit "
                "query`) before anything else. Click a host for its health.",
                "short",
                [Column("team", "Team"), Column("host", "Host", url=TO_HOST), Column("Value", "Denials", "short")],
                f"topk(15, sum by (team, host) (increase(remit_decisions_total{{{_CHOSEN}, {DENIED}}}[$__range])))",
            ),
            listing(
                "Rules that speak most",
                "Calls that each enforced rule matched in the time shown. Click a rule to see it over time.",
                "short",
                [Column("rule", "Rule", url=TO_RULE), Column("effect", "Effect"), Column("Value", "Matches", "short")],
                f'topk(15, sum by (rule, effect) (increase(remit_rule_matches_total{{{WHERE}, enforced="true"}}[$__range])))',
            ),
        ],
    )


def _policies() -> Row:
    return Row(
        "Policies",
        [
            lines(
                "Hosts by revision",
                "How many hosts decide by each revision. During a roll-out one line falls as the other rises; lines "
                "that stay level are hosts that do not get the files, or cannot load them.",
                "short",
                Query(f"count by (revision) (remit_policy_info{{{WHERE}}})", "{{revision}}"),
                stacked=True,
            ),
            listing(
                "Revisions by team",
                "Revisions in force in each team. More than one row for a team after a roll-out: see the runbook "
                "RemitRevisionSkew.",
                "short",
                [Column("team", "Team"), Column("revision", "Revision"), Column("Value", "Hosts", "short")],
                f"count by (team, revision) (remit_policy_info{{{WHERE}}})",
            ),
            lines(
                "Reloads",
                "Reloads by result. `failed`: the files on that host cannot be used and the last good program stays "
                "in force; see the runbook RemitReloadFailing.",
                "short",
                Query(
                    f"sum by (result) (increase(remit_policy_reloads_total{{{WHERE}}}[$__rate_interval]))", "{{result}}"
                ),
            ),
            lines(
                "Age of the policy",
                "The longest time since a daemon last knew that what it decides by is what is in its files. It stays "
                "near zero; an hour: see the runbook RemitPolicyStale.",
                "s",
                Query(f"max by (team) (remit_policy_age_seconds{{{WHERE}}})", "{{team}}"),
                steps=((600, AMBER), (3600, RED)),
            ),
        ],
    )


def _waiting() -> Row:
    quantile = "histogram_quantile({}, sum by (le) (rate(remit_decision_seconds_bucket{{{}}}[$__rate_interval])))"
    return Row(
        "Waiting",
        [
            lines(
                "Time to decide",
                "What deciding takes, without the way to the daemon and back. Above 10 ms at the 99th percentile: see "
                "the runbook RemitDecisionsSlow.",
                "s",
                Query(quantile.format("0.5", WHERE), "median"),
                Query(quantile.format("0.95", WHERE), "95 %"),
                Query(quantile.format("0.99", WHERE), "99 %"),
                steps=((0.01, AMBER), (0.05, RED)),
            ),
            lines(
                "What asks became",
                "Asks per second by their reason and by what became of them: `ask` reached a human, `deny` had nobody "
                "to ask, `allow` was approved or cleared by a classifier. Many denials: agents that run alone need "
                "allow rules.",
                "ops",
                Query(
                    f"sum by (reason, became) (rate(remit_asks_total{{{WHERE}}}[$__rate_interval]))",
                    "{{reason}}: {{became}}",
                ),
            ),
        ],
    )


def _people() -> Row:
    approval = f"sum by (le, answer) (rate(remit_approval_seconds_bucket{{{WHERE}}}[$__rate_interval]))"
    return Row(
        "People",
        [
            lines(
                "Waiting for approval",
                "Calls that wait for a human's answer. A line that only rises: nobody sees the questions; check who "
                "is told of them.",
                "short",
                Query(f"sum by (team) (remit_approvals_pending{{{WHERE}}})", "{{team}}"),
            ),
            lines(
                "Time until an answer",
                "How long calls waited for a human, by what was answered; 95 of 100 were faster. Many that expire: "
                "people do not see the questions in time.",
                "s",
                Query(f"histogram_quantile(0.95, {approval})", "{{answer}}"),
            ),
        ],
    )


def _agent() -> QueryVariable:
    query = f"label_values(remit_decisions_total{{{WHERE}}}, agent)"
    return chosen(
        "agent", "Agent", "The kind of agent that made the call; panels on policies and waiting show all", query
    )


def dashboard() -> Dashboard:
    """The dashboard `remit-fleet`."""
    description = "What agents may do across the fleet: decisions, their reasons, the revisions in force. Start here."
    rows = [
        Row("Now", [*_calls(), *_standing()]),
        _decisions(),
        _who(),
        _why(),
        _most(),
        _policies(),
        _waiting(),
        _people(),
    ]
    return assembled("remit-fleet", "remit / Fleet overview", description, rows, team(), host(), _agent())
