"""Every kind of problem in one list, and nothing where there is none."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import pytest
from configuration import read_configuration

from tests.altered import altered
from tests.invented import mix
from tests.little_chapter import little_chapter
from tests.test_edition import ALL, edition
from tinyxf.book.checks.anchors import anchors_in
from tinyxf.book.checks.check import check_edition, unproved
from tinyxf.book.edition import Edition
from tinyxf.book.history.ledger import write_ledger
from tinyxf.book.markdown import Converter
from tinyxf.catalog import Catalog, Scalar
from tinyxf.errors import Problem
from tinyxf.formatting import Format
from tinyxf.table import Number

BOOK = read_configuration()


def calm() -> Catalog:
    """Return the invented catalog without its number on a tie."""
    return replace(mix(), scalars=tuple(scalar for scalar in mix().scalars if scalar.name != "tie"))


def check(
    pages: Mapping[str, str],
    ledger: str | None = "",
    assets: Collection[str] = (),
    catalog: Catalog | None = None,
) -> list[str]:
    shown = catalog or calm()
    book = edition(pages, catalog=shown)
    known = write_ledger(shown) if ledger == "" else ledger
    return told(check_edition(book, converter(book).convert, known, assets))


def told(problems: Iterable[Problem]) -> list[str]:
    """Return problems as they are printed, but for titles and descriptions: these pages have none."""
    return [str(problem) for problem in problems if not problem.message.startswith("the front matter has no ")]


def converter(book: Edition) -> Converter:
    options = {**BOOK.options, "pymdownx.snippets": {"base_path": []}}
    return Converter(BOOK.extensions, options, book.mark_included)


def test_a_good_book_has_no_problem() -> None:
    page = f"# A {{#top}}\n\n{ALL}\n\n[up](#top), [down](b.md#c), [file](x.csv), $x$ {{{{ literal('42') }}}}\n"
    assert (
        check({"a.md": page, "b.md": "<h2 id='c'>C</h2>\n\n[to](a.md#mix.words/a/share)\n"}, assets=["x.csv"]) == []
    )


def test_every_kind_is_found_in_one_run_in_order() -> None:
    pages = {
        "a.md": f'{ALL}\n\n{{{{ n("lose") }}}} and [x](#none)\n\n{{{{ claim(n("loss") < 1) }}}}\n',
        "b.md": 'It is 0.3107 of $\\bad$.\n\n`<a id="none">`\n',
    }
    wrong = altered(calm(), {"size": 5})
    found = check(pages, ledger=write_ledger(wrong).replace("base,10000,10000\n", ""))
    starts = (
        'docs/a.md:7:1: unknown name "lose"',
        'docs/a.md:7:25: dead anchor: "#none"',
        "docs/a.md:9:1: claim is false",
        "docs/b.md:1:7: 0.3107 is typed by hand",
        "docs/b.md:1:17: formula cannot be read",
    )
    assert [problem[: len(start)] for problem, start in zip(found, starts, strict=False)] == list(starts)
    assert [problem.partition(":")[0] for problem in found[5:]] == ["docs/numbers.csv"] * (len(found) - 5)
    assert any("size" in problem and "5" in problem and "4" in problem for problem in found[5:])
    assert any("base" in problem for problem in found[5:])


def test_without_a_ledger_that_is_the_problem() -> None:
    (problem,) = check({"a.md": ALL}, ledger=None)
    assert problem.startswith("docs/numbers.csv:1:1: ")
    assert "accept" in problem


def test_titles_and_descriptions_are_asked_for() -> None:
    book = edition({"a.md": ALL, "b.md": "---\ntitle: B\ndescription: A page.\n---\n\nIn step 99.\n"}, catalog=calm())
    found = check_edition(book, converter(book).convert, write_ledger(calm()), ())
    assert [str(problem).partition(";")[0] for problem in found] == [
        "docs/a.md:1:1: the front matter has no description",
        "docs/a.md:1:1: the front matter has no title",
        "docs/b.md:6:9: there is no step 99",
    ]


def test_a_number_on_a_tie_is_found() -> None:
    tie = Scalar("t", "t", number=Number(0.12345000000000001), format=Format())
    (problem,) = check({"a.md": ALL}, catalog=replace(calm(), scalars=(tie,)))
    assert problem.startswith("docs/numbers.csv:")
    assert "t = 0.12345 is on a rounding tie" in problem


def test_digits_that_arithmetic_does_not_confirm_are_found() -> None:
    assert list(unproved(little_chapter())) == []
    (problem,) = unproved(little_chapter(shift=0.01))
    assert problem.kind == "digits"
    assert problem.page == "docs/numbers.csv"
    lines = write_ledger(little_chapter(shift=0.01)).splitlines()
    assert lines[problem.line - 1].startswith("bill.sum/total,")
    assert list(unproved(replace(little_chapter(shift=0.01), traced=None))) == []


def test_what_included_files_say_by_hand_is_found_once() -> None:
    pages = {"a.md": ALL + '\n\n--8<-- "part.md"\n', "b.md": '--8<-- "part.md"'}
    book = edition(pages, {"part.md": "It is 0.31.", "no.md": "0.31"}, calm())
    found = check_edition(book, converter(book).convert, write_ledger(calm()), ())
    (problem,) = told(found)
    assert problem.startswith("docs/snippets/part.md:1:7: 0.31 is typed by hand")


@pytest.mark.parametrize(
    ("page", "ids"),
    [
        ("<p id=\"a\"><b class=x id=b><i ID = 'c d'>", ["a", "b", "c d"]),
        ('<a name="a" href="#b">', ["a"]),
        ('<meta name="a">', []),
        ('<p title="x id=\'a\'" data-id=\'b\'>id="c" <code>id="d"</code>', []),
        ('<!-- <p id="a"> --><p hidden id="b">', ["b"]),
        ('<p title="a > b" id="x&amp;y">', ["x&y"]),
    ],
)
def test_ids_are_read_as_a_browser_does(page: str, ids: list[str]) -> None:
    assert [name for name, _ in anchors_in(page)] == ids
