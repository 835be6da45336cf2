// A table of any length: only the rows in sight are in the page. Arrows, Page Up and Down, Home and
// End move the selected row; columns with a `sort` key are sorted by their heading.
//
//   columns   [{key, title, width, align, cell(row) -> text or elements, sort(row) -> number or text}]
//   onSelect  called with the row that is selected, or null
//   idOf      what a row is known by when the list is filtered or sorted anew

const kRowsBeyondSight = 8;

class Grid {
  constructor({label, columns, rowHeight = 34, onSelect = () => {}, sortedBy = null, empty = "Nothing matches."}) {
    Object.assign(this, {columns, rowHeight, onSelect, empty});
    this.label = label;
    this.rows = [];
    this.all = [];
    this.selected = -1;
    this.sorting = sortedBy;
    this.drawn = new Map();
    this.build();
  }

  build() {
    const template = this.columns.map((column) => column.width || "minmax(0, 1fr)").join(" ");
    this.headings = this.columns.map((column, i) => element("div",
      {role: "columnheader", "aria-colindex": i + 1, class: column.align === "end" ? "end" : null},
      column.sort ? element("button", {type: "button", class: "sorter", onclick: () => this.sortBy(column.key)}, column.title)
                  : column.title));
    this.head = element("div", {role: "row", class: "grid-head", "aria-rowindex": 1}, this.headings);
    this.spacer = element("div", {class: "grid-rows", role: "rowgroup"});
    this.body = element("div", {class: "grid-body", tabindex: "0", role: "grid", "aria-label": this.label,
      "aria-colcount": this.columns.length, onscroll: () => this.draw(), onkeydown: (event) => this.onKey(event)},
      this.head, this.spacer);
    this.body.style.setProperty("--columns", template);
    this.count = element("p", {class: "count", role: "status"});
    this.node = element("div", {class: "grid"}, this.body, this.count);
    new ResizeObserver(() => this.draw()).observe(this.body);
  }

  /// Shows `rows`, and keeps the selected one if it is among them.
  show(rows, total = rows.length) {
    const kept = this.rows[this.selected];
    this.all = rows;
    this.rows = this.sorted(rows);
    this.selected = kept ? this.rows.indexOf(kept) : -1;
    this.body.setAttribute("aria-rowcount", this.rows.length + 1);
    replace(this.count, this.rows.length === 0 ? this.empty
      : this.rows.length === total ? plural(total, "row") : `${countText(this.rows.length)} of ${plural(total, "row")}`);
    this.body.style.setProperty("--whole", `${(this.rows.length + 2) * this.rowHeight + 20}px`);
    this.spacer.style.height = `${this.rows.length * this.rowHeight}px`;
    this.redraw();
  }

  sorted(rows) {
    const column = this.sorting && this.columns.find((one) => one.key === this.sorting.key);
    this.columns.forEach((one, i) => {
      const isIt = column === one;
      this.headings[i].setAttribute("aria-sort", isIt ? (this.sorting.isDescending ? "descending" : "ascending") : "none");
    });
    if (!column) return rows;
    const sign = this.sorting.isDescending ? -1 : 1;
    const keyed = rows.map((row) => [column.sort(row), row]);
    keyed.sort(([a], [b]) => sign * (typeof a === "string" ? a.localeCompare(b, "en", {numeric: true}) : a - b));
    return keyed.map(([, row]) => row);
  }

  sortBy(key) {
    const was = this.sorting;
    const column = this.columns.find((one) => one.key === key);
    const first = column.align === "end";
    this.sorting = was && was.key === key ? {key, isDescending: !was.isDescending} : {key, isDescending: first};
    this.show(this.all, this.all.length);
    this.body.scrollTop = 0;
  }

  redraw() {
    for (const row of this.drawn.values()) row.remove();
    this.drawn.clear();
    this.draw();
  }

  draw() {
    const top = this.body.scrollTop;
    const height = this.body.clientHeight || 400;
    const first = Math.max(0, Math.floor(top / this.rowHeight) - kRowsBeyondSight);
    const last = Math.min(this.rows.length, Math.ceil((top + height) / this.rowHeight) + kRowsBeyondSight);
    for (const [i, node] of this.drawn)
      if (i < first || i >= last) {
        node.remove();
        this.drawn.delete(i);
      }
    for (let i = first; i < last; ++i)
      if (!this.drawn.has(i)) {
        const node = this.makeRow(i);
        this.drawn.set(i, node);
        this.spacer.append(node);
      }
    this.markSelected();
  }

  makeRow(i) {
    const row = this.rows[i];
    return element("div", {role: "row", class: "grid-row", id: `${this.rowPrefix()}-${i}`, "aria-rowindex": i + 2,
      style: {top: `${i * this.rowHeight}px`, height: `${this.rowHeight}px`}, onclick: () => this.select(i)},
      this.columns.map((column, k) => element("div",
        {role: "gridcell", "aria-colindex": k + 1, class: [column.align === "end" ? "end" : "", column.mono ? "mono" : ""].join(" ").trim() || null},
        column.cell(row))));
  }

  rowPrefix() {
    return (this.prefix = this.prefix || freshId("row"));
  }

  markSelected() {
    for (const [i, node] of this.drawn) node.setAttribute("aria-selected", i === this.selected ? "true" : "false");
    if (this.drawn.has(this.selected)) this.body.setAttribute("aria-activedescendant", `${this.rowPrefix()}-${this.selected}`);
    else this.body.removeAttribute("aria-activedescendant");
  }

  /// Selects the row at `i`, brings it into sight, and tells.
  select(i) {
    if (i < 0 || i >= this.rows.length) return;
    this.selected = i;
    const head = this.head.offsetHeight;
    const top = i * this.rowHeight;
    if (top < this.body.scrollTop) this.body.scrollTop = top;
    else if (top + this.rowHeight + head > this.body.scrollTop + this.body.clientHeight)
      this.body.scrollTop = top + this.rowHeight + head - this.body.clientHeight;
    this.draw();
    this.onSelect(this.rows[i]);
  }

  selectRow(row) {
    this.select(this.rows.indexOf(row));
  }

  onKey(event) {
    if (event.target !== this.body || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.body.clientHeight / this.rowHeight) - 2);
    const last = this.rows.length - 1;
    const target = {
      ArrowDown: Math.min(last, this.selected + 1),
      ArrowUp: Math.max(0, this.selected - 1),
      PageDown: Math.min(last, this.selected + page),
      PageUp: Math.max(0, this.selected - page),
      Home: 0,
      End: last,
    }[event.key];
    if (target === undefined || last < 0) return;
    event.preventDefault();
    this.select(target);
  }
}
