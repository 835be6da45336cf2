# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages of `explain A --diff B --html FILE` in a browser: what differs, and the whole report of A behind it."""

import json

import pytest
from browser_pages import ROOT, browser, open_page, write_page  # noqa: F401 (fixtures)

TRANSFORMER = ROOT / "examples/transformer_train/model.mlir"


@pytest.fixture(scope="module")
def edited(tmp_path_factory):
    """The transformer without tensor parallelism."""
    path = tmp_path_factory.mktemp("edited") / "edited.mlir"
    path.write_text(TRANSFORMER.read_text().replace('{"model"}', "{}"))
    return path


@pytest.fixture
def page(write_page, open_page, edited):
    return open_page(write_page(TRANSFORMER, "--diff", edited, "--topology", "tpu-v5e", "--suggest", "0"))


def table_of(main, title):
    """{row: cells} of the table below a heading."""
    part = main.locator("section.card", has=main.page.get_by_role("heading", name=title))
    return {row.locator("th").first.inner_text().strip(): [cell.inner_text() for cell in row.locator("td").all()]
            for row in part.locator("tbody tr").all()}


def test_it_opens_with_the_comparison(page, edited):
    main = page.tab.locator("main")
    assert main.get_attribute("data-view") == "compare"
    totals = table_of(main, f"This report and {edited.name}")
    assert {"memory at the peak", "work", "received per device", "modelled step", "if nothing overlaps", "transfers"} <= set(totals)
    assert any(title.startswith('all_reduce {"') for title in totals)
    assert main.get_by_text("Transfers that differ").count() == 1 and main.get_by_text("Shardings that differ").count() == 1


def test_totals_are_those_of_both_reports(shardwise, page, edited):
    reports = [json.loads(shardwise("explain", program, "--json", "--suggest", "0", "--topology", "tpu-v5e").stdout)
               for program in (TRANSFORMER, edited)]
    totals = table_of(page.tab.locator("main"), f"This report and {edited.name}")
    assert totals["transfers"][:2] == [f"{len(report['transfers'])}" for report in reports]
    sizes = {"memory at the peak": [report["memory"]["peak_bytes"] for report in reports],
             "received per device": [sum(transfer["received_bytes"] for transfer in report["transfers"]) for report in reports]}
    units = {"B": 1, "KiB": 2**10, "MiB": 2**20}
    for title, expected in sizes.items():
        shown = [float(cell.split()[0]) * units[cell.split()[1]] for cell in totals[title][:2]]
        assert shown == pytest.approx(expected, rel=0.01), title


def test_memory_of_both_is_drawn(page):
    curve = page.tab.get_by_role("img", name="Memory of both programs")
    lines = [curve.locator(f"polyline.{which}") for which in ("this", "other")]
    points = [line.get_attribute("points").split() for line in lines]
    assert all(len(one) >= 4 for one in points)
    ends = [(float(one[0].split(",")[0]), float(one[-1].split(",")[0])) for one in points]
    assert ends[0] == ends[1]  # Each over its own steps, from side to side.
    strokes = {line.evaluate("node => getComputedStyle(node).stroke") for line in lines}
    assert len(strokes) == 2 and lines[1].evaluate("node => getComputedStyle(node).strokeDasharray") != "none"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_in_both_schemes(write_page, open_page, edited, tmp_path, scheme):
    page = open_page(write_page(TRANSFORMER, "--diff", edited, "--topology", "tpu-v5e", "--suggest", "0"), color_scheme=scheme)
    shot = page.tab.screenshot(path=tmp_path / f"{scheme}.png", full_page=True)
    assert len(shot) > 20_000
    # Nothing is wider than the page.
    assert page.tab.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_the_report_itself_is_behind(page):
    assert page.view("overview").get_by_role("heading", name="Overview").count() == 1
    assert page.count is not None and page.view("transfers").locator(".grid-row").count() > 0
    page.tab.go_back()
    page.view("compare")


def test_another_report_can_be_opened_instead(page, write_page):
    main = page.tab.locator("main")
    main.get_by_label("Other report (.html or .json)").set_input_files(write_page(TRANSFORMER, "--topology", "tpu-v5e", "--suggest", "0"))
    main.get_by_text("No difference").wait_for()


def test_a_program_and_itself_have_no_difference(write_page, open_page):
    page = open_page(write_page(TRANSFORMER, "--diff", TRANSFORMER, "--suggest", "0"))
    page.tab.get_by_role("heading", name="No difference").wait_for()


def test_names_of_the_other_are_text(write_page, open_page, tmp_path):
    hostile = tmp_path / "<img src=x onerror=alert(1)>.mlir"
    hostile.write_text(TRANSFORMER.read_text().replace('{"model"}', "{}"))
    page = open_page(write_page(TRANSFORMER, "--diff", hostile, "--suggest", "0"))
    assert page.tab.locator("main img").count() == 0
    page.tab.get_by_role("heading", name="This report and <img").wait_for()


def test_more_than_two_reports_are_refused(shardwise, edited, tmp_path):
    process = shardwise("explain", TRANSFORMER, "--diff", edited, "--mesh", "data=8,model=1", "--mesh", "data=2,model=4",
                        "--html", tmp_path / "none.html")
    assert process.returncode == 1 and "one --mesh at most" in process.stderr
    assert not (tmp_path / "none.html").exists()
