# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages of `explain --html` in a browser: what they show, every control, keys, and hostile names."""

import json
import re
import subprocess
import sys

import pytest
from browser_pages import ROOT, browser, open_page, write_page  # noqa: F401 (fixtures)
from conftest import BUILD

EXAMPLES = sorted(ROOT.glob("examples/*/model.mlir"))
TRANSFORMER = ROOT / "examples/transformer_train/model.mlir"
SCAN = ROOT / "examples/rnn_scan/model.mlir"
UNPACK = (ROOT / "shardwise/explain/page/unpack.js").read_text()


def layers(count):
    """A program of four ops a layer."""
    lines = ["""sdy.mesh @mesh = <["data"=4, "model"=2]>
func.func public @main(%x: tensor<64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
    %w: tensor<128x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
    %v: tensor<256x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> tensor<64x128xf32> {"""]
    last = "%x"
    for i in range(count):
        lines.append(f"""  %a{i} = stablehlo.dot_general {last}, %w, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
  %b{i} = stablehlo.tanh %a{i} : tensor<64x256xf32>
  %c{i} = stablehlo.dot_general %b{i}, %v, contracting_dims = [1] x [0] : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
  %d{i} = stablehlo.add %c{i}, {last} : tensor<64x128xf32>""")
        last = f"%d{i}"
    return "\n".join([*lines, f"  return {last} : tensor<64x128xf32>", "}"])


def identity(types, mesh='"x"=4, "y"=2', result="f32"):
    """A program whose arguments have these types and shardings, `(type, sharding)`."""
    arguments = ", ".join(f"%arg{i}: tensor<{type_}> {{sdy.sharding = #sdy.sharding<@mesh, {sharding}>}}"
                          for i, (type_, sharding) in enumerate(types))
    return f"""sdy.mesh @mesh = <[{mesh}]>
func.func public @main({arguments}) -> tensor<{result}> {{
  %c = stablehlo.constant dense<0.0> : tensor<{result}>
  return %c : tensor<{result}>
}}"""


@pytest.mark.parametrize("model", EXAMPLES, ids=[model.parent.name for model in EXAMPLES])
def test_every_view_of_every_example_opens(write_page, open_page, model):
    page = open_page(write_page(model))
    views = page.views()
    assert [view for view in views if view not in ("memory", "scopes")] == [
        "overview", "transfers", "conflicts", "tensors", "source", "compare"]
    for view in views:
        main = page.view(view)
        assert main.locator("h2").first.inner_text()
        assert page.tab.locator("#views a[aria-current=page]").get_attribute("href") == f"#{view}"


@pytest.mark.parametrize("arguments", [[], ["--topology", "tpu-v5e"]], ids=["bytes", "seconds"])
def test_the_report_in_the_page_is_that_of_json(shardwise, write_page, open_page, arguments):
    page = open_page(write_page(TRANSFORMER, *arguments))
    inside = page.tab.evaluate(UNPACK + "; unpack(JSON.parse(document.getElementById('data').textContent).report)")
    printed = json.loads(shardwise("explain", TRANSFORMER, "--all", "--json", *arguments).stdout)
    assert inside == printed


def test_steps_of_long_chains_do_not_outgrow_the_page(write_page, open_page, tmp_path):
    """400 layers in a row: the axes of each come through all layers before it, in a million steps."""
    model = tmp_path / "model.mlir"
    model.write_text(layers(400))
    page = open_page(write_page(model))
    report = page.tab.evaluate(UNPACK + "; unpack(JSON.parse(document.getElementById('data').textContent).report)")
    axes = [axis for value in report["values"] for axis in value["axes"]]
    assert len(axes) > 800 and all(axis["origin"] for axis in axes)
    steps = [len(axis["links"]) for axis in axes]
    assert steps[-1] == 0 and 40_000 < sum(steps) < 60_000


def test_page_stands_for_itself(write_page):
    """No address but namespaces of XML, no script or style from elsewhere, a policy that forbids them."""
    text = write_page(TRANSFORMER).read_text()
    assert set(re.findall(r"https?://[^'\" )]*", text)) <= {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in text
    assert not re.search(r"<(script|link)[^>]*(src|href)=\"(?!data:)", text)


def test_transfers_are_filtered_sorted_and_folded(write_page, open_page):
    page = open_page(write_page(TRANSFORMER, "--topology", "tpu-v5e"))
    main = page.view("transfers")
    assert page.count() == "9 rows"
    main.get_by_label("Fold alike").uncheck()
    assert page.count() == "12 rows"
    main.get_by_label("Collective").select_option("all_reduce")
    assert all("all_reduce" in row for row in page.rows()) and page.count() == "2 of 12 rows"
    main.get_by_label("Collective").select_option("")
    main.get_by_label("Axis", exact=True).select_option("model")
    assert page.count() == "5 of 12 rows"
    main.get_by_label("Axis", exact=True).select_option("")
    main.get_by_label("Reason", exact=True).select_option("sum")
    assert page.count() == "2 of 12 rows"
    main.get_by_label("Reason", exact=True).select_option("")
    main.get_by_role("searchbox").fill("multiply %17")
    assert page.count() == "1 of 12 rows"
    main.get_by_role("searchbox").fill("nothing is called that")
    assert page.count() == "No transfer matches."
    main.get_by_role("searchbox").fill("")
    main.get_by_role("button", name="received").click()
    bytes_of = [row.split("\n")[0] for row in page.rows()]
    main.get_by_role("button", name="received").click()
    assert [row.split("\n")[0] for row in page.rows()][0] == "128 B" and bytes_of[-1] == "128 B"
    for heading in ("time", "collective", "tensor", "for", "source"):
        main.get_by_role("button", name=heading, exact=True).click()
        assert main.locator("[aria-sort=ascending], [aria-sort=descending]").inner_text().startswith(heading)


def test_row_says_why_and_draws_before_and_after(write_page, open_page):
    page = open_page(write_page(TRANSFORMER))
    main = page.view("transfers")
    detail = main.locator(".detail")
    assert "because" in detail.inner_text()
    assert detail.locator("figcaption").all_inner_texts() == ["before", "after"]
    assert detail.locator("svg .cell.chosen").count() == 2
    detail.get_by_role("slider").first.fill("7")
    assert "device 7" in detail.inner_text() and detail.locator("svg .cell.chosen").count() == 2
    detail.locator("svg .cell").first.click()
    assert "device 0" in detail.inner_text()


def test_values_inside_an_op_are_called_so(write_page, open_page):
    program = """sdy.mesh @mesh = <["data"=2]>
func.func @main(%x: tensor<10x6x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}, %scale: tensor<5xf32>, %offset: tensor<5xf32>) -> tensor<10x6x5xf32> {
  %y:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) {epsilon = 1.0e-3 : f32, feature_index = 2 : i64} : (tensor<10x6x5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<10x6x5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %y#0 : tensor<10x6x5xf32>
}
"""
    main = open_page(write_page(program)).view("transfers")
    row = main.get_by_text("inside %y#0")
    assert row.count() == 1
    row.click()
    detail = main.locator(".detail").inner_text()
    assert "of a value inside %y#0" in detail and "batch_norm_training sums over what is on" in detail


def test_overview_leads_to_what_it_names(write_page, open_page):
    page = open_page(write_page(TRANSFORMER, "--topology", "tpu-v5e"))
    main = page.view("overview")
    main.locator(".heaviest a.strong").first.click()
    page.tab.wait_for_selector("main[data-view=transfers] .grid-row[aria-selected=true]")
    page.tab.go_back()
    page.tab.wait_for_selector("main[data-view=overview]")
    page.tab.locator("main table a").first.click()
    page.tab.wait_for_selector("main[data-view=transfers]")
    assert "all all_gather data" in " ".join(main.locator(".total").inner_text().split())
    main.get_by_role("button", name="Show all").click()
    assert page.count() == "9 rows"


def test_conflict_shows_both_sides_and_what_was_tried(write_page, open_page):
    page = open_page(write_page(SCAN, "--topology", "tpu-v5e"))
    main = page.view("conflicts")
    text = main.inner_text()
    assert "Changes that help" in text and "Kept" in text and "Lost" in text and "what to do" in text
    main.get_by_role("searchbox").fill("no such op")
    assert page.count() == "No conflict matches."
    main.locator(".suggestion a[href^='#source']").first.click()
    page.tab.wait_for_selector("main[data-view=source]")


@pytest.mark.parametrize("type_, sharding, cells, words", [
    ("f32", "[]", 1, "all 8 devices"),
    ("16xf32", '[{"x"}]', 4, "d0, d1"),
    ("16x8xf32", '[{"x"}, {"y"}]', 8, "d0"),
    ("17x8xf32", '[{"x", "y"}, {}]', 8, "hold no elements"),
    ("10xf32", '[{"x"}]', 4, "padding"),
    ("4x16x8xf32", '[{}, {"x"}, {"y"}]', 8, "dim 0: all 4"),
    ("4x16x8x2xf32", '[{"x":(1)2}, {}, {"x":(2)2}, {"y"}]', 4, "block 0"),
    ("8x8xf32", "[{}, {}]", 1, "all 8 devices"),
    ("0x8xf32", '[{"x"}, {}]', 4, "no elements"),
], ids=lambda value: str(value) if "x" in str(value) or value == "f32" else None)
def test_any_tensor_has_a_picture(write_page, open_page, type_, sharding, cells, words):
    page = open_page(write_page(identity([(type_, sharding)])))
    main = page.view("tensors/%arg0")
    assert main.locator("svg .cell").count() == cells
    assert words in main.locator(".pictures").inner_text()
    assert main.locator("svg.shards").get_attribute("aria-label")
    main.get_by_text("Elements by device").click()
    main.locator(".picture tbody tr").nth(7).wait_for()  # They are made when the part opens.
    assert main.locator(".picture tbody tr").count() == 8


def test_slices_of_a_tensor_are_chosen(write_page, open_page):
    page = open_page(write_page(identity([("4x16x8x2xf32", '[{"x":(1)2}, {}, {"x":(2)2}, {"y"}]')])))
    main = page.view("tensors/%arg0")
    before = main.locator("svg .cell title").first.text_content()
    assert before.startswith("[0–1, 0–15, 0–3, 0–0]")
    main.get_by_label("dim 3").fill("1")
    assert main.locator("svg .cell title").first.text_content().startswith("[0–1, 0–15, 0–3, 1–1]")
    main.get_by_label("Down", exact=True).select_option("3")
    assert main.locator("svg .cell").count() == 4 and "dim 3 of 2" in main.locator("svg").inner_html()
    main.get_by_label("Across").select_option("3")
    assert "dim 2 of 8" in main.locator("svg").inner_html()


def test_devices_of_a_mesh_with_its_own_order(write_page, open_page):
    text = identity([("4xf32", '[{"x"}]')], mesh='"x"=4').replace("]>\n", "], device_ids=[3, 2, 1, 0]>\n", 1)
    main = open_page(write_page(text)).view("tensors/%arg0")
    assert main.locator("svg .cell text").all_text_contents() == ["d3", "d2", "d1", "d0"]


def test_many_blocks_are_cut_short(write_page, open_page):
    main = open_page(write_page(identity([("4096xf32", '[{"x"}]')], mesh='"x"=1024'))).view("tensors/%arg0")
    assert main.locator("svg .cell").count() == 23
    assert main.locator("svg .cell title").last.text_content() == "[4092–4095] on d1023"


def test_source_lines_have_notes(write_page, open_page):
    page = open_page(write_page(TRANSFORMER))
    main = page.view(f"source/{TRANSFORMER}:281")
    assert main.locator(".grid-row[aria-selected=true]").inner_text().split("\n")[0] == "281"
    assert "all_reduce" in main.locator(".detail").inner_text()
    main.get_by_label("Only lines with notes").check()
    assert int(page.count().split()[0]) < 369
    main.get_by_role("searchbox").fill("stablehlo.reduce")
    assert all("stablehlo.reduce" in row for row in page.rows())
    main.get_by_label("File", exact=True).select_option(str(TRANSFORMER))


def test_own_source_is_shown_from_below_its_folder_only(shardwise, open_page, tmp_path):
    """A program may name any file; only what lies below --source-root is read."""
    (tmp_path / "secret.py").write_text("the secret\n")
    root = tmp_path / "root"
    root.mkdir()
    (root / "model.py").write_text("def f(x):\n  return x @ w  # the product\n")
    (root / "link.py").symlink_to(tmp_path / "secret.py")
    ops = "".join(f'  %{i} = stablehlo.tanh %x : tensor<8xf32> loc("{file}":2:3)\n' for i, file in
                  enumerate(["model.py", "../secret.py", str(tmp_path / "secret.py"), "link.py", "none.py"]))
    (root / "m.mlir").write_text('sdy.mesh @mesh = <["x"=2]>\nfunc.func public @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})'
                                 " -> (" + ", ".join(["tensor<8xf32>"] * 5) + ") {\n" + ops +
                                 "  return %0, %1, %2, %3, %4 : " + ", ".join(["tensor<8xf32>"] * 5) + "\n}\n")
    process = shardwise("explain", root / "m.mlir", "--html", tmp_path / "r.html", "--source-root", root)
    assert process.returncode == 0, process.stderr
    assert "the secret" not in (tmp_path / "r.html").read_text()
    page = open_page(tmp_path / "r.html")
    page.view("source/model.py:2")
    assert any("the product" in row for row in page.rows())


def test_keys(write_page, open_page):
    page = open_page(write_page(TRANSFORMER))
    keyboard = page.tab.keyboard
    keyboard.press(str(page.views().index("tensors") + 1))
    page.tab.wait_for_selector("main[data-view=tensors]")
    keyboard.press("/")
    keyboard.type("arg1")
    matching = page.count()
    assert matching.startswith("5 of")
    keyboard.press("2")  # Typed, and no view.
    assert page.tab.locator("main").get_attribute("data-view") == "tensors"
    keyboard.press("Backspace")
    keyboard.press("Escape")
    keyboard.press("Tab")
    keyboard.press("Tab")
    for _ in range(6):
        if page.tab.evaluate("document.activeElement.className") == "grid-body":
            break
        keyboard.press("Tab")
    chosen = lambda: page.tab.locator("main .grid-row[aria-selected=true]").inner_text().split("\n")[0]
    keyboard.press("Home")
    assert chosen().startswith("%arg1")
    keyboard.press("ArrowDown")
    second = chosen()
    keyboard.press("End")
    last = chosen()
    keyboard.press("ArrowUp")
    keyboard.press("PageUp")
    keyboard.press("PageDown")
    assert chosen() == last != second
    active = page.tab.locator("main .grid-body").get_attribute("aria-activedescendant")
    assert page.tab.locator(f"#{active}").get_attribute("aria-selected") == "true"
    keyboard.press("?")
    assert page.tab.get_by_role("dialog").is_visible()
    keyboard.press("Escape")
    assert not page.tab.get_by_role("dialog").is_visible()
    page.tab.get_by_role("button", name="Keys").click()
    page.tab.get_by_role("button", name="Close").click()
    assert not page.tab.get_by_role("dialog").is_visible()


def test_everything_has_a_name_for_screen_readers(write_page, open_page):
    page = open_page(write_page(SCAN))
    for view in page.views():
        page.view(view)
        nameless = page.tab.evaluate("""() => [...document.querySelectorAll("main input, main select, main [role=grid], main svg")]
            .filter((node) => !node.getAttribute("aria-label") && !(node.labels && node.labels.length)).map((node) => node.outerHTML.slice(0, 80))""")
        assert nameless == []
        for grid in page.tab.locator("main [role=grid]").all():
            assert int(grid.get_attribute("aria-rowcount")) >= 1


def contrast(tab, selector):
    return tab.evaluate("""(selector) => {
      const light = (text) => {
        const parts = text.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255).map((part) => part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4);
        return .2126 * parts[0] + .7152 * parts[1] + .0722 * parts[2];
      };
      const node = document.querySelector(selector);
      let ground = node;
      while (getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)") ground = ground.parentElement;
      const [a, b] = [light(getComputedStyle(node).color), light(getComputedStyle(ground).backgroundColor)];
      return (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    }""", selector)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(write_page, open_page, scheme):
    page = open_page(write_page(SCAN, "--topology", "tpu-v5e"), color_scheme=scheme)
    for view, selectors in {"overview": [".tile-label", ".tile-value", ".because", "main a", ".tile.warn .tile-value", "#views a"],
                            "conflicts": [".detail dt", ".side.lost h4", ".side.kept h4", ".grid-row"],
                            "tensors": [".tag", ".grid-head", ".grid-row .sharding"]}.items():
        page.view(view)
        for selector in selectors:
            assert contrast(page.tab, selector) >= 4.5, selector


def test_theme_is_switched(write_page, open_page):
    page = open_page(write_page(SCAN), color_scheme="light")
    ground = lambda: page.tab.evaluate("getComputedStyle(document.body).backgroundColor")
    light = ground()
    button = page.tab.locator("#theme")
    button.click()
    assert button.inner_text() == "Theme: light" and ground() == light
    button.click()
    assert button.inner_text() == "Theme: dark" and ground() != light
    button.click()
    assert button.inner_text() == "Theme: auto" and ground() == light


@pytest.mark.parametrize("width", [360, 800])
def test_narrow_pages_do_not_scroll_sideways(write_page, open_page, width):
    page = open_page(write_page(SCAN, "--topology", "tpu-v5e"), viewport={"width": width, "height": 740})
    for view in page.views():
        page.view(view)
        assert page.tab.evaluate("document.documentElement.scrollWidth") <= width, view


EVIL = "</script><img src=x onerror=alert(1)>&<!--"


def test_names_are_text_and_never_markup(write_page, open_page):
    """Names of the mesh, of arguments, scopes, files: all may hold markup."""
    text = f"""sdy.mesh @mesh = <["{EVIL}"=2, "b"=2]>
func.func public @main(%x: tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"{EVIL}"}}, {{}}]>}} loc("{EVIL}['w']")) -> tensor<8xf32> {{
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32> loc("jit(f)/{EVIL}/reduce"("{EVIL}.py":3:1))
  return %r : tensor<8xf32>
}}"""
    path = write_page(text, name="a<b>&'\"model.mlir")
    page = open_page(path)
    for view in page.views():
        page.view(view)
        assert page.tab.locator("img").count() == 0
    page.view("tensors/%x")
    assert EVIL in page.tab.locator("main .detail").inner_text()
    assert EVIL in page.tab.locator("#mesh").inner_text()
    assert page.tab.locator("#program").inner_text().endswith("a<b>&'\"model.mlir")


def with_keys(path, target, **keys):
    """The page at `path` with more keys in its report, as later reports have them."""
    text = path.read_text()
    start = text.index('id="data">') + len('id="data">')
    end = text.index("</script>", start)
    data = json.loads(text[start:end])
    data["report"].update(keys)
    target.write_text(text[:start] + json.dumps(data).replace("<", "\\u003c") + text[end:])
    return target


KIND_BYTES = {"parameters": [100, 100, 100], "activations": [10, 80, 20], "temporaries": [5, 20, 0]}
MEMORY = {"peak_bytes": 200, "limit_bytes": 250, "fits": True, "by_kind": [{"kind": kind, "bytes": row[1]} for kind, row in KIND_BYTES.items()],
          "peak_step": 1, "peak_op": "dot_general", "peak_place": "m.mlir:3:1", "peak_source": "", "num_steps": 3,
          "curve": {"step": [0, 1, 2], "bytes": [115, 200, 120], **KIND_BYTES},
          "peak_live": [{"kind": "parameters", "value": "%arg1", "label": "w", "op": "", "place": "", "source": "", "type": "8x8xf32", "bytes": 100, "first": 0, "last": 2},
                        {"kind": "activations", "value": "%2", "label": "", "op": "tanh", "place": "", "source": "", "type": "8x8xf32", "bytes": 80, "first": 1, "last": 1}]}


def test_memory_has_its_view(write_page, open_page, tmp_path):
    page = open_page(with_keys(write_page(SCAN), tmp_path / "r.html", memory=MEMORY))
    assert "fits into 250 B" in page.view("overview").inner_text()
    main = page.view("memory")
    assert main.locator("svg.curve polygon").count() == 3
    assert "200 B at step 1" in main.locator("svg.curve").get_attribute("aria-label")
    assert "the device has 250 B" in main.locator("svg.curve").inner_html()
    assert page.count() == "2 rows"
    main.get_by_label("Kind", exact=True).select_option("activations")
    assert page.count() == "1 of 2 rows"
    main.locator(".grid-row").click()
    assert "from step 1 to step 1" in main.locator(".detail").inner_text()
    main.get_by_label("Kind", exact=True).select_option("")
    main.get_by_role("searchbox").fill("w 8x8")
    assert page.count() == "1 of 2 rows"


def test_memory_that_does_not_fit_is_said(write_page, open_page, tmp_path):
    page = open_page(with_keys(write_page(SCAN), tmp_path / "r.html", memory={**MEMORY, "limit_bytes": 150, "fits": False}))
    assert "does not fit into 150 B" in page.view("overview").locator(".tile.bad").inner_text()


def test_long_curves_are_drawn_by_pixels(write_page, open_page, tmp_path):
    count = 50_000
    curve = {"step": list(range(count)), "bytes": [i % 1000 for i in range(count)], "temporaries": [i % 1000 for i in range(count)]}
    memory = {**MEMORY, "num_steps": count, "peak_step": 999, "peak_bytes": 999, "limit_bytes": 0, "fits": None, "curve": curve}
    main = open_page(with_keys(write_page(SCAN), tmp_path / "r.html", memory=memory)).view("memory")
    assert main.locator("svg.curve polygon").get_attribute("points").count(" ") < 5000


def test_scopes_work_time_and_causes_have_their_places(write_page, open_page, tmp_path):
    scope = {"path": "decoder/mlp", "direction": "forward", "layers": 48, "flops": 10**9, "received_bytes": 1 << 20,
             "transfer_seconds": 1e-3, "work_seconds": 2e-3, "activation_bytes": 0}
    page = open_page(with_keys(
        write_page(SCAN), tmp_path / "r.html", scopes=[scope, {**scope, "direction": "backward", "layers": 1}],
        work={"flops": 1000, "program_flops": 4000, "repeated": 2.0, "text": "2 devices do the same work",
              "by_axes": [{"axes": '{"model"}', "times": 2, "flops": 1000, "share": 1.0}]},
        summary={"seconds": 2.5, "transfer_seconds": 1.5, "work_seconds": 1.0, "compute_seconds": 0.5, "memory_seconds": 0.5, "overlapped_seconds": 1.5,
                 "scheduled_seconds": 2.0, "exposed_seconds": 1.0, "bound_by": "transfers", "received_bytes": 1 << 30},
        root_causes=[{"conflict": 0, "place": "m.mlir:1:1", "source": "", "text": "the lookup is gathered", "cure": "constrain the lookup",
                      "cure_place": "m.mlir:2:1", "received_bytes": 1 << 30, "seconds": 0.0, "transfers": [0]}],
        patterns=[{"name": "Megatron", "axes": '{"model"}', "expected": "4 a layer", "actual": "5 a layer", "text": "with recompute", "layers": 48}]))
    overview = page.view("overview").inner_text()
    for words in ("2.00 s", "1.00 s waiting for transfers", "2.50 s if nothing overlaps", "2 devices do the same work", "the lookup is gathered", "to cure it: constrain the lookup", "Megatron", "5 a layer"):
        assert words in overview, words
    main = page.view("scopes")
    assert "48 layers" in main.inner_text() and page.count() == "2 rows"
    main.get_by_label("Pass", exact=True).select_option("backward")
    assert page.count() == "1 of 2 rows"
    main.locator(".grid-row").click()
    assert "work of a device" in main.locator(".detail").inner_text()


def test_large_program_stays_quick_and_small(write_page, open_page):
    path = write_page(layers(5000))
    assert path.stat().st_size < 5 << 20
    page = open_page(path)
    page.view("tensors")
    assert page.count().startswith("20,0")
    assert len(page.rows()) < 60
    page.tab.locator("main .grid-body").press("End")
    assert page.tab.locator("main .grid-row[aria-selected=true]").count() == 1
    assert len(page.rows()) < 60


def test_reports_are_compared(write_page, open_page, tmp_path):
    page = open_page(write_page(layers(2)))
    main = page.view("compare")
    file = main.get_by_label("Other report (.html or .json)")
    file.set_input_files(write_page(layers(2).replace('%v: tensor<256x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}',
                                                      '%v: tensor<256x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}')))
    main.get_by_text("Shardings that differ").wait_for()
    assert "received per device" in main.inner_text()
    file.set_input_files(write_page(layers(2)))
    main.get_by_text("No difference").wait_for()
    (tmp_path / "other.json").write_text("{}")
    file.set_input_files(tmp_path / "other.json")
    main.get_by_text("is no report").wait_for()


def test_report_in_json_is_compared_too(shardwise, write_page, open_page, tmp_path):
    page = open_page(write_page(SCAN))
    main = page.view("compare")
    (tmp_path / "other.json").write_text(shardwise("explain", TRANSFORMER, "--json").stdout)
    main.get_by_label("Other report (.html or .json)").set_input_files(tmp_path / "other.json")
    main.get_by_text("Transfers that differ").wait_for()


def test_notebook_frame_follows_its_links(write_page, browser):
    """In a sandboxed frame, links lead to views, and nowhere else."""
    text = write_page(SCAN).read_text().replace("&", "&amp;").replace('"', "&quot;")
    tab = browser.new_page()
    tab.set_content(f'<iframe sandbox="allow-scripts" width="1200" height="800" srcdoc="{text}"></iframe>')
    frame = tab.frame_locator("iframe")
    frame.locator("#views a").nth(1).click()
    frame.locator("main[data-view=transfers] .grid-row[aria-selected=true]").wait_for()
    frame.locator(".detail h3 a").first.click()
    frame.locator("main[data-view=tensors] .detail h3").wait_for()
    tab.close()


def test_gallery_has_every_example(tmp_path):
    tool = BUILD / "bin/shardwise"
    subprocess.run([sys.executable, ROOT / "scripts/make_gallery.py", tool, tmp_path], check=True, capture_output=True)
    index = (tmp_path / "index.html").read_text()
    for model in EXAMPLES:
        assert f'{model.parent.name}.html"' in index and (tmp_path / f"{model.parent.name}.html").stat().st_size > 10_000


def test_command_line(shardwise, tmp_path):
    page = tmp_path / "r.html"
    process = shardwise("explain", SCAN, "--html", page)
    assert process.returncode == 0 and re.fullmatch(r".*r\.html: a page to open in a browser\n", process.stdout)
    process = shardwise("explain", SCAN, "--html", page, "--json")
    assert json.loads(process.stdout)["schema"] == "shardwise.explain/1"
    process = shardwise("explain", SCAN, "--html", tmp_path / "none/r.html")
    assert process.returncode == 1 and "none/r.html" in process.stderr
    assert shardwise("explain", SCAN, "--html", page, "--value", "%0").returncode == 2
