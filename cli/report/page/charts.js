"use strict";
// Numbers as text, and drawings as SVG. Each drawing is made for the width that it has, so that text stays legible.

window.addEventListener("error", (event) => {
  const banner = document.getElementById("script-error");
  banner.hidden = false;
  banner.title = event.message;
});

const grouped = (value) => Math.round(value).toLocaleString("en-US");
/** Three significant digits, without an exponent where possible. */
function digits(value) {
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(2).replace("e+", "e").replace(/\.?0+e/, "e");
  return size >= 1000 ? grouped(value) : String(Number(value.toPrecision(3)));
}
function scaled(value, units, base) {
  let k = 0;
  while (k + 1 < units.length && Math.abs(value) >= 999.5) {
    value /= base;
    ++k;
  }
  return `${Number(value.toPrecision(3))} ${units[k]}`;
}
const bytes = (value) => scaled(value, ["B", "kB", "MB", "GB", "TB"], 1000);
const flops = (value) => scaled(value / 1e6, ["Mflop", "Gflop", "Tflop", "Pflop"], 1000);
/** Seconds for the ticks of a logarithmic axis: no minutes, so that ticks stay powers of ten. */
const tickSeconds = (value) => (value >= 1 ? `${grouped(value)} s` : seconds(value));
function seconds(value) {
  if (value >= 7200) return `${digits(value / 3600)} h`;
  if (value >= 120) return `${digits(value / 60)} min`;
  if (value >= 1) return `${digits(value)} s`;
  return value >= 1e-3 ? `${digits(value * 1e3)} ms` : `${digits(value * 1e6)} µs`;
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined) node.append(child);
  return node;
}
const html = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
const byId = (id) => document.getElementById(id);

const drawings = [];
/** Draws `make(width)` into the figure `id` below its caption, now and whenever its width changes. */
function draw(id, title, text, make) {
  const figure = typeof id === "string" ? byId(id) : id;
  const caption = html("figcaption", {}, html("b", {}, title), text ? html("span", {}, " – ", text) : null);
  const place = html("div", {});
  figure.replaceChildren(caption, place);
  const drawing = {
    place, width: 0,
    render(force) {
      const width = Math.max(240, Math.round(place.clientWidth || 640));
      if (!force && width === this.width) return;
      this.width = width;
      this.place.replaceChildren(...[make(width)].flat());
    },
  };
  drawings.push(drawing);
  drawing.render(true);
  return drawing;
}
window.addEventListener("resize", () => drawings.forEach((drawing) => drawing.render(false)));

/** Round numbers in [min, max]. */
function linearTicks(min, max, count) {
  const rough = (max - min) / Math.max(1, count) || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough * 0.999);
  const ticks = [];
  for (let k = Math.ceil(min / step - 1e-9); k * step <= max * (1 + 1e-9); ++k) ticks.push(k * step);
  return ticks;
}
/** Powers of ten in [min, max], every k-th so that there are at most `count`. */
function logTicks(min, max, count) {
  const first = Math.ceil(Math.log10(min) - 1e-9), last = Math.floor(Math.log10(max) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / count));
  const ticks = [];
  for (let k = first; k <= last; ++k) if ((k - first) % every === 0) ticks.push(10 ** k);
  if (ticks.length >= 2) return ticks;
  return [...new Set([...ticks, ...linearTicks(min, max, 3).filter((t) => t > 0)])].sort((a, b) => a - b);
}

/** An axis from value to pixel. */
function axis(range, from, to) {
  const place = range.log ? Math.log10 : (v) => v;
  const low = place(range.min), high = place(range.max) === place(range.min) ? place(range.min) + 1 : place(range.max);
  return (value) => from + (to - from) * (place(value) - low) / (high - low);
}

/** A line chart. range: {min, max, log, title, text(value)}; series: {name, kind, dash, points: [[x, y]], dots}.
    extra(x, y, box) returns further nodes. */
function lineChart(width, {x, y, series, label, extra, height}) {
  const box = {left: 62, right: width - 14, top: 10, bottom: (height || 300) - 44};
  const toX = axis(x, box.left, box.right), toY = axis(y, box.bottom, box.top);
  const root = svg("svg", {viewBox: `0 0 ${width} ${box.bottom + 44}`, role: "img", "aria-label": label});
  const ticksOf = (range, count) => (range.log ? logTicks : linearTicks)(range.min, range.max, count);
  for (const t of ticksOf(x, width < 500 ? 5 : 8)) {
    root.append(svg("line", {class: "grid", x1: toX(t), x2: toX(t), y1: box.top, y2: box.bottom}),
                svg("text", {x: toX(t), y: box.bottom + 17, "text-anchor": toX(t) > width - 30 ? "end" : "middle"}, (x.text || digits)(t)));
  }
  for (const t of ticksOf(y, 6)) {
    root.append(svg("line", {class: "grid", x1: box.left, x2: box.right, y1: toY(t), y2: toY(t)}),
                svg("text", {x: box.left - 7, y: toY(t) + 4, "text-anchor": "end"}, (y.text || digits)(t)));
  }
  root.append(svg("text", {x: (box.left + box.right) / 2, y: box.bottom + 37, "text-anchor": "middle"}, x.title));
  for (const one of series) {
    const inside = one.points.filter((p) => p[0] >= x.min && p[0] <= x.max && Number.isFinite(p[1]) && p[1] > -Infinity);
    const at = inside.map((p) => `${toX(p[0]).toFixed(1)} ${toY(Math.min(y.max, Math.max(y.min, p[1]))).toFixed(1)}`);
    if (at.length > 1) root.append(svg("path", {class: `line ${one.kind}`, "stroke-dasharray": one.dash, d: `M${at.join("L")}`}));
    if (one.dots || at.length === 1) {
      for (const p of inside) root.append(svg("circle", {class: `dot ${one.kind}`, r: 5, cx: toX(p[0]), cy: toY(p[1])}));
    }
  }
  if (extra) root.append(...extra(toX, toY, box));
  return root;
}

/** What the lines of a chart mean. */
function legend(series) {
  return html("ul", {class: "legend", "aria-hidden": "true"}, series.map((one) => html("li", {},
    svg("svg", {viewBox: "0 0 28 10", class: one.kind}, svg("path", {class: "line", "stroke-dasharray": one.dash, d: "M0 5H28"})), one.name)));
}

/** A chart of blocks: each {from, to, low, high, text}, on linear x and the range y. */
function blockChart(width, {x, y, blocks, label}) {
  const chart = lineChart(width, {x, y, series: [], label, height: 240});
  const box = {left: 62, right: width - 14, top: 10, bottom: 196};
  const toX = axis(x, box.left, box.right), toY = axis(y, box.bottom, box.top);
  for (const b of blocks) {
    const left = toX(b.from), top = toY(Math.min(b.high, y.max)), gap = toX(b.to) - left > 5 ? 1 : 0;
    chart.append(svg("rect", {class: "block", x: left + gap / 2, y: top, width: Math.max(0.8, toX(b.to) - left - gap),
                              height: Math.max(b.high > b.low ? 1.5 : 3, toY(Math.max(b.low, y.min)) - top)},
                     svg("title", {}, b.text)));
  }
  return chart;
}

/** A table. head: texts; rows: arrays of texts or nodes, or {cells, kind}. The first cell of a row is its header. */
function table(title, text, head, rows) {
  const cell = (tag, content, attributes) => html(tag, attributes, content instanceof Node || Array.isArray(content) ? content : String(content));
  const caption = html("p", {class: "caption"}, html("b", {}, title), text ? ` – ${text}` : "");
  return html("div", {}, caption, html("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": title}, html("table", {"aria-label": title},
    html("thead", {}, html("tr", {}, head.map((h) => cell("th", h, {scope: "col"})))),
    html("tbody", {}, rows.map((row) => html("tr", {class: row.kind}, (row.cells || row).map((c, k) =>
      k === 0 ? cell("th", c, {scope: "row"}) : c && c.bars ? html("td", {class: "bars"}, c.bars) : c && c.long !== undefined ? cell("td", c.long, {class: "long"}) : cell("td", c, {}))))))));
}
/** Bars for a cell: [part of the longest, kind]. */
const bars = (...all) => ({bars: all.filter(([part]) => part > 0).map(([part, kind]) => html("span", {class: `bar ${kind || ""}`, style: `width:${Math.max(0, 100 * part).toFixed(1)}%`}))});
/** Puts a sentence where a part has no figures. */
const note = (text) => html("p", {class: "note"}, text || "Not measured.");
const tiles = (id, pairs) => byId(id).replaceChildren(...pairs.filter((p) => p[1] !== "").map(([name, value]) => html("div", {}, html("dt", {}, name), html("dd", {}, value))));
