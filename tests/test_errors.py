from __future__ import annotations

import pytest

from tinyxf.errors import BookError, Problem, TinyxfError, nearest


def test_a_problem_says_where_then_what() -> None:
    assert str(Problem("docs/attention.md", 42, 7, 'unknown name "x"')) == 'docs/attention.md:42:7: unknown name "x"'


def test_all_problems_are_reported_once_in_order_of_place() -> None:
    problems = [
        Problem("docs/b.md", 2, 1, "third"),
        Problem("docs/a.md", 10, 1, "second"),
        Problem("docs/a.md", 9, 30, "first", kind="claim"),
        Problem("docs/a.md", 10, 1, "second", kind="typed"),  # the kind is for tools and tells no two apart
    ]
    error = BookError(problems)
    assert [problem.message for problem in error.problems] == ["first", "second", "third"]
    assert str(error) == "docs/a.md:9:30: first\ndocs/a.md:10:1: second\ndocs/b.md:2:1: third"
    assert isinstance(error, TinyxfError)


@pytest.mark.parametrize(
    ("name", "choices", "text"),
    [
        ("woodchuk", ("wood", "woodchuck", "chuck"), '; did you mean "woodchuck" or "wood" or "chuck"?'),
        ("loss.befor", ("loss.before", "model.d_ff"), '; did you mean "loss.before"?'),
        ("WOOD", ("wood",), '; did you mean "wood"?'),
        ("wood", ("WOOD",), '; did you mean "WOOD"?'),
        ("zebra", ("wood", "chuck"), "."),
        ("", ("wood",), "."),
        ("wood", (), "."),
    ],
)
def test_the_nearest_right_names(name: str, choices: tuple[str, ...], text: str) -> None:
    assert nearest(name, choices) == text


def test_no_more_names_than_asked_for() -> None:
    assert nearest("head0", ("head1", "head2", "head3"), most=2).count("head") == 2
