"""The figures: every number is a published one, every length follows from it, and any run can be drawn."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

import html5lib
import pytest
from hypothesis import given, settings

from tests.strategies import Case, cases
from tinyxf.book.figures import FIGURES, figure_context, figure_words
from tinyxf.book.figures.bars import prediction_bars, stream_panels
from tinyxf.book.figures.counts import model_areas, own_parts
from tinyxf.book.figures.curves import loss_curve, wave_panels
from tinyxf.book.figures.drawing import Picture
from tinyxf.book.figures.grids import attention_grid, unit_grid
from tinyxf.book.figures.overview import model_tiles
from tinyxf.book.render import TEMPLATES, Renderer
from tinyxf.catalog import Catalog
from tinyxf.chapter import catalog as run_chapter
from tinyxf.errors import UnknownNameError
from tinyxf.weights import woodchuck

NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?%?")
PLAIN = {*map(str, range(17)), "0"}  # positions, steps and the foot of an axis are no published numbers
LIMITS = {"model": 6500, "residual": 5200, "positions": 4600}  # bytes; the others stay below 3000


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return run_chapter()


def draw(catalog: Catalog, name: str) -> str:
    return Renderer(catalog).figure(name, link=lambda target: f"to:{target}", **figure_context(name, catalog))


def parse(text: str) -> Element:
    body = html5lib.HTMLParser(namespaceHTMLElements=False, strict=True).parseFragment(text)
    assert isinstance(body, Element)
    return body


def shapes(picture: Picture, role: str) -> list[str]:
    return [shape.path for shape in picture.shapes if shape.role == role]


@dataclass(frozen=True, slots=True)
class Box:
    x: float
    y: float
    width: float
    height: float


def boxes(path: str) -> Iterator[Box]:
    """Read back the rectangles of a path."""
    for x, y, width, height in re.findall(r"M(\S+) (\S+)h(\S+?)v(\S+?)h\S+?z", path):
        yield Box(float(x), float(y), float(width), float(height))


def points(path: str) -> list[tuple[float, float]]:
    """Read back the corners of a line, or the places of dots."""
    return [(float(x), float(y)) for x, y in re.findall(r"[ML]?(-?[\d.]+) (-?[\d.]+)", path)]


# -- what readers get


def test_each_figure_has_a_template_and_each_template_a_figure() -> None:
    shared = {"parts", "panels"}
    assert {path.name.removesuffix(".svg.jinja") for path in (TEMPLATES / "figures").iterdir()} - shared == set(
        FIGURES
    )


@pytest.mark.parametrize("name", FIGURES)
def test_each_number_is_the_published_one(catalog: Catalog, name: str) -> None:
    texts = [text for text in parse(draw(catalog, name)).iter() if text.tag.endswith("text")]
    addressed = [text for text in texts if "data-address" in text.attrib]
    assert addressed
    for text in addressed:
        assert text.text == catalog.lookup(text.attrib["data-address"]).display
    for text in texts:
        if text not in addressed and NUMBER.fullmatch(text.text or ""):
            assert text.text in PLAIN


@pytest.mark.parametrize("name", FIGURES)
def test_the_words_carry_every_number_of_the_picture(catalog: Catalog, name: str) -> None:
    words = figure_words(name, catalog)
    figure = parse(draw(catalog, name))
    shown = {text.text for text in figure.iter() if "data-address" in text.attrib}
    said = set(NUMBER.findall(words))
    assert shown - {None} <= said
    caption = "".join(next(iter(figure.iter("figcaption"))).itertext())
    assert " ".join(caption.split()) == " ".join(
        words.removeprefix(figure_context(name, catalog)["title"] + ". ").split()
    )


def test_the_words_name_only_published_numbers(catalog: Catalog) -> None:
    published = {number.display for number in catalog.published()}
    for name in FIGURES:
        assert (
            set(NUMBER.findall(figure_words(name, catalog).replace("GPT-2", "").replace("GPT-3", "")))
            <= published | PLAIN
        )


@pytest.mark.parametrize("name", FIGURES)
def test_colours_and_styles_are_left_to_the_stylesheet(catalog: Catalog, name: str) -> None:
    drawn = draw(catalog, name)
    for forbidden in ("style=", "fill=", "stroke=", "<style", "<script", " id="):
        assert forbidden not in drawn
    assert len(drawn) < LIMITS.get(name, 3000)
    assert len(gzip.compress(drawn.encode())) < 1600


def test_an_unknown_figure_is_named_with_the_nearest(catalog: Catalog) -> None:
    for ask in (figure_context, figure_words):
        with pytest.raises(UnknownNameError, match='unknown figure "atention-h1"; did you mean "attention-h1"'):
            ask("atention-h1", catalog)


# -- lengths and shades


def test_shades_follow_the_weights_and_masked_cells_are_covered(catalog: Catalog) -> None:
    table = catalog.table("attention.h1.weights")
    picture = attention_grid(catalog, 1)
    shade = {
        (box.x, box.y): float(shape.opacity or 1)
        for shape in picture.shapes
        if shape.role == "heat"
        for box in boxes(shape.path)
    }
    weights = {
        (float(text.x), float(text.y)): float(text.text)
        for text in picture.texts
        if text.address.startswith(table.id)
    }
    assert len(shade) == len(weights) == 10
    for (x, y), weight in weights.items():
        assert shade[x - 31, y - 20] == pytest.approx(weight, abs=0.025)
    (masked,) = shapes(picture, "masked")
    widths = [float(end) - float(start) for start, end in re.findall(r"M(\S+) \S+H(\d+)", masked)]
    assert widths == [190, 126, 62]


def test_a_unit_is_filled_when_it_is_on_and_a_dot_when_it_is_off(catalog: Catalog) -> None:
    picture = unit_grid(catalog)
    (silent,) = shapes(picture, "off")
    awake = [box for path in shapes(picture, "heat") for box in boxes(path)]
    values = [cell.value for _, _, cell, _ in catalog.table("ffn.hidden").numbers()]
    assert len(awake) == sum(value > 0 for value in values) == sum(bool(text.address) for text in picture.texts)
    assert len(points(silent)) == sum(value == 0 for value in values)


def test_columns_of_the_stream_have_one_scale(catalog: Catalog) -> None:
    panels = stream_panels(catalog)
    tables = ("embed.input", "attention.residual", "ffn.residual")
    for position, panel in enumerate(panels):
        wanted = [
            round(catalog.cell(table, position, len(table.columns) - 4 + j).number.value, 4)
            for table in map(catalog.table, tables)
            for j in range(4)
        ]
        drawn = [box for role in ("pos", "neg") for path in shapes(panel, role) for box in boxes(path)]
        drawn.sort(key=lambda box: (box.y, box.x))
        values = [value for value in wanted if value]
        assert len(drawn) == len(values)
        scale = -drawn[-1].height / values[-1]
        for box, value in zip(drawn, values, strict=True):
            assert -box.height == pytest.approx(value * scale, abs=0.11)


def test_bars_of_the_prediction_have_one_scale(catalog: Catalog) -> None:
    picture = prediction_bars(catalog)
    for role, key in (("before", "p"), ("after", "p_after")):
        (path,) = shapes(picture, role)
        words = catalog.table("logits.prediction").row_names
        odds = [catalog.lookup(f"loss.gradient/{word}/{key}").number.value for word in words]
        lengths = [box.width for box in boxes(path)]
        assert [length / lengths[0] for length in lengths] == pytest.approx([p / odds[0] for p in odds], abs=2e-3)
    assert [text.text for text in picture.texts if "strong" in text.role] == ["wood"]


def test_waves_pass_through_their_dots(catalog: Catalog) -> None:
    table = catalog.table("embed.positions")
    for j, panel in enumerate(wave_panels(catalog)):
        (dots,), (curve,) = shapes(panel, "dot"), shapes(panel, "curve")
        values = [catalog.cell(table, p, j + 1).number.value for p in range(4)]
        assert [y for _, y in points(dots)] == pytest.approx([62 - 26 * value for value in values], abs=0.06)
        assert set(points(dots)) <= set(points(curve))


def test_the_loss_falls_from_the_first_dot_through_the_second(catalog: Catalog) -> None:
    picture = loss_curve(catalog)
    (dots,), (curve,) = shapes(picture, "dot"), shapes(picture, "curve")
    before, after = (catalog.lookup(f"loss.{name}").number.value for name in ("before", "after"))
    start, end = points(dots)
    assert (170 - end[1]) / (170 - start[1]) == pytest.approx(after / before, abs=1e-3)
    along = points(curve)
    assert along[0] == start
    assert end in along
    heights = [y for _, y in along]
    assert heights == sorted(heights)


def test_there_is_one_square_a_parameter(catalog: Catalog) -> None:
    lines = re.findall(r"M0 \S+?h(\d+)", "".join(shape.path for shape in own_parts(catalog).shapes))
    assert sum((int(length) + 2) // 9 for length in lines) == catalog.lookup("model.parameters").number.value
    (tile,) = [tile.picture for tile in model_tiles(catalog) if tile.name == "Parameters"]
    (path,) = shapes(tile, "squares small")
    assert sum((int(length) + 1) // 6 for length in re.findall(r"h(\d+)", path)) == 172


def test_areas_are_in_proportion(catalog: Catalog) -> None:
    sides = [next(boxes(path)).width for path in shapes(model_areas(catalog), "area")]
    counts = [
        catalog.lookup(f"params.sizes/{name}/parameters").number.value
        for name in ("gpt3", "gpt2_medium", "gpt2_small")
    ]
    assert sides == pytest.approx([sides[0] * (count / counts[0]) ** 0.5 for count in counts], abs=0.06)


# -- the map


def test_the_map_leads_to_every_step(catalog: Catalog) -> None:
    steps = [step for tile in model_tiles(catalog) for step in tile.steps]
    assert [number for number, _ in steps] == [str(number) for number in range(1, 17)]
    figure = parse(draw(catalog, "model"))
    links = [link.attrib["href"] for link in figure.iter("a")]
    assert [link for link in links if "#" in link] == [f"to:{target}" for _, target in steps]
    assert "to:attention.md#step-7" in links
    assert [link for link in links if "#" not in link] == [f"to:{tile.page}" for tile in model_tiles(catalog)]


# -- any run


@given(case=cases())
@settings(max_examples=25)
def test_any_run_can_be_drawn(case: Case) -> None:
    catalog = run_chapter(case.prompt, case.target, case.model)
    heads = len(case.model.blocks[0].heads)
    for name in FIGURES:
        if name == "attention-h2" and heads == 1:
            with pytest.raises(UnknownNameError):
                figure_context(name, catalog)
            continue
        context = figure_context(name, catalog)
        for picture in (*context["pictures"], *(tile.picture for tile in context["tiles"])):
            assert_right(picture, catalog)


def assert_right(picture: Picture, catalog: Catalog) -> None:
    """Every number is published so, no text starts outside its picture, no path leaves it by more than a stroke."""
    for text in picture.texts:
        assert 0 <= float(text.x) <= picture.width
        assert 0 <= float(text.y) <= picture.height + 3
        if text.address:
            assert text.text == catalog.lookup(text.address).display
    for shape in picture.shapes:
        if shape.role in ("plus", "cross"):  # drawn in steps, not in places
            continue
        for x, y in points(shape.path):
            assert -1 <= x <= picture.width + 1
            assert -1 <= y <= picture.height + 1


def test_words_are_shown_as_typed() -> None:
    model = replace(woodchuck(), vocabulary=("<bos>", "&amp;", "*x*", "{k}", "`", '"', "$x$", "a b"))
    catalog = run_chapter(("<bos>", "&amp;", "*x*", "{k}"), '"', model)
    texts = {text.text for text in parse(draw(catalog, "attention-h1")).iter() if text.tag.endswith("text")}
    assert {"<bos>", "&amp;", "*x*", "{k}"} <= texts


@pytest.mark.parametrize("length", [1, 2, 16])
def test_prompts_of_any_length_keep_their_words_in_order(length: int) -> None:
    prompt = ("a", "woodchuck", "would", "chuck") * 4
    catalog = run_chapter(prompt[:length])
    labels = [text.text for text in attention_grid(catalog, 1).texts if text.role == "mid token"]
    assert labels == list(prompt[:length])
    assert len(stream_panels(catalog)) == length
    drawn = [text.text for text in model_tiles(catalog)[0].picture.texts]
    assert drawn == (list(prompt[:length]) if length <= 4 else ["…", *prompt[length - 3 : length]])
