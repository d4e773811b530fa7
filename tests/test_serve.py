"""A real `mkdocs serve` beside an author who edits: every kind of edit shows at once, once, and nothing ends it.

Python writes bytecode here as it does for users, and no test waits for a clock to move on between two edits.
"""

from __future__ import annotations

import contextlib
import http.client
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from html import unescape

import pytest

from tests.project import Project, book_project

PATIENCE = 90  # seconds; two busy cores may need many more than the one that a rebuild takes
BUILDING = "Building documentation..."


@dataclass
class Serving:
    """A running server: what it says, line by line, and the pages that it shows."""

    project: Project
    process: subprocess.Popen[str]
    port: int
    said: list[str] = field(default_factory=list)
    edits: int = 0

    def listen(self) -> None:
        """Note every line; runs in a thread of its own."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line.rstrip("\n"))

    def page(self, path: str = "index.html") -> str:
        """Return a page as the server shows it now; its own reload script waits for no answer here."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request("GET", f"/{path}")
            answer = connection.getresponse()
            page = f"{answer.status}\n{answer.read().decode()}"
        return re.sub(r"livereload\(\d+, \d+\)", "", page)

    def wait(self, holds: Callable[[], bool], wanted: str) -> None:
        """Wait until something holds; fail with what the server said."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            assert self.process.poll() is None, "the server ended:\n" + "\n".join(self.said)
            if holds():
                return
            time.sleep(0.05)
        pytest.fail(f"never {wanted}; the server said:\n" + "\n".join(self.said[-40:]), pytrace=False)

    def count(self, words: str) -> int:
        """Return how often the server has said something."""
        return sum(words in line for line in self.said)

    def edit(self, change: Callable[[], object]) -> list[str]:
        """Make a change, wait for the build that it causes; return what was said."""
        begin, built = len(self.said), self.count("Reloading browsers")
        change()
        self.edits += 1
        self.wait(lambda: self.count("Reloading browsers") > built, "rebuilt")
        return self.said[begin:]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@contextlib.contextmanager
def serving(project: Project) -> Iterator[Serving]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", f"127.0.0.1:{port}"],
        cwd=project.folder,
        env=project.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    server = Serving(project, process, port)
    listener = threading.Thread(target=server.listen, daemon=True)
    listener.start()
    try:
        server.wait(lambda: server.count("Serving on") == 1, "served")
        yield server
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        listener.join()
        assert process.stdout is not None
        process.stdout.close()


def shown(page: str, address: str) -> str:
    """Return the number that a page shows for an address."""
    found = re.search(rf'data-address="{re.escape(address)}"[^>]*>([^<]*)<', page)
    return found[1] if found else ""


def boxes(page: str) -> list[str]:
    """Return the problems that a page shows."""
    return re.findall(r'class="tx-problem" role="alert">([^<]*)<', page)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A copy of our book with bytecode beside its sources, as running the program leaves it."""
    project = book_project(tmp_path_factory.mktemp("serve") / "book")
    assert project.run("-m", "tinyxf", "--list").returncode == 0
    assert list((project.folder / "tinyxf" / "__pycache__").glob("weights.*.pyc"))
    return project


@pytest.fixture(scope="module")
def server(book: Project) -> Iterator[Serving]:
    """One server for all the edits below; each test leaves the book as it found it."""
    with serving(book) as running:
        yield running


@pytest.fixture
def once(server: Serving) -> Iterator[Serving]:
    """The server; the test fails if there were more builds than edits, or if a problem is left."""
    yield server
    assert server.count(BUILDING) == 1 + server.edits, "\n".join(server.said[-40:])
    for page in ("index.html", "loss.html"):
        assert boxes(server.page(page)) == []


# -- every kind of edit shows


def test_a_page(once: Serving) -> None:
    page = once.project.read("docs/loss.md")
    once.edit(lambda: once.project.add("docs/loss.md", '\nNow {{ n("params.exact/gpt3/exact") }} zebras, a.\n'))
    assert shown(once.page("loss.html"), "params.exact/gpt3/exact").count(",") == 3
    once.edit(lambda: once.project.replace("docs/loss.md", "zebras, a.", "zebras, b."))  # the same size, at once
    assert "zebras, b." in once.page("loss.html")
    once.edit(lambda: once.project.write("docs/loss.md", page))
    assert "zebras" not in once.page("loss.html")


def same_second(project: Project, name: str, old: str, new: str) -> None:
    """Edit a file so that its size and the second of its change stay as they were."""
    text, changed = project.read(name), (project.folder / name).stat().st_mtime_ns
    assert text.count(old) == 1
    assert len(old) == len(new)
    second, moment = divmod(changed, 10**9)
    project.write(name, text.replace(old, new), changed=second * 10**9 + (moment + 10**8) % 10**9)


def test_a_weight_and_back_within_the_same_second(once: Serving) -> None:
    """Python itself would go on with its bytecode of the file."""
    before, data = once.page("weights.html"), once.page("downloads/numbers.csv")
    assert shown(before, "weights.w2/u6/f2") == "0.5"
    rows = {digit: f"(0, 0, 0.{digit}, 0),\n            (0, 0, 0, 1),  # strong" for digit in "546"}
    for old, new in ("54", "46", "65"):
        once.edit(partial(same_second, once.project, "tinyxf/weights.py", rows[old], rows[new]))
        assert shown(once.page("weights.html"), "weights.w2/u6/f2") == f"0.{new}"
    assert once.page("weights.html") == before
    assert once.page("downloads/numbers.csv") == data
    assert "weights.w2/u6/f2,0.5,0.5\n" in data


def test_a_stage(once: Serving) -> None:
    before = once.page("loss.html")
    code = once.project.read("tinyxf/stages/loss.py")
    once.edit(
        lambda: once.project.replace(
            "tinyxf/stages/loss.py", "logits - rate * gradient\n", "logits + rate * gradient\n"
        )
    )
    after = once.page("loss.html")
    assert float(shown(after, "loss.step/loss_after")) > float(shown(after, "loss.step/loss_before"))
    once.edit(lambda: once.project.write("tinyxf/stages/loss.py", code))
    assert once.page("loss.html") == before


def test_a_module_that_stages_import(once: Serving) -> None:
    before = once.page("attention.html")
    code = once.project.read("tinyxf/layers.py")
    once.edit(lambda: once.project.replace("tinyxf/layers.py", "np.sqrt(variance + eps)", "np.sqrt(variance + 1.0)"))
    assert shown(once.page("attention.html"), "attention.norm/a/n0") != shown(before, "attention.norm/a/n0") != ""
    once.edit(lambda: once.project.write("tinyxf/layers.py", code))
    assert once.page("attention.html") == before


def test_a_template(once: Serving) -> None:
    before = once.page("loss.html")
    template = once.project.read("templates/table.html.jinja")
    once.edit(lambda: once.project.replace("templates/table.html.jinja", "<caption>", "<caption>So: "))
    assert once.page("loss.html").count("<caption>So: ") == before.count("<caption>") > 0
    once.edit(lambda: once.project.write("templates/table.html.jinja", template))
    assert once.page("loss.html") == before


def test_a_template_of_the_theme_comes_and_goes(once: Serving) -> None:
    before = once.page("index.html")
    once.edit(lambda: once.project.write("templates/theme/partials/footer.html", "<footer>mine</footer>"))
    assert "<footer>mine</footer>" in once.page("index.html")
    once.edit((once.project.folder / "templates/theme/partials/footer.html").unlink)
    assert once.page("index.html") == before


def test_the_configuration(once: Serving) -> None:
    text = once.project.read("mkdocs.yml")
    once.edit(lambda: once.project.replace("mkdocs.yml", "site_name: A transformer", "site_name: My transformer"))
    assert "My transformer you can check by hand" in once.page("index.html")
    once.edit(lambda: once.project.write("mkdocs.yml", text))
    assert "My transformer" not in once.page("index.html")


def test_a_page_comes_and_goes(once: Serving) -> None:
    assert once.page("new.html").startswith("404\n")
    said = once.edit(lambda: once.project.write("docs/new.md", '# New\n\n{{ n("loss.before") }}\n'))
    assert shown(once.page("new.html"), "loss.step/loss_before") == "1.1690"
    assert any('docs/new.md:1:1: no entry of "nav" in mkdocs.yml leads to this page' in line for line in said)
    once.edit((once.project.folder / "docs/new.md").unlink)
    assert once.page("new.html").startswith("404\n")


def test_an_included_file(once: Serving) -> None:
    page = once.project.read("docs/loss.md")

    def begin() -> None:
        once.project.write("docs/snippets/part.md", 'Included {{ n("loss.before") }}, a.\n')
        once.project.add("docs/loss.md", '\n--8<-- "part.md"\n')

    once.edit(begin)
    assert re.search(r"Included <data[^>]*>1\.1690</data>, a\.", once.page("loss.html"))
    once.edit(lambda: once.project.replace("docs/snippets/part.md", ", a.", ", b."))
    assert ">1.1690</data>, b." in once.page("loss.html")

    def end() -> None:
        once.project.write("docs/loss.md", page)
        (once.project.folder / "docs/snippets/part.md").unlink()

    once.edit(end)
    assert "Included" not in once.page("loss.html")


# -- every kind of mistake is shown, told, and healed by the next good save


def mistake(server: Serving, name: str, text: str | None, problem: str, page: str = "index.html") -> None:
    """Spoil a file, or delete it; see the problem on a page and in the terminal; put the file back."""
    good, before = server.project.read(name), server.page(page)
    path = server.project.folder / name
    said = server.edit(path.unlink if text is None else lambda: server.project.write(name, text))
    broken = server.page(page)
    server.edit(lambda: server.project.write(name, good))
    assert [line for line in said if problem in line], "\n".join(said)
    assert not [line for line in said if "Traceback" in line], "\n".join(said)
    assert [box for box in boxes(broken) if problem in unescape(box)], boxes(broken)
    assert server.page(page) == before


def test_a_mistake_in_a_page(once: Serving) -> None:
    page = once.project.read("docs/loss.md")
    line = page.count("\n") + 2
    text = page + '\nSo {{ n("loss.befor") }} it is.\n'
    problem = f'docs/loss.md:{line}:4: unknown name "loss.befor"; did you mean "loss.before"'
    mistake(once, "docs/loss.md", text, problem, "loss.html")


def test_a_mistake_in_front_matter(once: Serving) -> None:
    text = once.project.read("docs/loss.md").replace("title: ", "title: [", 1)
    mistake(once, "docs/loss.md", text, "docs/loss.md:3:12: front matter is no YAML", "loss.html")


def test_code_that_does_not_compile(once: Serving) -> None:
    text = once.project.read("tinyxf/stages/loss.py").replace(
        "before = -np.log(p[target])", "before = = -np.log(p[target])"
    )
    mistake(once, "tinyxf/stages/loss.py", text, "tinyxf/stages/loss.py:31:1: SyntaxError: invalid syntax")


def test_code_that_fails(once: Serving) -> None:
    text = once.project.read("tinyxf/stages/loss.py").replace(
        "before = -np.log(p[target])", 'before = -np.log(p["<b>"])'
    )
    mistake(once, "tinyxf/stages/loss.py", text, "tinyxf/stages/loss.py:31:1: IndexError: ")


def test_code_that_the_trace_cannot_follow(once: Serving) -> None:
    text = once.project.read("tinyxf/stages/loss.py").replace(
        "-np.log(p[target])", "-np.log(np.float64(float(p[target])))", 1
    )
    good = once.project.read("tinyxf/stages/loss.py")
    said = once.edit(lambda: once.project.write("tinyxf/stages/loss.py", text))
    assert not [line for line in said if "Traceback" in line], "\n".join(said)
    once.edit(lambda: once.project.write("tinyxf/stages/loss.py", good))


def test_the_generator_itself_does_not_compile(once: Serving) -> None:
    text = once.project.read("tinyxf/book/markdown.py") + "\n=\n"
    mistake(once, "tinyxf/book/markdown.py", text, "tinyxf/book/markdown.py:")


def test_a_template_that_does_not_parse(once: Serving) -> None:
    text = once.project.read("templates/table.html.jinja") + "{% for %}\n"
    line = text.count("\n")
    mistake(once, "templates/table.html.jinja", text, f"templates/table.html.jinja:{line}:1: ", "loss.html")


def test_a_template_that_fails(once: Serving) -> None:
    text = "{#- x -#}\n\n{{ 1 / 0 }}\n"
    mistake(
        once, "templates/table.html.jinja", text, "templates/table.html.jinja:3:1: ZeroDivisionError", "loss.html"
    )


def test_a_template_that_is_gone(once: Serving) -> None:
    problem = "templates/table.html.jinja:1:1: template not found"
    mistake(once, "templates/table.html.jinja", None, problem, "loss.html")


def test_a_page_that_the_navigation_still_names(once: Serving) -> None:
    good = once.project.read("docs/pencil.md")
    said = once.edit((once.project.folder / "docs/pencil.md").unlink)
    assert once.page("pencil.html").startswith("404\n")
    assert any(
        re.search(r'mkdocs\.yml:\d+:\d+: the navigation names "pencil\.md", which is no page', line) for line in said
    )
    once.edit(lambda: once.project.write("docs/pencil.md", good))
    assert once.page("pencil.html").startswith("200\n")


def test_a_template_of_the_theme_that_does_not_parse(once: Serving) -> None:
    text = once.project.read("templates/theme/main.html") + "\n{% endblock nothing %}\n"
    line = text.count("\n")
    mistake(once, "templates/theme/main.html", text, f"templates/theme/main.html:{line}:1: ")


def test_a_template_of_the_theme_that_fails(once: Serving) -> None:
    """No page can be made, so every address says why."""
    good, before = once.project.read("templates/theme/main.html"), once.page()
    text = re.sub(r"(\{% block \w+ %\})", r"\1{{ 1 // 0 }}", good, count=1)
    said = once.edit(lambda: once.project.write("templates/theme/main.html", text))
    broken = once.page()
    once.edit(lambda: once.project.write("templates/theme/main.html", good))
    assert not [line for line in said if "Traceback" in line], "\n".join(said)
    assert [line for line in said if re.search(r"templates/theme/main\.html:\d+:1: ZeroDivisionError", line)]
    assert "ZeroDivisionError" in boxes(broken)[0]
    assert once.page() == before


def test_a_configuration_that_is_no_yaml(once: Serving) -> None:
    """The pages stay as they were until the file is good again."""
    good, before = once.project.read("mkdocs.yml"), once.page()
    said = once.edit(lambda: once.project.write("mkdocs.yml", good + "\nnav: [\n"))
    assert [line for line in said if "mkdocs.yml" in line], "\n".join(said)
    assert not [line for line in said if "Traceback" in line], "\n".join(said)
    assert once.page() == before
    once.edit(lambda: once.project.write("mkdocs.yml", good))
    assert once.page() == before


def test_no_edit_was_built_twice(once: Serving) -> None:
    """The server looks for changes every half second: a build that causes another would have done so by now."""
    time.sleep(2)
    assert once.count(BUILDING) == 1 + once.edits > 30


# -- a server that is started on a broken book lives, and is healed


@pytest.mark.parametrize(
    ("name", "old", "new", "page", "problem"),
    [
        ("docs/loss.md", "# ", '# {{ n("nothing") }} ', "loss.html", 'unknown name "nothing"'),
        (
            "tinyxf/stages/loss.py",
            "import numpy as np",
            "import numpy as np =",
            "index.html",
            "tinyxf/stages/loss.py:7:1: SyntaxError",
        ),
    ],
    ids=["page", "stage"],
)
def test_a_broken_book_is_served_and_healed(
    name: str, old: str, new: str, page: str, problem: str, book: Project
) -> None:
    good = book.read(name)
    book.write(name, good.replace(old, new, 1))
    try:
        with serving(book) as server:
            assert [box for box in boxes(server.page(page)) if problem in box]
            assert server.count(problem) == 1
            server.edit(lambda: book.write(name, good))
            assert boxes(server.page(page)) == []
    finally:
        book.write(name, good)
