"""Building or reading a large program makes many objects and no garbage: the collector would only look at all of them again and again."""

from __future__ import annotations

import gc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


class CollectionPaused:
    """`with CollectionPaused():` no cyclic garbage collection inside, if it was on before. Whoever turned it off turns it on again, so
    that it ends as it began when several threads do this."""

    __slots__ = ("_was_on",)

    def __enter__(self) -> None:
        self._was_on = gc.isenabled()
        gc.disable()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._was_on:
            gc.enable()
