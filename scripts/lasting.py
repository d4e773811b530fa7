"""Keep a server answering when a build fails outside the hook's reach, as on a configuration that is no YAML.

MkDocs would keep every reader waiting for the next good build.
"""

from __future__ import annotations

import html
import logging
from collections.abc import Callable
from pathlib import Path

from theming import theme_fault

PAGE = """<!doctype html>
<meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>The book cannot be built</title>
<p class="tx-problem" role="alert">{}</p>
"""


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
