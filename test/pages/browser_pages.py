# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of pages share: a headless Chromium, and pages that are written and opened."""

import os
import pathlib
import shutil

import pytest
from conftest import ROOT

# On all pages; nothing else is asked of the network or printed on the console.
QUIET = "data-ready"


# Test modules import the fixture, so each has its own; Playwright runs once in a process.
running = []


@pytest.fixture(scope="session")
def browser():
    """A browser for all tests. Skips where there is none."""
    if running:
        yield running[0]
        return
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright; make setup-optional installs it")
    program = os.environ.get("SHARDWISE_CHROMIUM") or shutil.which("chromium")
    if not program:
        pytest.skip("no chromium; make setup-optional installs Debian's package")
    with playwright.sync_playwright() as play:
        opened = play.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        running.append(opened)
        yield opened
        running.clear()
        opened.close()


class OpenPage:
    """A page in the browser, and what it said or asked for."""

    def __init__(self, tab, address):
        self.tab = tab
        self.said = []
        self.requests = []
        tab.on("console", lambda message: self.said.append(message.text))
        tab.on("pageerror", lambda error: self.said.append(str(error)))
        tab.on("request", lambda request: self.requests.append(request.url))
        self.address = address
        tab.goto(address)
        tab.wait_for_selector(f"html[{QUIET}]", state="attached")

    def view(self, place):
        """Opens `transfers/3` as its address does."""
        self.tab.evaluate("hash => { location.hash = hash }", place)
        self.tab.wait_for_selector(f"main[data-view='{place.split('/')[0]}']")
        return self.tab.locator("main")

    def views(self):
        return [link.get_attribute("href")[1:] for link in self.tab.locator("#views a").all()]

    def rows(self):
        """Texts of the rows in sight."""
        return [row.inner_text() for row in self.tab.locator("main .grid-row").all()]

    def count(self):
        return self.tab.locator("main .count").inner_text()

    def check_quiet(self):
        assert self.said == []
        assert [url for url in self.requests if not url.startswith(("file:", "data:", "blob:"))] == []


@pytest.fixture
def open_page(browser):
    """Opens a file; at the end of the test, it must not have said anything."""
    contexts = []
    pages = []

    def open_it(path, **options):
        contexts.append(browser.new_context(**{"viewport": {"width": 1400, "height": 900}, **options}))
        contexts[-1].set_default_timeout(8000)
        pages.append(OpenPage(contexts[-1].new_page(), pathlib.Path(path).resolve().as_uri()))
        return pages[-1]

    yield open_it
    for page in pages:
        page.check_quiet()
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def write_page(shardwise, tmp_path_factory):
    """Writes the page of a program, which is a path or a text, once; returns where it is."""
    written = {}

    def write(program, *arguments, name="model.mlir"):
        key = (str(program), *arguments, name)
        if key not in written:
            folder = tmp_path_factory.mktemp("page")
            if not isinstance(program, pathlib.Path):
                (folder / name).write_text(program)
                program = folder / name
            process = shardwise("explain", program, "--html", folder / "report.html", *arguments)
            assert process.returncode == 0, process.stderr
            written[key] = folder / "report.html"
        return written[key]

    return write
