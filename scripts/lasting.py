"""Live through whatever an author's edit raises: in an event, or outside the hook's reach.

A configuration that is no YAML is such a case; MkDocs would keep every reader waiting for the next good build.
"""

from __future__ import annotations

import functools
import html
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from theming import theme_fault

PAGE = """<!doctype html>
<meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>The book cannot be built</title>
<p class="tx-problem" role="alert">{}</p>
"""

Given = TypeVar("Given")
More = ParamSpec("More")
Event = Callable[Concatenate[Given, More], Given]


def living(
    told: type[Exception], fail: Callable[[Exception], None]
) -> Callable[[Event[Given, More]], Event[Given, More]]:
    """Return what turns an event into one that goes on with what it was given, whatever it raises.

    Errors that are `told` already pass; `fail` is called with any other, and may raise one.
    """

    def make(event: Event[Given, More]) -> Event[Given, More]:
        @functools.wraps(event)
        def lives(given: Given, /, *args: More.args, **more: More.kwargs) -> Given:
            try:
                return event(given, *args, **more)
            except told:
                raise
            except Exception as error:  # noqa: BLE001  whatever an author's edit can raise
                fail(error)
                return given

        return lives

    return make


def lasting(build: Callable[[], None], site: Path, told: type[Exception], log: logging.Logger) -> Callable[[], None]:
    """Return a build that only says what goes wrong; where no page is left, every address says it, too.

    `told` are the errors whose text is all that an author needs; of any other the traceback is shown.
    """

    def living() -> None:
        try:
            build()
        except Exception as error:  # whatever an author's edit can raise
            known = theme_fault(error) or (error if isinstance(error, told) else None)
            log.error("%s", known or error, exc_info=known is None)  # noqa: TRY400  a traceback only of the unknown
            if not (site / "index.html").exists():
                (site / "404.html").write_text(PAGE.format(html.escape(str(known or error))), encoding="utf-8")

    return living
