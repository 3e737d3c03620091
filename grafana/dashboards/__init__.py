"""Grafana dashboards as code: `python -m grafana.dashboards` writes them to `grafana/json`."""
