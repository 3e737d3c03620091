"""Panels in the few forms that the dashboards use: lines over time, one number, a table."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from grafana_foundation_sdk.builders import common as build
from grafana_foundation_sdk.builders import dashboard, prometheus, stat, table, timeseries
from grafana_foundation_sdk.models import common
from grafana_foundation_sdk.models import dashboard as model
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

SOURCE = common.DataSourceRef(type_val="prometheus", uid="${datasource}")
GREEN, AMBER, RED = "green", "orange", "red"
FULL_WIDTH = 24

AnyPanel: TypeAlias = timeseries.Panel | stat.Panel | table.Panel
Steps: TypeAlias = Sequence[tuple[float, str]]  # from this value on, this colour; green below the first


class Query(NamedTuple):
    """PromQL, and how its series are called (`{{label}}` stands for the value of a label)."""

    expr: str
    legend: str = ""


class Column(NamedTuple):
    """A column of a table: the field it shows, its heading, its unit, where a click leads ("" = nowhere)."""

    field: str
    heading: str
    unit: str = ""
    url: str = ""


def lines(
    title: str,
    description: str,
    unit: str,
    *queries: Query,
    steps: Steps = (),
    stacked: bool = False,
    width: int = 12,
    link: tuple[str, str] | None = None,
) -> timeseries.Panel:
    """Series over time. steps: drawn as lines; link: title and address of where a click on a series leads."""
    panel = timeseries.Panel().title(title).description(description).datasource(SOURCE).unit(unit).min(0)
    panel.height(8).span(width).fill_opacity(30 if stacked else 8).line_width(1).show_points(common.VisibilityMode.AUTO)
    legend = build.VizLegendOptions().display_mode(common.LegendDisplayMode.TABLE).calcs(["lastNotNull", "max"])
    panel.legend(legend.placement(common.LegendPlacement.BOTTOM).show_legend(True))
    mode, order = common.TooltipDisplayMode.MULTI, common.SortOrder.DESCENDING
    panel.tooltip(build.VizTooltipOptions().mode(mode).sort(order))
    panel.thresholds(_thresholds(steps))
    if steps:
        panel.thresholds_style(build.GraphThresholdsStyleConfig().mode(common.GraphThresholdsStyleMode.DASHED))
    if stacked:
        panel.stacking(build.StackingConfig().mode(common.StackingMode.NORMAL).group("A"))
    if link is not None:
        panel.data_links([_link(*link)])
    for letter, query in zip(string.ascii_uppercase, queries, strict=False):
        panel.with_target(_target(letter, query).range())
    return panel


def number(title: str, description: str, unit: str, expr: str, *, steps: Steps = (), width: int = 4) -> stat.Panel:
    """One number, as of the end of the time that is shown."""
    panel = stat.Panel().title(title).description(description).datasource(SOURCE).unit(unit).no_value("no data")
    panel.height(4).span(width).thresholds(_thresholds(steps)).graph_mode(common.BigValueGraphMode.AREA)
    panel.color_mode(common.BigValueColorMode.VALUE).reduce_options(build.ReduceDataOptions().calcs(["lastNotNull"]))
    target = _target("A", Query(expr))
    # What is about all of the time shown has no course over it.
    return panel.with_target(target.instant() if "$__range" in expr else target.range())


def listing(
    title: str,
    description: str,
    unit: str,
    columns: Sequence[Column],
    *queries: str,
    steps: Steps = (),
    width: int = 12,
) -> table.Panel:
    """A table with a row for each series, sorted by the last column downwards. Several queries are joined by their labels; the values of
    the first are the field `Value`, or `Value #A`, `Value #B` when there are several."""
    panel = table.Panel().title(title).description(description).datasource(SOURCE).unit(unit).height(9).span(width)
    panel.thresholds(_thresholds(steps)).no_value("none").filterable(True)
    panel.sort_by([build.TableSortByFieldState().display_name(columns[-1].heading).desc(True)])
    for letter, expr in zip(string.ascii_uppercase, queries, strict=False):
        panel.with_target(_target(letter, Query(expr)).instant().format(PromQueryFormat.TABLE))
    if len(queries) > 1:
        panel.with_transformation(model.DataTransformerConfig(id_val="merge", options={}))
    panel.with_transformation(model.DataTransformerConfig(id_val="organize", options=_arrangement(columns)))
    for column in columns:
        if found := _properties(column):
            panel.override_by_name(column.heading, found)
    return panel


def _arrangement(columns: Sequence[Column]) -> dict[str, object]:
    """The options of the transformation that hides, orders and renames the fields of a table."""
    return {
        "excludeByName": {"Time": True},
        "includeByName": {},
        "indexByName": {column.field: place for place, column in enumerate(columns)},
        "renameByName": {column.field: column.heading for column in columns},
    }


def _properties(column: Column) -> list[model.DynamicConfigValue]:
    found = []
    if column.unit:
        found.append(model.DynamicConfigValue("unit", column.unit))
    if column.url:
        found.append(model.DynamicConfigValue("links", [{"title": "Show", "url": column.url}]))
    return found


def _target(letter: str, query: Query) -> prometheus.Dataquery:
    target = prometheus.Dataquery().expr(query.expr).ref_id(letter).datasource(SOURCE)
    return target.legend_format(query.legend) if query.legend else target


def _thresholds(steps: Steps) -> dashboard.ThresholdsConfig:
    found = [model.Threshold(value=None, color=GREEN), *[model.Threshold(value=at, color=color) for at, color in steps]]
    return dashboard.ThresholdsConfig().mode(model.ThresholdsMode.ABSOLUTE).steps(found)


def _link(title: str, url: str) -> dashboard.DashboardLink:
    return dashboard.DashboardLink(title).url(url)
