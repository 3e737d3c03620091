"""The ASGI application: routes around a service."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from remit.daemon import (
    routes_admin,
    routes_authzen,
    routes_decide,
    routes_hooks,
    routes_info,
    routes_opa,
    routes_sessions,
)
from remit.daemon.answers import broken, refusal, unrouted
from remit.daemon.limits import Envelope
from remit.daemon.service import Service
from remit.daemon.wire import Refused

# In the order in which they are tried.
MODULES = (routes_decide, routes_hooks, routes_opa, routes_authzen, routes_info, routes_admin, routes_sessions)


def application(service: Service) -> ASGIApp:
    """The application that answers for `service`."""
    handlers = {Refused: refusal, HTTPException: unrouted, Exception: broken}
    app = Starlette(routes=[route for module in MODULES for route in module.ROUTES], exception_handlers=handlers)
    app.router.redirect_slashes = False
    app.state.service = service
    return Envelope(app)
