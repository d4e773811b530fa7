"""The content security policy, made from invented sites; the book runs under its own in a browser's tests."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest
from policy import main, policy, refusals


def site(folder: Path, **pages: str) -> Path:
    """A folder with pages of these bodies."""
    for name, body in pages.items():
        page = f"<!doctype html><html lang=en><head><title>t</title></head><body>{body}</body></html>"
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return folder


def digest(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def test_each_inline_script_is_let_in_once_by_its_hash(tmp_path: Path) -> None:
    odd = "\n if (1 < 2 && '</b>' > \"é\") x(`&amp;`)\n"
    folder = site(
        tmp_path,
        index=f"<script>{odd}</script><script src=a.js></script><script type=module>b()</script>",
        other=f"<script>{odd}</script><script></script><script type='application/json'>{{}}</script>text",
    )
    (folder / "deep").mkdir()
    site(folder / "deep", third="<script>c()</script>")
    rules = dict(rule.split(" ", 1) for rule in policy(folder).split("; "))
    assert rules["script-src"].split() == ["'self'", *sorted(map(digest, (odd, "b()", "c()", "")))]
    del rules["script-src"]
    assert rules == {
        "default-src": "'none'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "font-src": "'self'",
        "connect-src": "'self'",
        "worker-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }


def test_nothing_is_let_in_wholesale(built_site: Path) -> None:
    rules = policy(built_site)
    assert "unsafe" not in rules
    assert "http" not in rules
    assert "*" not in rules
    assert 1 <= rules.count("'sha256-") <= 5  # the theme's


@pytest.mark.parametrize(
    "fine",
    [
        "<a href='https://elsewhere.example/'>x</a>",
        "<link rel=canonical href='https://book.example/'>",
        "<link rel=stylesheet href='../a.css'>",
        "<img src='data:image/png;base64,x' alt=x>",
        '<script>const x = \'<p style="" onclick="">\'</script>',
        "<p title='style=' data-on='x'>onclick=</p>",
    ],
)
def test_what_is_fine(fine: str, tmp_path: Path) -> None:
    assert list(refusals(site(tmp_path, index=fine))) == []


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ("<p style='color: red'>x</p>", 'the attribute style="color: red"'),
        ("<p ONCLICK='x()'>x</p>", 'the attribute onclick="x()"'),
        ("<style>p {}</style>", "a style sheet in the page"),
        ("<a href=' JavaScript:x()'>x</a>", 'the address " JavaScript:x()"'),
        ("<script src='//cdn.example/x.js'></script>", 'what comes from "//cdn.example/x.js"'),
        ("<script src='data:,x'></script>", 'what comes from "data:,x"'),
        ("<img src='http://elsewhere.example/x.png' alt=x>", 'what comes from "http://elsewhere.example/x.png"'),
        ("<link rel='preload' href='https://cdn.example/x'>", 'what comes from "https://cdn.example/x"'),
    ],
)
def test_what_the_policy_refuses_is_named_with_its_place(
    wrong: str, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "site").mkdir()
    assert main([str(site(tmp_path / "site", index=f"<p>\n {wrong}</p>"))]) == 1
    assert capsys.readouterr().err == f"site/index.html:2:2: the policy refuses {what}\n"


def test_the_header_is_printed(built_site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(built_site)]) == 0
    said = capsys.readouterr()
    assert (said.out, said.err) == (f"Content-Security-Policy: {policy(built_site)}\n", "")
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"{tmp_path.name} holds no built site; run: make site\n"
