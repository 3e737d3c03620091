"""The decision of a hook within its session."""

from __future__ import annotations

from remit.engine import Engine
from remit.sessions.deciding import SessionEngine, loading_with
from remit.sessions.places import default_store
from remit.sessions.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from remit.files import FileSystem
    from remit.loader import Loader
    from remit.request import Request
    from remit.verdict import Verdict
    from remit_dsl.program import Program


def judged(
    path: str, loader: Loader, program: Program, request: Request, files: FileSystem | None, *, again: bool
) -> Verdict:
    """The verdict within the session that the request names, in the store at `path` ("" = the account's); reason `error` where that cannot
    be used. again: the client asks once more about a call that it has asked about, so that nothing is remembered."""
    place = path or default_store()
    engine = Engine(program, files=files, second_opinion="off")  # as without sessions
    with_rules = loading_with(loader, place, files, second_opinion="off")
    sessions = SessionEngine(lambda: engine, Store(place), with_rules)
    return sessions.consider(request) if again else sessions.decide(request)
