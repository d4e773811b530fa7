"""Random pages: blocks within blocks, with a token of its own at every place where a placeholder could stand."""

from __future__ import annotations

import random
from collections.abc import Callable


class NestedPages:
    """Draws pages from a source of chance; `plain` leaves raw HTML and inline marks out."""

    def __init__(self, chance: random.Random, *, plain: bool = True) -> None:
        self.chance = chance
        self.plain = plain
        self.count = 0

    def page(self) -> str:
        """Return a page."""
        return "\n".join(self.blocks(0)) + "\n"

    def token(self) -> str:
        """Return a token that no other place has."""
        self.count += 1
        return f"tok{self.count}z"

    def blocks(self, depth: int) -> list[str]:
        """Return the lines of a few blocks, mostly with a blank line between them."""
        lines = []
        for _ in range(self.chance.randint(1, 3)):
            lines += self.block(depth)
            if self.chance.random() < 0.8:
                lines.append("")
        return lines

    def block(self, depth: int) -> list[str]:
        """Return the lines of one block."""
        leaves: list[Callable[[], list[str]]] = [
            self.paragraph,
            self.paragraph,
            self.paragraph,
            self.code,
            self.fence,
        ]
        leaves += [self.heading, self.underlined, self.rule, self.table]
        boxes: list[Callable[[int], list[str]]] = [self.items, self.items, self.quote, self.note, self.tabs]
        boxes.append(self.definition)
        if depth == 0:
            boxes.append(self.footnote)  # the engine itself trips over footnotes within footnotes
        if not self.plain and self.chance.random() < 0.2:
            return self.chance.choice(
                [self.division, self.markdown_division, self.comment, self.formula, self.target]
            )()
        if depth < 3 and self.chance.random() < 0.4:
            return self.chance.choice(boxes)(depth)
        return self.chance.choice(leaves)()

    # -- words

    def words(self) -> str:
        """Return a few words."""
        return " ".join(self.word() for _ in range(self.chance.randint(1, 3)))

    def word(self) -> str:
        """Return a word, a token, or a mark around one."""
        own = self.token()
        if self.plain or self.chance.random() < 0.4:
            return self.chance.choice(["word", "so", own])
        ticks = self.chance.choice(["`", "``", "```"])
        return self.chance.choice(
            [
                *(f"{ticks}{own}{ticks}", f"{ticks}{own}", f"\\`{own}`", f"\\\\`{own}`", f"{ticks} {own} `"),
                *(
                    f"${own}$",
                    f"$ {own}$",
                    f"${own} $",
                    f"\\({own}\\)",
                    f"costs $5 {own}",
                    f"\\${own}$",
                    f"$a{own}b$",
                ),
                *(f"[a {own}](u)", f"![{own}](u.png)", f"[x](u{own})", f'[x](u "{own}")', f"<http://a.b/{own}>"),
                *(
                    f"<code>{own}</code>",
                    f"<!-- {own} -->",
                    f'<b class="{own}">',
                    f"<kbd>{own}</kbd>",
                    f"a < b {own}",
                ),
                *(f"&amp; {own}", f"*{own}*", f"_{own}_", f"**{own}**", f"~~{own}~~"),
            ]
        )

    # -- blocks

    def paragraph(self) -> list[str]:
        return [self.words() for _ in range(self.chance.randint(1, 3))]

    def code(self) -> list[str]:
        return _indented([self.words() for _ in range(self.chance.randint(1, 2))], self.chance.choice([4, 4, 8, 5]))

    def fence(self) -> list[str]:
        run = self.chance.choice(["```", "~~~", "````"])
        head = self.chance.choice(["", " python", "py", " {.py}", ' python title="x"', " two words"])
        close = [run] if self.chance.random() < 0.95 else []
        return [run + head, self.words(), *self.chance.choice([[], [""]]), self.words(), *close]

    def heading(self) -> list[str]:
        return ["#" * self.chance.randint(1, 4) + " " + self.words()]

    def underlined(self) -> list[str]:
        return [self.words(), self.chance.choice(["===", "---"])]

    def rule(self) -> list[str]:
        return [self.chance.choice(["---", "* * *", "***", "___"])]

    def table(self) -> list[str]:
        return [f"| {self.words()} | b |", "|---|---|", f"| {self.words()} | {self.words()} |"]

    def items(self, depth: int) -> list[str]:
        width = self.chance.choice([4, 4, 2])
        lines = []
        for number in range(1, self.chance.randint(1, 3) + 1):
            mark = self.chance.choice(["- ", "* ", f"{number}. "])
            body = self.filled(depth)
            lines += [mark + body[0].lstrip(), *_indented(body[1:], width)]
            if self.chance.random() < 0.4:
                lines.append("")
        return lines

    def quote(self, depth: int) -> list[str]:
        return [f"> {line}" if line or self.chance.random() < 0.5 else ">" for line in self.blocks(depth + 1)]

    def note(self, depth: int) -> list[str]:
        title = self.words()
        head = self.chance.choice(["!!! note", f'!!! tip "{title}"', "??? note", f'???+ tip "{title}"', '!!! x ""'])
        return [head, *self.chance.choice([[], [], [""]]), *_indented(self.blocks(depth + 1), 4)]

    def tabs(self, depth: int) -> list[str]:
        lines = []
        for label in ("A", self.words()):
            lines += [f'=== "{label}"', *self.chance.choice([[], [""]]), *_indented(self.blocks(depth + 1), 4)]
        return lines

    def definition(self, depth: int) -> list[str]:
        body = self.filled(depth)
        blank = self.chance.choice([[], [], [], [""]])
        return [self.words(), *blank, ":   " + body[0].lstrip(), *_indented(body[1:], 4)]

    def footnote(self, depth: int) -> list[str]:
        body = self.filled(depth)
        label = self.count
        return [f"[^{label}]: {body[0].lstrip()}", *_indented(body[1:], 4), "", f"see[^{label}]"]

    def filled(self, depth: int) -> list[str]:
        """Return the lines of blocks whose first line is not blank."""
        body = self.blocks(depth + 1)
        return body if body[0] else [self.words(), *body]

    def division(self) -> list[str]:
        return ['<div class="a">', *self.paragraph(), "", *self.code(), "</div>"]

    def markdown_division(self) -> list[str]:
        return ["<div markdown>", "", *self.blocks(2), "", "</div>"]

    def comment(self) -> list[str]:
        return [f"<!-- {self.token()}", "", f"    {self.token()}", "-->"]

    def formula(self) -> list[str]:
        own = self.token()
        return self.chance.choice([["$$", own, "$$"], [f"$$ {own} $$"], [f"\\[ {own} \\]"]])

    def target(self) -> list[str]:
        return [f'[r{self.count}]: http://x.y/{self.token()} "t"']


def _indented(lines: list[str], width: int) -> list[str]:
    return [" " * width + line if line else "" for line in lines]
