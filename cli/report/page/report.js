"use strict";
// The sections that do not change once they are drawn.
const figures = JSON.parse(byId("figures").textContent);
const runNames = {none: "no preconditioner", jacobi: "jacobi", block_jacobi: "block_jacobi", fsai: "fsai", ic0: "ic0", ssor_ai: "ssor_ai", "factor, single": "factor in single precision"};
const formNames = {llt: "Cholesky, LLᵀ", ldlt: "LDLᵀ", lu: "LU"};

function header() {
  const {matrix, machine, analysis} = figures;
  byId("name").textContent = matrix.name;
  byId("kind").textContent = `${matrix.kind}, ${grouped(matrix.n)} rows, ${grouped(matrix.nnz)} entries`;
  const cuda = machine.backends.find((b) => b.name === "cuda");
  tiles("facts", [
    ["Rows", grouped(matrix.n)], ["Entries", grouped(matrix.nnz)], ["Entries in a row", digits(figures.pattern.rows.mean)],
    ["Form", formNames[matrix.form]],
    ["Backend", analysis.complete ? `${analysis.backend}: ${analysis.device}` : figures.formats.backend || "–"],
    ["Processor", `${machine.processor || "unknown"}, ${machine.threads} ${machine.threads === 1 ? "thread" : "threads"}`],
    ["GPU", cuda && cuda.available ? cuda.devices.join("; ") : "none in use"], ["Memory", bytes(machine.memory_bytes)],
    ["Version", machine.version], ["Date", machine.date]]);
  byId("sections").replaceChildren(...[...document.querySelectorAll("main > section")].map((section) =>
    html("li", {}, html("a", {href: `#${section.id}`}, section.querySelector("h2").textContent))));
  byId("made").textContent = `Made by gpusupernodal ${machine.version} in ${seconds(figures.total_seconds)}, ` +
    `at most ${seconds(figures.limit_seconds)} of it for the measured parts. All times are wall-clock times of this machine. ` +
    "This page loads nothing from the network.";
}

/** The cells with the shades '1' to '9' as horizontal strokes, a path for each shade. */
function spy(text, cells, label) {
  const paths = Array.from({length: 10}, () => []);
  for (let row = 0; row < cells; ++row) {
    for (let column = 0; column < cells;) {
      const shade = text[row * cells + column];
      let end = column + 1;
      while (end < cells && text[row * cells + end] === shade) ++end;
      if (shade !== "0") paths[shade].push(`M${column} ${row + 0.5}h${end - column}`);
      column = end;
    }
  }
  return svg("svg", {viewBox: `0 0 ${cells} ${cells}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges"},
    paths.map((path, shade) => path.length ? svg("path", {class: "cells", d: path.join(""), "stroke-opacity": 0.28 + 0.08 * shade}) : null),
    svg("rect", {class: "frame", x: 0, y: 0, width: cells, height: cells, "stroke-width": cells / 250}));
}

function patternSection() {
  const {pattern, matrix} = figures;
  if (!pattern.complete) return byId("spies").replaceChildren(note(pattern.note));
  const size = Math.ceil(matrix.n / Math.max(1, pattern.cells));
  const scale = size > 1 ? `a cell is about ${grouped(size)} × ${grouped(size)}, the darkest has ${grouped(pattern.largest)} entries` : "one cell for each entry";
  const one = (text, title, detail) => html("figure", {}, html("figcaption", {}, html("b", {}, title), ` – ${detail}`), spy(text, pattern.cells, `${title} of ${matrix.name}: ${scale}`));
  byId("spies").replaceChildren(one(pattern.given, "Entries, as given", scale), pattern.eliminated
    ? one(pattern.eliminated, "In elimination order", `${figures.analysis.ordering}${matrix.form === "lu" ? "; rows in the order of the columns" : ""}`)
    : note("The elimination order is not drawn: there is no factorization."));
  const {bins, shortest, longest, mean} = pattern.rows;
  if (!bins.length) return;
  const most = Math.max(...bins.map((b) => b.rows));
  draw("rows-chart", "Lengths of rows", `${grouped(shortest)} to ${grouped(longest)} entries, ${digits(mean)} on average`, (width) => blockChart(width, {
    x: {min: bins[0].from - 0.5, max: bins[bins.length - 1].to + 0.5, title: "entries in a row", text: (v) => Number.isInteger(v) ? grouped(v) : ""},
    y: {min: 0.8, max: most * 1.2, log: true},
    label: `Histogram of the lengths of rows, from ${shortest} to ${longest}; the most frequent have ${most} rows`,
    blocks: bins.filter((b) => b.rows > 0).map((b) => ({from: b.from - 0.5, to: b.to + 0.5, low: 0.8, high: b.rows, text: `${b.from === b.to ? b.from : `${b.from} to ${b.to}`} entries: ${grouped(b.rows)} rows`})),
  }));
}

function treeSection() {
  const {analysis, orderings} = figures;
  if (!analysis.complete) return byId("factor-facts").replaceChildren(note(analysis.note));
  const {levels, largest} = analysis.tree;
  tiles("factor-facts", [["nnz(L)", grouped(analysis.nnz_l)], ["Fill", `${digits(analysis.nnz_l / Math.max(1, (figures.matrix.nnz + figures.matrix.n) / 2))} × lower half of A`],
    ["Operations", flops(analysis.flops)], ["With explicit zeros", flops(analysis.stored_flops)], ["Memory", bytes(analysis.memory_bytes.total)],
    ["Supernodes", grouped(analysis.supernodes)], ["Largest front", `${grouped(analysis.largest_front)} rows`], ["Height of the tree", grouped(analysis.tree_height)]]);
  if (levels.length) {
    const total = levels.reduce((sum, l) => sum + l.flops, 0);
    const x = {min: -0.5, max: levels.length - 0.5, title: "level of the tree, 0 = root", text: (v) => Number.isInteger(v) ? v : ""};
    const most = Math.max(...levels.map((l) => l.flops / total));
    draw("level-flops", "Operations by level", "share of the factorization", (width) => blockChart(width, {
      x, y: {min: 0, max: most * 1.1, text: (v) => `${digits(v * 100)} %`}, label: `Share of the operations by level of the tree; level ${levels.findIndex((l) => l.flops / total === most)} has most, ${digits(most * 100)} percent`,
      blocks: levels.map((l, k) => ({from: k - 0.5, to: k + 0.5, low: 0, high: l.flops / total, text: `level ${k}: ${digits(100 * l.flops / total)} %, ${flops(l.flops)}, ${grouped(l.supernodes)} supernodes`})),
    }));
    const front = Math.max(...levels.map((l) => l.largest_front));
    draw("level-fronts", "Sizes of fronts by level", "from the smallest to the largest, in rows", (width) => blockChart(width, {
      x, y: {min: 0.8, max: front * 1.5, log: true}, label: `Smallest and largest front of each level; the largest has ${front} rows`,
      blocks: levels.map((l, k) => ({from: k - 0.5, to: k + 0.5, low: l.smallest_front * 0.94, high: l.largest_front, text: `level ${k}: ${grouped(l.smallest_front)} to ${grouped(l.largest_front)} rows`})),
    }));
    byId("fronts-table").replaceChildren(table("The fronts with most operations", "", ["supernode", "level", "columns", "rows", "operations", "share"],
      largest.slice(0, 8).map((f) => [grouped(f.supernode), f.level, grouped(f.columns), grouped(f.rows), flops(f.flops), `${digits(100 * f.flops / total)} %`])));
  }
  if (orderings.candidates.length) {
    byId("orderings-table").replaceChildren(table("Orderings", `taken: ${analysis.ordering}${analysis.ordering_reason ? `, ${analysis.ordering_reason}` : ""}`, ["ordering", "nnz(L)", "operations", "memory", "analysis"],
      orderings.candidates.map((o) => ({kind: o.chosen ? "chosen" : "", cells: [o.ordering, grouped(o.nnz_l), flops(o.flops), bytes(o.memory_bytes), seconds(o.seconds)]}))), ...(orderings.note ? [note(orderings.note)] : []));
  } else byId("orderings-table").replaceChildren(note(orderings.note));
}

const runKinds = {jacobi: "pcg", fsai: "direct", "factor, single": "mixed", block_jacobi: "more", ic0: "amber", ssor_ai: "steel", none: "plain"};
const runDashes = {block_jacobi: "7 3", ic0: "2 3", ssor_ai: "9 3 2 3", none: "4 4"};
function convergenceSection() {
  const {convergence} = figures;
  const drawn = convergence.runs.filter((r) => r.residuals.length > 1);
  if (!convergence.complete || !drawn.length) byId("convergence-chart").replaceChildren(note(convergence.note));
  else {
    const series = drawn.map((r) => ({name: runNames[r.preconditioner], kind: runKinds[r.preconditioner], dash: runDashes[r.preconditioner], points: r.residuals.map((p) => [p[0] + 1, p[1]])}));
    const last = Math.max(...series.flatMap((s) => s.points.map((p) => p[0])));
    const all = series.flatMap((s) => s.points.map((p) => p[1])).filter((v) => v > 0);
    draw("convergence-chart", "Residual against iteration", `‖r‖ relative to ‖b‖; the dashed rule is the tolerance, ${digits(convergence.tolerance)}`, (width) => [lineChart(width, {
      x: {min: 1, max: Math.max(2, last), log: last > 60, title: "iteration + 1", text: (v) => Number.isInteger(v) ? grouped(v) : ""},
      y: {min: Math.min(convergence.tolerance / 3, ...all), max: Math.max(1, ...all) * 2, log: true, text: (v) => v.toExponential(0).replace("e+0", "").replace("e+", "e")},
      series, label: `Residuals of conjugate gradients. ${convergence.runs.filter((r) => r.complete).map((r) => `${runNames[r.preconditioner]}: ${r.iterations} iterations`).join("; ")}`,
      extra: (toX, toY, box) => [svg("line", {class: "marker", x1: box.left, x2: box.right, y1: toY(convergence.tolerance), y2: toY(convergence.tolerance)})],
    }), legend(series)]);
  }
  if (!convergence.runs.length) return;
  byId("convergence-table").replaceChildren(table("Preconditioners", "set-up includes the first analysis of the preconditioner", ["preconditioner", "iterations", "set-up", "solve", "an iteration", "backward error", ""],
    convergence.runs.map((r) => [runNames[r.preconditioner], ...(r.complete ? [grouped(r.iterations), seconds(r.analyze_seconds + r.setup_seconds), seconds(r.solve_seconds), seconds(r.solve_seconds / Math.max(1, r.iterations)), digits(r.backward_error)] : [r.iterations ? grouped(r.iterations) : "–", "–", "–", "–", "–"]), {long: r.note}])));
}

function spectrumSection() {
  const {spectrum, direct} = figures;
  if (!spectrum.complete) return byId("spectrum-facts").replaceChildren(note(spectrum.note));
  const earlier = spectrum.steps[Math.max(0, spectrum.steps.length - 6)];
  const moved = Math.abs(earlier[0] - spectrum.smallest) > 0.05 * Math.abs(spectrum.smallest);
  tiles("spectrum-facts", [["Smallest eigenvalue, at most", digits(spectrum.smallest)], ["Largest eigenvalue, at least", digits(spectrum.largest)],
    ["Condition, at least", spectrum.condition ? digits(spectrum.condition) : "–"], ["Steps of Lanczos", String(spectrum.steps.length)],
    ["‖A‖₁‖A⁻¹‖₁ by Hager", direct.reciprocal_condition ? digits(1 / direct.reciprocal_condition) : ""]]);
  const series = [{name: "largest", kind: "direct", points: spectrum.steps.map((s, k) => [k + 1, s[1]])},
                  {name: "smallest", kind: "pcg", dash: "6 3", points: spectrum.steps.map((s, k) => [k + 1, s[0]])}];
  const values = spectrum.steps.flat(), low = Math.min(...values), high = Math.max(...values);
  const log = low > 0;
  draw("spectrum-chart", "Estimates of the extreme eigenvalues", `of ${spectrum.of}. These are estimates: they lie inside of the spectrum` +
    (moved ? ", and the smallest still falls, so the true condition is larger" : ""), (width) => [lineChart(width, {
    x: {min: 1, max: Math.max(2, spectrum.steps.length), title: "step of Lanczos’ method", text: (v) => Number.isInteger(v) ? v : ""},
    y: log ? {min: low / 1.5, max: high * 1.5, log} : {min: low - 0.05 * (high - low), max: high + 0.05 * (high - low)},
    series, label: `Ritz values by step: the smallest ends at ${digits(spectrum.smallest)}, the largest at ${digits(spectrum.largest)}`, height: 240}), legend(series)]);
}

function formatsSection() {
  const {formats} = figures;
  if (!formats.complete) return byId("formats-table").replaceChildren(note(formats.note));
  const shown = formats.candidates.filter((c) => !c.refusal), refused = formats.candidates.filter((c) => c.refusal);
  const most = Math.max(...shown.flatMap((c) => [c.predicted_seconds, c.measured_seconds]));
  byId("formats-table").replaceChildren(table("Formats", `a product takes ${seconds(formats.product_seconds)} in the format taken, ${formats.kernel}; upper bars are predicted times, lower ones measured. Only candidates that are predicted to be fast are measured`,
    ["format", "predicted", "measured", "", "bytes"],
    shown.map((c) => ({kind: c.kernel === formats.kernel ? "chosen" : "", cells: [c.kernel, seconds(c.predicted_seconds), c.measured_seconds ? seconds(c.measured_seconds) : "–",
      bars([c.predicted_seconds / most, "steel"], [c.measured_seconds / most, "amber"]), bytes(c.product_bytes)]}))),
    ...(refused.length ? [html("p", {class: "aside"}, `Not possible: ${refused.map((c) => `${c.kernel} (${c.refusal})`).join("; ")}.`)] : []));
}

function rooflineSection() {
  const {roofline} = figures;
  if (!roofline.complete) return byId("roofline-chart").replaceChildren(note(roofline.note));
  const points = roofline.points.filter((p) => p.bytes > 0 && p.seconds > 0).map((p) => ({...p, x: p.flops / p.bytes, y: p.flops / p.seconds}));
  const roofs = [{name: `assumed by the cost model, fitted on ${roofline.model.source}`, kind: "plain", dash: "6 4", peak: roofline.model.flops_per_second, rate: roofline.model.product_bytes_per_second}];
  if (roofline.measured.bytes_per_second > 0 && roofline.measured.flops_per_second > 0) {
    roofs.unshift({name: "measured here: a dense factorization, and a := b + s·c", kind: "direct", peak: roofline.measured.flops_per_second, rate: roofline.measured.bytes_per_second});
  }
  const kinds = ["direct", "mixed", "pcg"];
  const x = {min: Math.min(0.05, ...points.map((p) => p.x / 2)), max: Math.max(100, ...points.map((p) => p.x * 2)), log: true, title: "flops for each byte moved"};
  const roof = (r) => [x.min, r.peak / r.rate, x.max].sort((a, b) => a - b).map((v) => [v, Math.min(r.peak, v * r.rate)]);
  const series = [...roofs.map((r) => ({...r, points: roof(r)})), ...points.map((p, k) => ({name: p.what, kind: kinds[k % 3], dots: true, points: [[p.x, p.y]]}))];
  const all = series.flatMap((s) => s.points.map((p) => p[1]));
  draw("roofline-chart", "Rates against the machine", "the higher a point below its roof, the better; a point on the slope waits for memory", (width) => [lineChart(width, {
    x, y: {min: Math.min(...all) / 2, max: Math.max(...all) * 2, log: true, text: (v) => `${digits(v / 1e9)} G`}, series, height: 320,
    label: `Roofline. ${points.map((p) => `${p.what}: ${digits(p.y / 1e9)} gigaflops a second`).join("; ")}`,
    extra: (toX, toY, box) => [svg("text", {x: box.left + 6, y: box.top + 12}, "flops/s"), ...points.map((p) => svg("text", {class: "label", x: toX(p.x) + (toX(p.x) > width - 170 ? -10 : 10), y: toY(p.y) + 14, "text-anchor": toX(p.x) > width - 170 ? "end" : "start"}, p.what))],
  }), legend(roofs)]);
  const measured = roofline.measured;
  byId("roofline-table").replaceChildren(table("Rates", roofline.note || "bytes are the least that must move: what caches keep can raise a rate above the roof", ["", "flops/s", "GB/s", "time"], [
    ...points.map((p) => [p.what, `${digits(p.y / 1e9)} G`, digits(p.bytes / p.seconds / 1e9), seconds(p.seconds)]),
    ...(measured.flops_per_second > 0 ? [["machine, measured here", `${digits(measured.flops_per_second / 1e9)} G`, digits(measured.bytes_per_second / 1e9), ""]] : []),
    [`machine, assumed by the cost model (${roofline.model.source})`, `${digits(roofline.model.flops_per_second / 1e9)} G`, digits(roofline.model.product_bytes_per_second / 1e9), ""]]));
}

function barTable(id, title, text, heads, rows, show) {
  const most = Math.max(...rows.map((r) => r[1]), 1e-300);
  byId(id).replaceChildren(table(title, text, heads, rows.map(([name, value, kind]) => [name, show(value), bars([value / most, kind])])));
}

function timeSection() {
  const {analysis, direct, formats} = figures;
  if (!analysis.complete) return byId("time-table").replaceChildren(note(analysis.note));
  const rows = [["read", figures.read_seconds, "plain"], ["analysis", direct.complete ? direct.analyze_seconds : analysis.analyze_seconds, "steel"],
    ...analysis.analyze_steps.map((s) => [`· ${s.step}`, s.seconds, "plain"])];
  if (direct.complete) {
    rows.push(["first factorization", direct.factorize_seconds, "direct"], ["factorization, again", direct.refactorize_seconds, "direct"],
      ...direct.regimes.map((r) => [`· ${{leaf: "leaf subtrees", middle: "middle of the tree", top: "top of the tree"}[r.regime]} (busy, traced)`, r.busy_seconds, "plain"]),
      ["solve", direct.solve_seconds, "mixed"]);
  }
  if (formats.complete) rows.push(["preparing products", formats.analyze_seconds, "amber"], ["product", formats.product_seconds, "amber"]);
  barTable("time-table", "Phases", "steps of an analysis can overlap, and so can parts of the tree", ["phase", "time", ""], rows, seconds);
  if (!direct.complete && direct.note) byId("time-table").prepend(note(direct.note));
}

function memorySection() {
  barTable("memory-table", "Memory", "computed from the plan, not measured", ["what", "bytes", ""], figures.memory.map((m) => [m.what, m.bytes, "steel"]), bytes);
}

for (const section of [header, patternSection, treeSection, convergenceSection, spectrumSection, formatsSection, rooflineSection, timeSection, memorySection]) section();
