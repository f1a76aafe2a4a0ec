"use strict";
// Direct, mixed or iterative: the section that the slider moves. The fragment of the address sets it: #solves=1000&values=new
const most = 10000;
const kindNames = {direct: "the factorization", mixed: "PCG with a factor in single precision", pcg: "PCG"};
const nameOf = (m) => (m.method !== "pcg" ? kindNames[m.method] : m.preconditioner === "none" ? "PCG without a preconditioner" : `PCG with ${m.preconditioner}`);
const total = (m, solves, fresh) => m.analyze_seconds + m.first_seconds + (fresh ? (solves - 1) * m.again_seconds : 0) + solves * m.solve_seconds;
const state = {solves: 10, fresh: false};

const fastest = (solves, fresh, among = figures.methods) => among.reduce((best, m) => (best === null || total(m, solves, fresh) < total(best, solves, fresh) ? m : best), null);

/** [{from, to, method}]: which method is fastest for which numbers of solves. */
function rangesOf(fresh) {
  const ranges = [];
  for (let k = 1; k <= most; ++k) {
    const method = fastest(k, fresh), last = ranges[ranges.length - 1];
    if (last && last.method === method) last.to = k;
    else ranges.push({from: k, to: k, method});
  }
  return ranges;
}

/** The best of each kind for this number of solves, the fastest first. */
const bestOfKinds = () => ["direct", "mixed", "pcg"].map((kind) => fastest(state.solves, state.fresh, figures.methods.filter((m) => m.method === kind)))
  .filter((m) => m !== null).sort((a, b) => total(a, state.solves, state.fresh) - total(b, state.solves, state.fresh));

const solvesText = (k) => `${grouped(k)} ${k === 1 ? "solve" : "solves"}`;

function verdict() {
  const [best, ...others] = bestOfKinds();
  const node = byId("verdict");
  node.className = `verdict ${best.method}`;
  const own = total(best, state.solves, state.fresh);
  const rest = others.map((m) => {
    const time = total(m, state.solves, state.fresh);
    return `${nameOf(m)} takes ${seconds(time)}, ${digits(time / own)} times as long`;
  });
  const values = state.solves === 1 ? "" : state.fresh ? ", each with new values," : " with the same matrix";
  node.replaceChildren(`For ${solvesText(state.solves)}${values} take `, html("strong", {}, nameOf(best)), `: ${seconds(own)} in all.`,
    rest.length ? ` ${rest.join("; ").replace(/^./, (c) => c.toUpperCase())}.` : " No other method was measured.");
  const ranges = rangesOf(state.fresh);
  byId("ranges").replaceChildren(...ranges.map(({from, to, method}) => html("li", {class: method.method},
    ranges.length === 1 ? `${nameOf(method)} for every number of solves up to ${grouped(most)}` : `${from === to ? solvesText(from) : `${grouped(from)} to ${solvesText(to)}`}: ${nameOf(method)}`)));
}

function choiceChart(width) {
  const steps = Array.from({length: 161}, (_, k) => 10 ** (k / 40));
  const kinds = ["direct", "mixed", "pcg"].filter((kind) => figures.methods.some((m) => m.method === kind));
  const dashes = {mixed: "7 3", pcg: "2 3"};
  const series = kinds.map((kind) => {
    const among = figures.methods.filter((m) => m.method === kind);
    return {name: kind === "pcg" ? "PCG, best preconditioner" : kindNames[kind], kind, dash: dashes[kind], points: steps.map((k) => [k, total(fastest(k, state.fresh, among), k, state.fresh)])};
  });
  const all = series.flatMap((s) => s.points.map((p) => p[1]));
  const crossings = rangesOf(state.fresh).slice(1).map((r) => [r.from, total(r.method, r.from, state.fresh), r.method.method]);
  return [lineChart(width, {
    x: {min: 1, max: most, log: true, title: "number of solves", text: grouped}, y: {min: Math.min(...all) / 1.5, max: Math.max(...all) * 1.5, log: true, text: tickSeconds}, series, height: 320,
    label: `Total time against the number of solves. ${rangesOf(state.fresh).map((r) => `${nameOf(r.method)} is fastest from ${r.from} to ${r.to}`).join("; ")}`,
    extra: (toX, toY, box) => [svg("line", {class: "marker", x1: toX(state.solves), x2: toX(state.solves), y1: box.top, y2: box.bottom}),
      ...crossings.map(([k, time, kind]) => svg("circle", {class: `dot ${kind}`, r: 5, cx: toX(k), cy: toY(time)}, svg("title", {}, `from ${solvesText(k)} on`))),
      ...bestOfKinds().slice(0, 1).map((m) => svg("circle", {class: `dot ${m.method}`, r: 7, cx: toX(state.solves), cy: toY(total(m, state.solves, state.fresh))}))],
  }), legend(series)];
}

function choiceTable() {
  const best = fastest(state.solves, state.fresh);
  const rows = [...figures.methods].sort((a, b) => total(a, state.solves, state.fresh) - total(b, state.solves, state.fresh));
  byId("choice-table").replaceChildren(table("Times of each method", `for one right-hand side; PCG to a residual of ${digits(figures.convergence.tolerance)}`,
    ["method", "analysis", "first values", "new values", "solve", solvesText(state.solves), "backward error"],
    rows.map((m) => ({kind: m === best ? "chosen" : "", cells: [nameOf(m), ...[m.analyze_seconds, m.first_seconds, m.again_seconds, m.solve_seconds, total(m, state.solves, state.fresh)].map(seconds), digits(m.backward_error)]}))));
}

async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch (refused) {  // Pages from files may not use the clipboard of some browsers.
    const area = html("textarea", {});
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

function pastes() {
  const best = fastest(state.solves, state.fresh);
  const names = {petsc: "PETSc options", eigen: "Eigen", cpp: "C++", python: "Python", command: "Command"};
  byId("pastes").replaceChildren(...Object.entries(names).map(([key, name]) => {
    const text = best.paste[key].replaceAll("@FACTORIZATIONS@", state.fresh ? state.solves : 1);
    const button = html("button", {type: "button", "aria-label": `Copy ${name}`}, "Copy");
    button.addEventListener("click", () => copy(button, text));
    return html("div", {class: "paste", id: `paste-${key}`}, html("h4", {}, name, button), html("pre", {tabindex: "0", "aria-label": name}, text));
  }));
}

let chart = null;
function update() {
  const slider = byId("solves");
  byId("solves-text").textContent = solvesText(state.solves);
  slider.setAttribute("aria-valuetext", solvesText(state.solves));
  verdict();
  if (chart) chart.render(true);
  else chart = draw("choice-chart", "Total time", "analysis, set-up and all solves, as measured on this machine; both axes are logarithmic", choiceChart);
  choiceTable();
  pastes();
}

/** Takes the state from the fragment of the address, if it has one. */
function readFragment() {
  const given = new URLSearchParams(location.hash.slice(1));
  const solves = Number(given.get("solves"));
  if (solves >= 1) state.solves = Math.min(most, Math.round(solves));
  if (given.has("values")) state.fresh = given.get("values") === "new";
  byId("solves").value = Math.round(100 * Math.log10(state.solves));
  byId("new-values").checked = state.fresh;
}

function keepInFragment() {
  try {
    history.replaceState(null, "", `#solves=${state.solves}${state.fresh ? "&values=new" : ""}`);
  } catch (refused) { /* Not every viewer has addresses. */ }
}

function startChoice() {
  if (!figures.methods.length) {
    byId("controls").hidden = byId("paste-title").hidden = true;
    byId("verdict").textContent = `No method solved the system within the limits. ${[...new Set([figures.direct.note || figures.analysis.note, figures.convergence.note])].join(" ")}`;
    return;
  }
  byId("solves").addEventListener("input", (event) => {
    state.solves = Math.round(10 ** (event.target.value / 100));
    keepInFragment();
    update();
  });
  byId("new-values").addEventListener("change", (event) => {
    state.fresh = event.target.checked;
    keepInFragment();
    update();
  });
  window.addEventListener("hashchange", () => { readFragment(); update(); });
  readFragment();
  update();
  for (const text of [figures.direct, figures.convergence].map((part) => part.note)) if (text) byId("choice-table").after(note(text));
}
startChoice();
