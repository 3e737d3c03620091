"""Health: whether the daemons answer, take their policies, keep their log, and whether hooks reach a decision."""

from __future__ import annotations

from grafana.dashboards.frame import JOB, WHERE, Row, assembled, host, team
from grafana.dashboards.panels import AMBER, RED, AnyPanel, Column, Query, lines, listing, number
from grafana_foundation_sdk.builders.dashboard import Dashboard

_UP = f"up{{{JOB}, {WHERE}}}"
_SOME = ((1, RED),)
_FAILED = 'reason=~"error|budget|stale_policy"'


def _rate(metric: str, by: str, more: str = "") -> str:
    matchers = f"{WHERE}, {more}" if more else WHERE
    return f"sum by ({by}) (rate({metric}{{{matchers}}}[$__rate_interval]))"


def _hosts() -> list[AnyPanel]:
    """Hosts of which something is wrong."""
    failed = f'increase(remit_policy_reloads_total{{{WHERE}, result="failed"}}[$__range])'
    return [
        number(
            "Daemons down",
            "Daemons that the last scrape did not reach. Their hooks decide by themselves, from the compiled "
            "policy on their disk: nothing is open, but nothing is counted. See the runbook RemitDaemonDown.",
            "short",
            f"count({_UP} == 0) or vector(0)",
            steps=_SOME,
        ),
        number(
            "Hosts without policy",
            "Daemons that answer and have no program in force: they refuse every call. See the runbook RemitNoPolicy.",
            "short",
            f"count({_UP} == 1 unless on (instance) remit_policy_info) or vector(0)",
            steps=_SOME,
        ),
        number(
            "Hosts with failed reloads",
            "Hosts on which a reload failed in the time shown; they decide by the last good program until the "
            "files are right. See the runbook RemitReloadFailing.",
            "short",
            f"count({failed} > 0) or vector(0)",
            steps=_SOME,
        ),
    ]


def _calls() -> list[AnyPanel]:
    """What goes wrong with policies, records and calls."""
    return [
        number(
            "Oldest policy",
            "The longest time since a daemon knew that its program is what is in its files. See the runbook "
            "RemitPolicyStale.",
            "s",
            f"max(remit_policy_age_seconds{{{WHERE}}})",
            steps=((600, AMBER), (3600, RED)),
        ),
        number(
            "Records not kept",
            "Records of the decision log that could not be kept, per second. See the runbook RemitDecisionLogFailing.",
            "ops",
            f'sum(rate(remit_audit_records_total{{{WHERE}, result=~"failed|dropped"}}[$__rate_interval])) or vector(0)',
            steps=((0.001, RED),),
        ),
        number(
            "Internal errors",
            "Calls per second that could not be judged and were denied for that (reason `error`). See the runbook "
            "RemitFailingClosed.",
            "ops",
            f'sum(rate(remit_decisions_total{{{WHERE}, reason="error"}}[$__rate_interval])) or vector(0)',
            steps=((0.001, RED),),
        ),
    ]


def _daemons() -> Row:
    slow = f"sum by (le, host) (rate(remit_decision_seconds_bucket{{{WHERE}}}[$__rate_interval]))"
    return Row(
        "Daemons",
        [
            lines(
                "Daemons that answer",
                "Daemons reached and not reached. A step down for a whole team: its scraper or network, not the "
                "daemons.",
                "short",
                Query(f"sum by (team) ({_UP})", "{{team}} up"),
                Query(f"count by (team) ({_UP} == 0) or 0 * count by (team) ({_UP})", "{{team}} down"),
            ),
            lines(
                "Time to decide, by host",
                "The 99th percentile of the ten slowest hosts. One host: it is overloaded, or agents send it very "
                "long commands. All: the new revision is slow; `python -m bench` measures it.",
                "s",
                Query(f"topk(10, histogram_quantile(0.99, {slow}))", "{{host}}"),
                steps=((0.01, AMBER), (0.05, RED)),
            ),
            listing(
                "Versions",
                "Daemons by version. Upgrade stragglers: a policy that uses newer words does not load on them.",
                "short",
                [Column("version", "Version"), Column("Value", "Daemons", "short")],
                f"count by (version) (remit_build_info{{{WHERE}}})",
            ),
            lines(
                "Failed judgements and limits",
                "Calls that were stopped because they could not be judged (`error`), were too large (`budget`), or "
                "because the policy was too old (`stale_policy`). `error` at more than a few an hour is a bug: report "
                "it with the log line.",
                "ops",
                Query(_rate("remit_decisions_total", "reason", _FAILED), "{{reason}}"),
            ),
        ],
    )


def _policies() -> Row:
    reload = f"sum by (le) (rate(remit_policy_reload_seconds_bucket{{{WHERE}}}[$__rate_interval]))"
    success = f"remit_policy_last_reload_success_timestamp_seconds{{{WHERE}}}"
    return Row(
        "Policies",
        [
            lines(
                "Reloads by host",
                "Reloads that failed, by host. The daemon's log and /readyz name file and line; correct the file, or "
                "ship the last one again.",
                "short",
                Query(
                    f'sum by (host) (increase(remit_policy_reloads_total{{{WHERE}, result="failed"}}[$__rate_interval]))',
                    "{{host}}",
                ),
                steps=_SOME,
            ),
            lines(
                "Since the policies were last loaded",
                "Time since policies were last loaded without a mistake, on the ten hosts where it is longest. After "
                "a roll-out every host falls to zero; one that does not did not get it.",
                "s",
                Query(f"topk(10, max by (host) (time() - {success}))", "{{host}}"),
            ),
            lines(
                "Time to reload",
                "What a try to load takes, the wait for files to settle included. Above 6 s: files that are written "
                "in place; replace them by renaming.",
                "s",
                Query(f"histogram_quantile(0.5, {reload})", "median"),
                Query(f"histogram_quantile(0.95, {reload})", "95 %"),
                steps=((3, AMBER), (6, RED)),
                width=24,
            ),
        ],
    )


def _log() -> Row:
    return Row(
        "Decision log",
        [
            lines(
                "Records",
                "Records of the decision log per second by result. `failed` and `dropped` are decisions of which the "
                "log knows nothing: see the runbook RemitDecisionLogFailing.",
                "ops",
                Query(_rate("remit_audit_records_total", "result"), "{{result}}"),
                stacked=True,
            ),
            lines(
                "Records that wait",
                "Records that wait to be written, on the ten hosts with most of them. A line that only rises is a log "
                "that falls behind: see the runbook RemitDecisionLogBehind.",
                "short",
                Query(f"topk(10, max by (host) (remit_audit_queue_records{{{WHERE}}}))", "{{host}}"),
                steps=((1000, AMBER), (9000, RED)),
            ),
            lines(
                "Records sent to the receiver",
                "Records on their way to a receiver, per second by result. `failed` is an attempt that is repeated; "
                "`rejected` and `dropped` are records that the receiver will never have, though the log has them.",
                "ops",
                Query(_rate("remit_audit_shipped_total", "result"), "{{result}}"),
                stacked=True,
            ),
        ],
    )


def _hooks() -> Row:
    return Row(
        "Hooks",
        [
            lines(
                "Hook requests",
                "Calls that came through agents' hooks, per second, by what they were told. An agent that is used and "
                "has no line here: its hook is not installed, or asks no daemon.",
                "ops",
                Query(_rate("remit_hook_requests_total", "agent, outcome"), "{{agent}}: {{outcome}}"),
                stacked=True,
            ),
            lines(
                "Hook requests refused for an error",
                "Hook requests that ended in a refusal because something went wrong, per second. See the runbook "
                "RemitHookFailingClosed.",
                "ops",
                Query(
                    _rate("remit_hook_requests_total", "agent", 'outcome="error"')
                    + " or "
                    + f"0 * {_rate('remit_hook_requests_total', 'agent')}",
                    "{{agent}}",
                ),
                steps=((0.001, RED),),
            ),
        ],
    )


def _commands() -> Row:
    return Row(
        "Shell commands",
        [
            lines(
                "Shell commands",
                "Shell calls per second by whether they could be taken apart. More that could not: see beside which "
                "construct it was.",
                "ops",
                Query(_rate("remit_shell_commands_total", "outcome"), "{{outcome}}"),
                stacked=True,
            ),
            lines(
                "What could not be taken apart",
                "Constructs that made a command unreadable, per second. They ask or deny, never allow. One that is "
                "frequent and harmless: report it.",
                "ops",
                Query(_rate("remit_shell_unparseable_total", "construct"), "{{construct}}"),
            ),
        ],
    )


def dashboard() -> Dashboard:
    """The dashboard `remit-health`."""
    description = (
        "Whether the daemons answer, take their policies and keep their log, and whether hooks reach a decision."
    )
    rows = [Row("Now", [*_hosts(), *_calls()]), _daemons(), _policies(), _log(), _hooks(), _commands()]
    return assembled("remit-health", "remit / Health", description, rows, team(), host())
