// Elements, formats of numbers, and what the page remembers.
//
// Names of a program come from its author, and may hold anything. So the page has no markup made
// from strings: text becomes text nodes, here and nowhere else.

/// Makes an element: `element("p", {class: "note", onclick: f}, "text", otherElement)`.
function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/// The same for pictures.
function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(node.style, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity))
    if (child !== undefined && child !== null && child !== false && child !== "")
      node.append(child instanceof Node ? child : String(child));
  return node;
}

function replace(node, ...children) {
  node.replaceChildren();
  fill(node, {}, children);
  return node;
}

let lastId = 0;
/// A fresh id, for labels.
const freshId = (prefix) => `${prefix}-${++lastId}`;

//---- Numbers ----

/// Three significant digits, as in the report in text.
function digits(value) {
  if (value === 0) return "0";
  const places = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)) + 1e-12));
  return value.toFixed(Math.min(places, 20));
}

function inUnits(value, step, units) {
  let unit = 0;
  while (Math.abs(value) >= step && unit < units.length - 1) {
    value /= step;
    ++unit;
  }
  return `${unit === 0 && Number.isInteger(value) ? value : digits(value)} ${units[unit]}`;
}

const bytesText = (bytes) => inUnits(bytes, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]);
const flopsText = (flops) => inUnits(flops, 1000, ["flop", "kflop", "Mflop", "Gflop", "Tflop", "Pflop", "Eflop"]);
const countText = (count) => count.toLocaleString("en");
const percentText = (share) => `${(100 * share).toFixed(1)} %`;

function secondsText(seconds) {
  if (!seconds) return "0 s";
  const power = Math.min(3, Math.max(0, Math.ceil(-Math.log10(Math.abs(seconds)) / 3 - 1e-9)));
  return `${digits(seconds * 1000 ** power)} ${["s", "ms", "us", "ns"][power]}`;
}

/// `1 conflict`, `3 conflicts`.
const plural = (count, noun) => `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;

//---- Small parts of every view ----

const heading = (text, hint) => element("div", {class: "view-head"}, element("h2", {}, text),
                                        hint && element("p", {class: "hint"}, hint));

/// A select with a label; `choices` are pairs of value and text.
function chooser(label, choices, onChange, chosen) {
  const id = freshId("choose");
  const select = element("select", {id, onchange: () => onChange(select.value)},
    choices.map(([value, text]) => element("option", {value, selected: value === chosen}, text)));
  return element("span", {class: "field"}, element("label", {for: id}, label), select);
}

/// A search box; the list follows while you type.
function searchBox(label, onChange) {
  const id = freshId("search");
  const input = element("input", {id, type: "search", class: "search", placeholder: label, autocomplete: "off",
    spellcheck: "false", oninput: () => onChange(input.value)});
  return element("span", {class: "field grow"}, element("label", {for: id, class: "unseen"}, label), input);
}

/// A choice that is on or off.
function toggle(label, isOn, onChange) {
  const id = freshId("toggle");
  const box = element("input", {id, type: "checkbox", checked: isOn, onchange: () => onChange(box.checked)});
  return element("span", {class: "field"}, box, element("label", {for: id}, label));
}

/// Terms and what they are; pairs whose second part is empty are left out.
function facts(pairs) {
  return element("dl", {class: "facts"}, pairs.filter(([, what]) => what !== undefined && what !== "" && what !== null && what !== false)
    .map(([term, what]) => [element("dt", {}, term), element("dd", {}, what)]));
}

/// Whether every word of `query` is in `text`; both in lower case.
function hasWords(text, query) {
  return query.split(/\s+/).every((word) => text.includes(word));
}
