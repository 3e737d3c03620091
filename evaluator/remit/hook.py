"""The hook process: one call on standard input, one answer on standard output, and exit code 2 for whatever goes wrong.

Rule of this file: a client lets a call through when its hook crashes, hangs or prints something odd. So nothing is written before the
answer is complete, nothing leaves but by `os._exit`, and every failure refuses the call with one line on standard error. Start it
as `python3 -I -m remit hook AGENT`, or by `remit/launch.py`: without -I the interpreter looks for modules in the working directory, which
the agent writes. Whatever is imported here, or by what is imported here, every call pays for: `tests/evaluator/test_hook_start.py` says
what that may be.
"""

from __future__ import annotations

import os
import sys
import time

from remit.agents.protocols import AGENTS, protocol_of
from remit.payloads import MAX_BYTES, PayloadError
from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Mapping
    from types import FrameType
    from typing import Any, NoReturn

    from remit.errors import LoadError
    from remit.files import FileSystem
    from remit.loader import Loader
    from remit.request import Request
    from remit.verdict import Verdict
    from remit_dsl.diagnostics import Diagnostic
    from remit_dsl.program import Program
else:
    import _signal as signal  # without the enumerations, which take as long to import as all the rest

# Well below the time that clients give a hook, because they let the call through when that is over.
DEADLINE_S = 5.0
REFUSED = 2
PLACES = ("--policy", "--home", "--socket", "--log")  # options that name an absolute path
OPTIONS = (*PLACES, "--sessions", "--label", "--on-log-failure")
# What --sessions takes beside an absolute path: the store of the account that the hook runs for.
ACCOUNT = "account"
# What becomes of a call that would run where its decision cannot be logged; the first unless said otherwise.
UNWRITABLE = ("ask", "deny", "allow")
MAX_FINDINGS = 5

_OUT_OF_TIME = b"remit: the call could not be judged in time\n"
_STOPPED = b"remit: the hook was stopped\n"


class HookError(Exception):
    """The hook cannot do its work. The message says why, in one line."""


class Options(NamedTuple):
    """What stands behind `remit hook`. home: where the user's policies, trust and cache are, "" = the account's home folder. socket: where
    a daemon listens, "" = where one usually does. sessions: the store of sessions, "" = every call is judged by itself. log: the decision
    log, "" = none; unwritable: what becomes of a call that would run where its decision cannot be logged."""

    agent: str
    policies: tuple[str, ...]
    labels: Mapping[str, str]
    home: str
    socket: str
    sessions: str
    log: str
    unwritable: str


def run(arguments: list[str]) -> NoReturn:
    """Judge the call on standard input and end the process: 0 with an answer (or none, where nothing speaks), 2 refuses."""
    sys.excepthook = _refuse_crash
    try:
        _arm()
        os.fstat(1)  # a closed standard output would be the next file that is opened
        _write(_answer(read_options(arguments)))
    except BaseException as error:  # noqa: BLE001  (whatever it is, the call must not run)
        refuse(why(error))
    os._exit(0)


def refuse(reason: str) -> NoReturn:
    """End the process so that the call does not run."""
    try:
        from remit.phrasing import one_line

        os.write(2, f"remit: {one_line(reason)}\n".encode("utf-8", "backslashreplace"))
    finally:
        os._exit(REFUSED)


def read_options(arguments: list[str]) -> Options:
    """The options. Raises HookError for what is not understood."""
    agent = ""
    given: dict[str, list[str]] = {name: [] for name in OPTIONS}
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if name in given:
            if not equals and not rest:
                raise HookError(f"{name} needs a value")
            given[name].append(value if equals else rest.pop(0))
        elif not agent and word in AGENTS:
            agent = word
        else:
            raise HookError(f"`{word}` is not understood; usage: remit hook {'|'.join(AGENTS)} [--policy PATH]...")
    if not agent:
        raise HookError(f"for which agent? {', '.join(AGENTS)}")
    return _options(agent, given)


def _options(agent: str, given: Mapping[str, list[str]]) -> Options:
    for name in PLACES:
        for path in given[name]:
            # The working directory is the agent's: it could stand anywhere, with a policy of its own there.
            if not path.startswith("/"):
                raise HookError(f"{name} takes an absolute path here, not `{path}`")
    for path in given["--sessions"]:
        if path != ACCOUNT and not path.startswith("/"):
            raise HookError(f"--sessions takes an absolute path here, or `{ACCOUNT}`, not `{path}`")
    last = {name: values[-1] if values else "" for name, values in given.items()}
    unwritable = last["--on-log-failure"] if given["--on-log-failure"] else UNWRITABLE[0]
    if unwritable not in UNWRITABLE:
        raise HookError(f"--on-log-failure takes {', '.join(UNWRITABLE)}, not `{unwritable}`")
    labels = dict([_label(text) for text in given["--label"]])
    places = (last["--home"], last["--socket"], last["--sessions"], last["--log"])
    return Options(agent, tuple(given["--policy"]), labels, *places, unwritable)


def _label(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise HookError(f"--label takes KEY=VALUE, not `{text}`")
    return key, value


# --- the way of a call -----------------------------------------------------------------------------------------


def _answer(options: Options) -> str:
    payload = _read_input()
    call = protocol_of(options.agent).read_call(payload, os.environ)
    if call.request is None:
        return ""
    _leave_working_directory()
    request = call.request._replace(home=_agent_home(call.request))
    told = _ask_daemon(options, call.event, request, payload)
    return told if told is not None else _decide(options, call.event, request)


def _decide(options: Options, event: str, request: Request) -> str:
    """The answer that this process comes to by itself."""
    _settle_folders(options)
    loader = _loader(options, request.workspace[0])
    program = loader.load()
    request = _with_circumstances(request, options, program)
    files = _files(request)
    started = time.time()
    if options.sessions:
        verdict = _judge_in_session(options, event, loader, program, request, files)
    else:
        verdict = _judge(program, request, files)
    answered = _recorded(options, request, verdict, started, program) if options.log else verdict
    if verdict.reason.code == "error":
        from remit.phrasing import sentence

        raise HookError(sentence(verdict))
    return protocol_of(options.agent).answer(event, answered)


def _recorded(options: Options, request: Request, verdict: Verdict, started: float, program: Program) -> Verdict:
    from remit.effects.decided import Decided
    from remit.hook_log import recorded

    seconds = max(0.0, time.time() - started)
    return recorded(options.log, Decided(request, verdict, started, seconds, "hook"), options.unwritable, program)


def _ask_daemon(options: Options, event: str, request: Request, payload: bytes) -> str | None:
    """The answer of a daemon, None where none decides for this hook. One that refuses the call ends the process.

    None is asked where it could not know what this process knows: a log or sessions that this process keeps, another place for the user's
    policies.
    """
    if options.log or options.sessions or (options.home and not options.policies):
        return None
    from remit.sockets import is_believed, socket_paths

    paths = [path for path in socket_paths(options.socket, _account_home()) if is_believed(path)]
    if not paths:
        return None
    from remit.daemon_client import ask

    reply = ask(paths, f"/v1/hooks/{options.agent}", _circumstances(options, request), payload)
    if reply is not None and reply.refused:
        refuse(reply.text.removeprefix("remit: "))
    known = reply is not None and protocol_of(options.agent).is_answer(event, reply.text)
    return reply.text if reply is not None and known else None


def _circumstances(options: Options, request: Request) -> dict[str, str]:
    """What a daemon must know of this process, as header fields."""
    from remit_dsl.json_text import quoted

    labels = [f"{quoted(key)}: {quoted(value)}" for key, value in options.labels.items()]
    fields = {
        "Remit-Policies": f"[{', '.join([quoted(path) for path in options.policies])}]",
        "Remit-Labels": f"{{{', '.join(labels)}}}",
        "Remit-Home": request.home,
    }
    project = os.environ.get(protocol_of(options.agent).PROJECT_VARIABLE, "")
    return {**fields, "Remit-Project-Dir": project} if project.startswith("/") else fields


def _loader(options: Options, project: str) -> Loader:
    from remit.loader import Loader

    return Loader(options.policies, project=project)


def _judge(program: Program, request: Request, files: FileSystem | None) -> Verdict:
    from remit.engine import Engine

    # A second parser is for processes that stay: loading it takes longer than all the rest of this one.
    return Engine(program, files=files, second_opinion="off").decide(request)


def _files(request: Request) -> FileSystem | None:
    """The file system of a request whose `~` is not the account's: a project's settings may have chosen it."""
    if request.home == os.environ["HOME"]:
        return None
    from remit.files import AccountFiles

    return AccountFiles(os.environ["HOME"])


def _judge_in_session(
    options: Options, event: str, loader: Loader, program: Program, request: Request, files: FileSystem | None
) -> Verdict:
    from remit.hook_sessions import judged

    # Another event than the one before every call, such as a prompt's, tells of a call that is judged there too.
    again = event != protocol_of(options.agent).EVENT
    store = "" if options.sessions == ACCOUNT else options.sessions
    return judged(store, loader, program, request, files, again=again)


def _with_circumstances(request: Request, options: Options, program: Program) -> Request:
    """The request with labels, and with user and host where a rule may ask for them; a session may have rules of its own."""
    if not options.sessions and not program.tables["index"]["when"]:
        return request
    return request._replace(labels=options.labels, user=_user(), host=os.uname().nodename)


def _user() -> str:
    import pwd  # not the environment: the agent's settings can change that

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return ""


def _read_input() -> bytes:
    """All of standard input, at most one byte more than a payload may have."""
    chunks, size = [], 0
    while size <= MAX_BYTES:
        chunk = os.read(0, MAX_BYTES + 1 - size)
        if not chunk:
            break
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


def _leave_working_directory() -> None:
    """No module is looked for where the agent works."""
    try:
        here = ("", ".", os.getcwd())
    except OSError:  # it is gone, so that nothing can be there
        here = ("", ".", ".")
    sys.path[:] = [path for path in sys.path if path not in here]


def _agent_home(request: Request) -> str:
    """What `~` is to the agent's shell: HOME, unless a project has set it to a folder of its own; else the account's home."""
    home = os.path.normpath(os.environ.get("HOME", ""))
    roots = tuple([folder.rstrip("/") + "/" for folder in (request.cwd, *request.workspace)])
    return home if home.startswith("/") and not f"{home}/".startswith(roots) else _account_home()


def _account_home() -> str:
    """The home folder that the account database says (passwd(5)); variables can be set by a project's settings."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return os.path.expanduser("~")


def _settle_folders(options: Options) -> None:
    """Policies, trust and cache are the account's own, whatever variables say: settings of a project may set those."""
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        os.environ.pop(name, None)
    os.environ["HOME"] = options.home or _account_home()


def _write(answer: str) -> None:
    rest = answer.encode("ascii")
    while rest:
        rest = rest[os.write(1, rest) :]


# --- whatever goes wrong ---------------------------------------------------------------------------------------


def _arm() -> None:
    """Being late, or stopped from outside, refuses the call as well."""
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGXCPU"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _stopped)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _out_of_time)
        signal.setitimer(signal.ITIMER_REAL, DEADLINE_S)


def _out_of_time(_signal: int, _frame: FrameType | None) -> NoReturn:
    try:
        os.write(2, _OUT_OF_TIME)
    finally:
        os._exit(REFUSED)


def _stopped(_signal: int, _frame: FrameType | None) -> NoReturn:
    try:
        os.write(2, _STOPPED)
    finally:
        os._exit(REFUSED)


def _refuse_crash(kind: type[BaseException], _error: BaseException, _trace: Any) -> None:
    refuse(f"internal error ({kind.__name__})")


def why(error: BaseException) -> str:
    """What went wrong, for the line on standard error."""
    if isinstance(error, PayloadError):
        return f"standard input holds no hook payload: {error}"
    if isinstance(error, MemoryError):
        return "out of memory"
    from remit.errors import LoadError

    if isinstance(error, LoadError):
        return _findings(error)
    if isinstance(error, (HookError, OSError)):
        return str(error) or type(error).__name__
    return f"internal error ({type(error).__name__})"


def _findings(error: LoadError) -> str:
    """What is wrong with the policies, by code and place. What a file says is left out: a project's file may be a link to anything,
    and the agent's model reads this."""
    from remit_dsl.codes import CODES

    wrong = [item for item in error.diagnostics if item.severity == "error"]
    found = [f"{item.code} {CODES[item.code][0]} ({_place(item, error)})" for item in wrong[:MAX_FINDINGS]]
    more = [f"{len(wrong) - MAX_FINDINGS} more"] if len(wrong) > MAX_FINDINGS else []
    return f"the policies cannot be used: {'; '.join([*found, *more])}"


def _place(item: Diagnostic, error: LoadError) -> str:
    source = error.sources.get(item.source_name)
    return f"{item.source_name}:{source.position(item.start)[0]}" if source and source.text else item.source_name
