// The page as a whole: which view is shown, keys, and the theme. Views are made when they are first
// opened. `#transfers/12` in the address opens a row, so that places in a report can be sent.

/// With `--diff` a page is about two programs, and begins with both.
const isAboutTwo = () => document.getElementById("other") !== null;

const kViews = [
  {id: "overview", title: "Overview", make: overviewView, has: () => true},
  {id: "transfers", title: "Transfers", make: transfersView, has: () => true, count: (report) => report.transfers.length},
  {id: "memory", title: "Memory", make: memoryView, has: (report) => Boolean(report.json.memory)},
  {id: "scopes", title: "Scopes", make: scopesView, has: (report) => Boolean(report.json.scopes && report.json.scopes.length), count: (report) => report.json.scopes.length},
  {id: "conflicts", title: "Conflicts", make: conflictsView, has: () => true, count: (report) => report.conflicts.length},
  {id: "tensors", title: "Tensors", make: tensorsView, has: (report) => report.values.length > 0, count: (report) => report.values.length},
  {id: "source", title: "Source", make: sourceView, has: (report) => report.sources.length > 0},
  {id: "compare", title: "Compare", make: compareView, has: () => true},
];

const kKeys = [
  ["1 … 9", "open a view"],
  ["/", "go to the search box of the view"],
  ["↓ ↑", "next and previous row"],
  ["Page Down, Page Up, Home, End", "move by pages, to the first, to the last row"],
  ["Tab", "from the list to the details, and on"],
  ["?", "these keys"],
  ["Escape", "close this, or leave the search box"],
];

class Page {
  constructor(report) {
    this.report = report;
    this.views = kViews.filter((view) => view.has(report));
    this.made = new Map();
    this.main = document.getElementById("main");
    this.head();
    this.navigation();
    this.keys();
    this.theme();
    window.addEventListener("hashchange", () => this.follow());
    document.addEventListener("click", (event) => this.onClick(event));
    document.addEventListener("keydown", (event) => this.onKey(event));
    this.follow();
  }

  head() {
    const {json, mesh} = this.report;
    document.title = `${json.program} · shardwise explain`;
    document.getElementById("program").textContent = json.program;
    replace(document.getElementById("mesh"), mesh.axes.map((axis) => axisChip(mesh, axis.name, `${axis.size}`)),
            element("span", {class: "muted"}, plural(json.devices || mesh.numDevices, "device")),
            json.topology && element("span", {class: "muted"}, `on ${json.topology.name}`),
            json.chosen_for !== (json.topology ? json.topology.name : "default")
              && element("span", {class: "muted"}, `chosen for ${json.chosen_for}`));
  }

  navigation() {
    this.links = new Map(this.views.map((view, i) => [view.id, element("a", {href: `#${view.id}`, "aria-keyshortcuts": i + 1}, view.title,
      view.count && element("span", {class: "badge"}, countText(view.count(this.report))))]));
    replace(document.getElementById("views"), [...this.links.values()]);
  }

  keys() {
    this.dialog = document.getElementById("keys");
    replace(this.dialog, element("h2", {id: "keys-title"}, "Keys"), facts(kKeys.map(([key, what]) => [element("kbd", {}, key), what])),
            element("form", {method: "dialog"}, element("button", {class: "primary"}, "Close")));
    document.getElementById("help").addEventListener("click", () => this.dialog.showModal());
  }

  theme() {
    const button = document.getElementById("theme");
    const themes = ["auto", "light", "dark"];
    let theme = "auto";
    button.addEventListener("click", () => {
      theme = themes[(themes.indexOf(theme) + 1) % themes.length];
      button.textContent = `Theme: ${theme}`;
      if (theme === "auto") delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = theme;
    });
  }

  /// Opens what the address says.
  follow() {
    const [id, ...rest] = location.hash.slice(1).split("/");
    const first = isAboutTwo() ? this.views.find((one) => one.id === "compare") : this.views[0];
    const view = this.views.find((one) => one.id === id) || first;
    let what = rest.join("/");
    try {
      what = decodeURIComponent(what);
    } catch {
      // An address that somebody cut short.
    }
    this.show(view, what);
  }

  /// In a frame of a notebook, a link to a part would lead to the page around it.
  onClick(event) {
    const link = event.target.closest("a[href^='#']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || link.classList.contains("skip")) return;
    event.preventDefault();
    const place = link.getAttribute("href");
    if (location.hash === place) this.follow();
    else location.hash = place;
  }

  show(view, what) {
    if (!this.made.has(view.id)) this.made.set(view.id, view.make(this.report));
    const made = this.made.get(view.id);
    for (const [id, link] of this.links) link.toggleAttribute("aria-current", id === view.id);
    this.links.get(view.id).setAttribute("aria-current", "page");
    if (this.main.firstChild !== made.node) {
      this.main.replaceChildren(made.node);
      window.scrollTo(0, 0);
    }
    this.main.dataset.view = view.id;
    if (made.open && (what || !made.wasOpened)) made.open(what);
    made.wasOpened = true;
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.dialog.open) return;
    const isTyping = event.target.matches("input[type=search], select, textarea");
    if (event.key === "Escape" && isTyping) event.target.blur();
    if (isTyping) return;
    const number = Number(event.key);
    if (number >= 1 && number <= this.views.length) location.hash = this.views[number - 1].id;
    else if (event.key === "?") this.dialog.showModal();
    else if (event.key === "/") {
      const search = this.main.querySelector("input[type=search]");
      if (!search) return;
      event.preventDefault();
      search.focus();
    }
  }
}

new Page(new Report(JSON.parse(document.getElementById("data").textContent)));
document.documentElement.dataset.ready = "1";
