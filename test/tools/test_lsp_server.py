# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A session with shardwise-lsp-server: open a file, hover, complete, break it, mend it."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SHARDWISE_BUILD_DIR", ROOT / "build"))
URI = "file:///program.mlir"
SECONDS = 60

PROGRAM = """\
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%lhs: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %rhs: tensor<16x30xf32>) -> tensor<8x30xf32> {
  %product = stablehlo.dot_general %lhs, %rhs, contracting_dims = [1] x [0] : \
(tensor<8x16xf32>, tensor<16x30xf32>) -> tensor<8x30xf32>
  %cut = sdy.reshard %product <@mesh, [{"x"}, {"y"}]> : tensor<8x30xf32>
  %pair:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<\
[<@mesh, [{"y"}, {}]>, <@mesh, [{}, {?}]>]>} %cut, %rhs : tensor<8x30xf32>, tensor<16x30xf32>
  %local = sdy.manual_computation(%pair#0) in_shardings=[<@mesh, [{"x", "y"}, {}]>] \
out_shardings=[<@mesh, [{"x", "y"}, {}]>] manual_axes={"x"} (%block: tensor<4x30xf32>) {
    sdy.return %block : tensor<4x30xf32>
  } : (tensor<8x30xf32>) -> tensor<8x30xf32>
  return %local : tensor<8x30xf32>
}
"""


class Session:
    """One server process and the protocol's bookkeeping."""

    def __init__(self):
        self.process = subprocess.Popen([BUILD / "bin/shardwise-lsp-server"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.last_id = 0
        self.version = 0
        self.notifications = []

    def send(self, **message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while (line := self.process.stdout.readline().strip()):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        assert length, "the server ended"
        return json.loads(self.process.stdout.read(length))

    def request(self, method, **params):
        self.last_id += 1
        self.send(id=self.last_id, method=method, params=params)
        while (message := self.receive()).get("id") != self.last_id:
            self.notifications.append(message)
        assert "error" not in message, message
        return message["result"]

    def diagnostics(self):
        """Messages of the newest diagnostics of the file."""
        while not any(m.get("method") == "textDocument/publishDiagnostics"
                      for m in self.notifications):
            self.notifications.append(self.receive())
        message = self.notifications.pop()
        self.notifications.clear()
        return message["params"]["diagnostics"]

    def open(self, text, uri=URI):
        self.send(method="textDocument/didOpen", params={"textDocument": {
            "uri": uri, "languageId": "mlir", "version": self.version, "text": text}})

    def change(self, text):
        self.version += 1
        self.send(method="textDocument/didChange", params={
            "textDocument": {"uri": URI, "version": self.version},
            "contentChanges": [{"text": text}]})

    def hover(self, text, token, occurrence=0, offset=1):
        """Hover text at the `occurrence`-th `token` of the program."""
        place = -1
        for _ in range(occurrence + 1):
            place = text.index(token, place + 1)
        return self.at("textDocument/hover", text, place + offset)

    def at(self, method, text, place, uri=URI):
        before = text[:place]
        column = len(before.rsplit("\n", 1)[-1].encode("utf-16-le")) // 2
        return self.request(method, textDocument={"uri": uri},
                            position={"line": before.count("\n"), "character": column})

    def end(self):
        self.request("shutdown")
        self.send(method="exit")
        return self.process.wait(timeout=SECONDS)


@pytest.fixture
def session():
    session = Session()
    result = session.request("initialize", processId=None, rootUri=None, capabilities={})
    session.capabilities = result["capabilities"]
    session.send(method="initialized", params={})
    yield session
    if session.process.poll() is None:
        session.process.kill()
    session.process.wait()
    session.process.stdin.close()
    session.process.stdout.close()


def hover_text(reply):
    return reply["contents"]["value"] if reply else ""


@pytest.mark.parametrize("token, occurrence, expected", [
    ("%lhs", 0, ['`%lhs`: `<@mesh, [{"x"}, {}]>`', '<["x"=2, "y"=4]>', "8 devices",
                 "one shard: `tensor<4x16xf32>` of `tensor<8x16xf32>`"]),
    ("%lhs", 1, ["one shard: `tensor<4x16xf32>`"]),
    ("%rhs", 0, ["`%rhs`: no sharding"]),
    ("%product", 0, ["`%product`: no sharding"]),
    ("%cut", 0, ["one shard: `tensor<4x8xf32>` of `tensor<8x30xf32>`, padded"]),
    ("%pair", 0, ["`%pair#0`", "one shard: `tensor<2x30xf32>`", "`%pair#1`"]),
    ("%pair#0", 0, ["`%pair#0`", "one shard: `tensor<2x30xf32>`"]),
    ("%block", 0, ['`%block`: `<@mesh, [{"y"}, {}]>`',
                   "one shard: `tensor<1x30xf32>` of `tensor<4x30xf32>`"]),
    ("sdy.reshard", 0, ["`%cut`", "one shard: `tensor<4x8xf32>`"]),
])
def test_hover_shows_sharding_and_shard(session, token, occurrence, expected):
    session.open(PROGRAM)
    text = hover_text(session.hover(PROGRAM, token, occurrence))
    assert "#### Sharding" in text
    for fragment in expected:
        assert fragment in text
    if token == "%pair#0":
        assert "%pair#1" not in text.split("---")[0]


def test_hover_keeps_what_the_stock_server_says(session):
    session.open(PROGRAM)
    assert "stablehlo.dot_general" in hover_text(session.hover(PROGRAM, "%product"))


def test_hover_away_from_values(session):
    session.open(PROGRAM)
    assert "Sharding" not in hover_text(session.hover(PROGRAM, "sdy.mesh"))


def test_hover_after_a_wide_character_and_a_split(session):
    text = PROGRAM + "\n// -----\n\n" + PROGRAM.replace('"x"', '"😀"')
    session.open(text)
    place = text.index("%rhs: ", len(PROGRAM) + 10) + 1
    assert "`%rhs`: no sharding" in hover_text(session.at("textDocument/hover", text, place))
    place = text.index("%cut", len(PROGRAM) + 10) + 1
    assert "tensor<4x8xf32>" in hover_text(session.at("textDocument/hover", text, place))


def test_hover_follows_changes(session):
    session.open(PROGRAM)
    changed = "\n" + PROGRAM.replace('[{"x"}, {"y"}]> : tensor<8x30', '[{"y"}, {}]> : tensor<8x30')
    session.change(changed)
    assert "one shard: `tensor<2x30xf32>`" in hover_text(session.hover(changed, "%cut"))


def test_editor_is_told_to_send_whole_texts(session):
    assert session.capabilities["textDocumentSync"]["change"] == 1


@pytest.mark.parametrize("prefix, expected", [
    ("sdy.", ["all_gather", "manual_computation", "reshard"]),
    ("stablehlo.", ["add", "dot_general"]),
])
def test_completion_of_ops(session, prefix, expected):
    text = PROGRAM.replace("  return", "  " + prefix + "\n  return")
    session.open(text)
    place = text.index("  " + prefix + "\n") + 2 + len(prefix)
    result = session.at("textDocument/completion", text, place)
    labels = " ".join(item["label"] for item in result["items"])
    for name in expected:
        assert name in labels


def test_completion_of_values(session):
    text = PROGRAM.replace("  return %local", "  return %")
    session.open(text)
    result = session.at("textDocument/completion", text, text.index("  return %") + 10)
    labels = [item["label"] for item in result["items"]]
    assert "%local" in labels or "local" in labels, labels


def test_diagnostics_come_and_go(session):
    session.open(PROGRAM)
    assert session.diagnostics() == []
    session.change(PROGRAM.replace('#sdy.sharding<@mesh, [{"x"}', '#sdy.sharding<@mesh, [{"w"}'))
    found = session.diagnostics()
    assert len(found) == 1 and 'unknown axis name: "w"' in found[0]["message"]
    assert found[0]["range"]["start"]["line"] == 1
    session.change(PROGRAM.replace("stablehlo.dot_general", "stablehlo.frobnicate"))
    assert "frobnicate" in session.diagnostics()[0]["message"]
    session.change(PROGRAM)
    assert session.diagnostics() == []


def test_text_that_nests_too_deep_is_refused(session):
    deep = "// a line\nmodule attributes {sdy.a = " + "[" * 2_000_000 + "]" * 2_000_000 + "} {}\n"
    for open_or_change in (session.open, session.change):
        open_or_change(deep)
        [diagnostic] = session.diagnostics()
        assert "deeper than" in diagnostic["message"]
        assert diagnostic["range"]["start"]["line"] == 1
    session.change(PROGRAM)
    assert session.diagnostics() == []
    assert "one shard" in hover_text(session.hover(PROGRAM, "%cut"))
    assert session.end() == 0


def test_a_number_that_the_parser_must_not_see_is_refused(session):
    session.open(PROGRAM + "func.func @f(%a: i1) -> i1 {\n  return %a#4294967296 : i1\n}\n")
    [diagnostic] = session.diagnostics()
    assert "result number 4294967296 is beyond 100000" in diagnostic["message"]
    session.change(PROGRAM)
    assert session.diagnostics() == []
    assert session.end() == 0


def test_an_op_that_does_not_verify_says_nothing_and_others_do(session):
    text = PROGRAM.replace('%product <@mesh, [{"x"}', '%product <@mesh, [{"w"}')
    session.open(text)
    assert "shard:" not in hover_text(session.hover(text, "%cut"))
    assert "one shard: `tensor<4x16xf32>`" in hover_text(session.hover(text, "%lhs"))


def test_hover_while_the_text_is_broken(session):
    session.open(PROGRAM)
    session.hover(PROGRAM, "%cut")  # has been parsed
    text = "\n" + PROGRAM.replace("  return", "  %new = stablehlo.\n  return")
    session.change(text)
    said = hover_text(session.hover(text, "%cut"))
    assert "one shard: `tensor<4x8xf32>`" in said and "before the text had errors" in said
    assert "one shard: `tensor<2x30xf32>`" in hover_text(session.hover(text, "%pair#0"))
    assert "Sharding" not in hover_text(session.hover(text, "%new"))
    session.change(PROGRAM)
    assert "errors" not in hover_text(session.hover(PROGRAM, "%cut"))


def test_no_hover_in_a_file_that_never_parsed(session):
    text = PROGRAM.replace("func.func", "fun")
    session.open(text)
    assert "Sharding" not in hover_text(session.hover(text, "%lhs"))


def test_values_of_one_name_in_a_broken_file(session):
    other = PROGRAM.replace("@main", "@other").replace('[{"x"}, {"y"}]', '[{"y"}, {"x"}]')
    other = other[other.index("func.func"):]
    session.open(PROGRAM + other)
    session.hover(PROGRAM, "%cut")
    text = PROGRAM + other + "broken"
    session.change(text)
    place = len(PROGRAM) + other.index("%cut") + 1
    assert "tensor<2x15xf32>" in hover_text(session.at("textDocument/hover", text, place))


def test_files_are_kept_apart(session):
    other = PROGRAM.replace('[{"x"}, {"y"}]', '[{"y"}, {"x"}]')
    session.open(PROGRAM)
    session.open(other, "file:///other.mlir")
    place = PROGRAM.index("%cut") + 1
    hover = "textDocument/hover"
    assert "tensor<4x8xf32>" in hover_text(session.at(hover, PROGRAM, place))
    assert "tensor<2x15xf32>" in hover_text(session.at(hover, other, place, "file:///other.mlir"))
    session.send(method="textDocument/didClose",
                 params={"textDocument": {"uri": "file:///other.mlir"}})
    assert "tensor<4x8xf32>" in hover_text(session.at(hover, PROGRAM, place))


MESHES = """\
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2]>
sdy.mesh @other = <["u"=8]>
func.func @main(%t: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.reshard %t HERE : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
"""


@pytest.mark.parametrize("written, expected", [
    ("<@", ["mesh", "other"]),
    ("<@me", ["mesh", "other"]),
    ('<@mesh, [{"', ["x", "y", "z"]),
    ('<@mesh, [{"x"}, {"', ["y", "z"]),
    ('<@mesh, [{"y":(1)2, "x"}, {"', ["y", "z"]),
    ('<@mesh, [{"x"}, {}], replicated={"', ["y", "z"]),
    ('<@other, [{"', ["u"]),
    ('<@unknown, [{"', ["u", "x", "y", "z"]),
    ('<mesh<["a"=2, "b"=2]>, [{"a"}, {"', ["b"]),
    ('<@mesh, [{"x"}, {}]> {a = {"', ["u", "x", "y", "z"]),
    ('{"', ["u", "x", "y", "z"]),
    ('<@mesh, [{"x"', []),
    ("<@mesh, [{", []),
])
def test_completion_in_shardings(session, written, expected):
    text = MESHES.replace("HERE", written)
    session.open(text)
    result = session.at("textDocument/completion", text, text.index(written) + len(written))
    labels = [item["label"] for item in result["items"]] if result else []
    assert sorted(set(labels) & set("abuxyz") | set(labels) & {"mesh", "other"}) == expected


def test_completion_in_shardings_is_triggered(session):
    assert {'"', "@"} <= set(session.capabilities["completionProvider"]["triggerCharacters"])


@pytest.mark.parametrize("line", [
    "  return %pair#1, %HERE : tensor<8x8xf32>, tensor<8x8xf32>",
    "  %pair:2 = stablehlo.while(%i = %t, %j = %t) : tensor<8x8xf32>, tensor<8x8xf32>\n"
    "  cond {\n    stablehlo.return %pair#1\n  } do {\n    stablehlo.add %HERE",
])
def test_completion_after_a_result_that_is_not_there_yet(session, line):
    """The stock server does not survive this request: it is not passed on."""
    text = MESHES.replace("  %0 = sdy.reshard %t HERE : tensor<8x8xf32>", line)
    session.open(text)
    result = session.at("textDocument/completion", text, text.index("HERE"))
    assert result["items"] == []
    fine = MESHES.replace("HERE", "<@mesh, [{}, {}]>")
    session.change(fine)
    result = session.at("textDocument/completion", fine, fine.index("%0 :") + 1)
    assert "%t" in [item["label"] for item in result["items"]]


def test_large_file(session):
    lines = ["  %{} = stablehlo.add %{}, %t {{sdy.sharding = #sdy.sharding_per_value<"
             '[<@mesh, [{{"x"}}, {{}}]>]>}} : tensor<8x8xf32>'.format(i, i - 1 if i else "t")
             for i in range(20000)]
    text = MESHES.replace("  %0 = sdy.reshard %t HERE : tensor<8x8xf32>", "\n".join(lines))
    session.open(text)
    for number in (0, 10000, 19999):
        assert "one shard: `tensor<4x8xf32>`" in hover_text(session.hover(text, f"%{number} "))
    for _ in range(3):
        text = "\n" + text
        session.change(text)
    assert "one shard: `tensor<4x8xf32>`" in hover_text(session.hover(text, "%19999 "))


def test_ends_when_told(session):
    session.open(PROGRAM)
    assert session.end() == 0


def test_ends_with_the_editor(session):
    session.process.stdin.close()
    session.process.wait(timeout=SECONDS)


def test_help():
    process = subprocess.run([BUILD / "bin/shardwise-lsp-server", "--help"], text=True,
                             stdout=subprocess.PIPE, timeout=SECONDS)
    assert process.returncode == 0 and "USAGE" in process.stdout
