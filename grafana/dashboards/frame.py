"""What the dashboards have in common: variables, links among each other, rows, numbered panels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from grafana.dashboards.panels import SOURCE, AnyPanel
from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.models import dashboard as model

TAG = "remit"
# The name of the scrape job, in grafana/prometheus/prometheus.yml: what a target that is down leaves behind carries nothing else.
JOB = 'job="remit"'
# Which hosts a dashboard is about. `team` and `host` are labels of the scrape target; a target without one is matched by "All".
WHERE = 'team=~"$team", host=~"$host"'

TO_RULE = "/d/remit-rules?var-rule=${__data.fields.Rule:percentencode}&${datasource:queryparam}&${__url_time_range}"
TO_HOST = "/d/remit-health?var-host=${__data.fields.Host:percentencode}&${datasource:queryparam}&${__url_time_range}"
TO_TEAM = "/d/remit-fleet?var-team=${__field.labels.team:percentencode}&${datasource:queryparam}&${__url_time_range}"


class Row(NamedTuple):
    """A heading with the panels below it."""

    title: str
    panels: Sequence[AnyPanel]


def assembled(
    uid: str, title: str, description: str, rows: Sequence[Row], *variables: dashboard.QueryVariable
) -> dashboard.Dashboard:
    """A dashboard of these rows. Panels are numbered in the order in which they stand."""
    made = dashboard.Dashboard(title).uid(uid).description(description).tags([TAG]).time("now-6h", "now").refresh("1m")
    made.timezone("browser").tooltip(model.DashboardCursorSync.CROSSHAIR).editable()
    made.link(_siblings()).with_variable(_source())
    for variable in variables:
        made.with_variable(variable)
    number = 0
    for row in rows:
        number += 1
        made.with_row(dashboard.Row(row.title).id(number))
        for panel in row.panels:
            number += 1
            made.with_panel(panel.id(number))
    return made


def chosen(name: str, label: str, description: str, query: str) -> dashboard.QueryVariable:
    """A variable whose values are those of a label; all of them unless some are chosen."""
    made = dashboard.QueryVariable(name).label(label).description(description).query(query).datasource(SOURCE)
    made.refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED).sort(model.VariableSort.ALPHABETICAL_ASC)
    everything = model.VariableOption(selected=True, text=["All"], value=["$__all"])
    # Not the list of all values, which would leave out series without the label, and is as long as the fleet.
    return made.multi(True).include_all(True).all_value(".*").current(everything)


def team() -> dashboard.QueryVariable:
    """The variable `team`."""
    return chosen("team", "Team", "The label `team` of the scrape targets", f"label_values(up{{{JOB}}}, team)")


def host() -> dashboard.QueryVariable:
    """The variable `host`, of the teams that are chosen."""
    query = f'label_values(up{{{JOB}, team=~"$team"}}, host)'
    return chosen("host", "Host", "The label `host` of the scrape targets", query)


def _source() -> dashboard.DatasourceVariable:
    description = "The Prometheus that scrapes the daemons and evaluates remit's recording rules"
    return dashboard.DatasourceVariable("datasource").label("Data source").description(description).type("prometheus")


def _siblings() -> dashboard.DashboardLink:
    """The other dashboards, with the same hosts and times."""
    link = dashboard.DashboardLink("remit").type(model.DashboardLinkType.DASHBOARDS).tags([TAG]).icon("external link")
    link.tooltip("The other dashboards of remit, for the same hosts and time")
    return link.include_vars(True).keep_time(True).as_dropdown(False)
