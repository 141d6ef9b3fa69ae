// Charts over the attempts: tests, cost, context, duration. Drawn by uPlot, which is
// fetched when somebody looks; the numbers are those of the timeline.
import { h, put, rest } from "./dom.js";
import { count, money, took } from "./words.js";

let loaded;
function library() {
  return (loaded ??= new Promise((resolve, reject) => {
    document.head.append(h("link", { rel: "stylesheet", href: "/static/uplot/uPlot.min.css" }),
      h("script", { src: "/static/uplot/uPlot.iife.min.js", onload: () => resolve(globalThis.uPlot), onerror: () => reject(new Error("the charts could not be loaded")) }));
  }));
}

// size is what is so many pixels on an ordinary screen; on a large one it is more.
const size = (px) => (px * parseFloat(getComputedStyle(document.documentElement).fontSize)) / 16 || px;
const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const any = (list) => list?.some((v) => v !== null && v !== undefined && v !== 0);

// brief is a duration on an axis, whose steps are round.
const brief = (s) => (s === 0 ? "0" : s < 60 ? s + "s" : s < 3600 ? Math.round(s / 6) / 10 + "m" : Math.round(s / 360) / 10 + "h");

// kinds are the charts: their lines, and the sentence for who does not see them.
const kinds = [
  { id: "tests", title: "Tests", empty: "No tests were seen.", has: (c) => any(c.tests_passed) || any(c.tests_failed),
    series: (c) => [["passed", "ok", c.tests_passed, "line"], ["failed", "bad", c.tests_failed, "line"]], value: count, steps: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000],
    says: (c) => { const i = c.tests_passed.findLastIndex((v) => v !== null); return i < 0 ? "" : `last: ${c.tests_passed[i]} passed, ${c.tests_failed[i] ?? 0} failed`; } },
  { id: "cost", title: "Cost", empty: "No cost was told.", has: (c) => any(c.cost_usd),
    series: (c) => [["each", "main", c.cost_usd, "bars"], ["in all", "ink", c.total_cost_usd, "line", "right"]], value: (v) => money(v),
    says: (c) => `${money(c.total_cost_usd?.at(-1) ?? 0)} in all` },
  { id: "context", title: "Context", empty: "No agent told how full its context was.", has: (c) => any(c.context),
    series: (c, world) => [["context", "main", c.context, "bars"], ...(world.redline ? [["redline", "bad", c.seq.map(() => world.redline), "dash"]] : [])], value: (v) => Math.round(v) + " %", top: 100, steps: [20, 25, 50],
    says: (c) => `highest: ${Math.round(c.context.reduce((a, b) => Math.max(a, b ?? 0), 0))} %` },
  { id: "duration", title: "Duration", empty: "No iteration has ended yet.", has: (c) => c.seq.length > 0,
    series: (c) => [["took", "main", c.duration_ms?.map((v) => (v ?? 0) / 1000), "bars"]], value: (v) => took(v * 1000), axis: brief, steps: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400],
    says: (c) => `longest: ${took(c.duration_ms?.reduce((a, b) => Math.max(a, b ?? 0), 0))}` },
];

export function charts(panel, world) {
  const grid = h("div.charts"), without = h("p.dim.small.pad.without");
  panel.append(grid, without);
  const drawn = kinds.map((kind) => {
    const canvas = h("div.canvas", { role: "img" }), says = h("p.says"), legend = h("ul.legend");
    const figure = h("figure", { id: "chart-" + kind.id }, h("figcaption", {}, h("h3", {}, kind.title), legend), canvas, says);
    return { kind, figure, canvas, says, legend };
  });

  let shown = -1;
  async function draw() {
    if (panel.hidden) return;
    let uPlot;
    try { uPlot = await library(); } catch (e) { for (const d of drawn) put(d.says, e.message); return; }
    const c = world.columns;
    shown = c.seq.length;
    // What there are no numbers of is said in a line, and takes no room.
    const some = drawn.filter(({ kind }) => c.seq.length && kind.has(c)), none = drawn.filter((d) => !some.includes(d));
    if (some.some((d, i) => grid.children[i] !== d.figure) || grid.children.length !== some.length) grid.replaceChildren(...some.map((d) => d.figure));
    for (const d of none) { d.plot?.destroy(); d.plot = null; }
    without.hidden = !none.length;
    put(without, none.map((d) => d.kind.empty).join(" "));
    for (const d of some) {
      const { kind } = d;
      const series = kind.series(c, world).filter(([, , values]) => values);
      const says = kind.says(c);
      put(d.says, says);
      d.canvas.setAttribute("aria-label", `${kind.title}, ${count(c.seq.length)} attempts; ${says}`);
      const data = [c.seq.map((_, i) => i + 1), ...series.map(([, , values]) => values)];
      if (d.plot && d.lines === series.length) { d.plot.setData(data); continue; }
      d.plot?.destroy();
      d.lines = series.length;
      d.legend.replaceChildren(...series.map(([name, color, , how]) => h("li", {}, h("i", { class: how === "bars" ? color : how === "dash" ? "line dash" : color === "ink" ? "line" : color }), name)));
      d.plot = new uPlot(options(uPlot, kind, series, d), data, d.canvas);
    }
  }

  function options(uPlot, kind, series, d) {
    const axis = { stroke: ink("dim"), font: `${size(11)}px system-ui, sans-serif`, grid: { stroke: ink("edge"), width: 1 }, ticks: { show: false } };
    const right = series.some(([, , , , side]) => side === "right");
    return {
      width: d.canvas.clientWidth, height: size(190), padding: [8, right ? 4 : 12, 0, 0],
      scales: { x: { time: false, range: (_, lo, hi) => [lo - .6, hi + .6] }, y: { range: (_, lo, hi) => [0, kind.top ?? Math.max(hi * 1.08, 1e-9)] }, right: { range: (_, lo, hi) => [0, Math.max(hi * 1.08, 1e-9)] } },
      axes: [
        { ...axis, grid: { show: false }, size: size(26), values: (_, v) => v.map((x) => (Number.isInteger(x) && world.columns.iteration[x - 1] !== undefined ? count(world.columns.iteration[x - 1]) : "")) },
        { ...axis, size: size(56), incrs: kind.steps, values: (_, v) => v.map((x) => (kind.axis ?? kind.value)(x)) },
        ...(right ? [{ ...axis, side: 1, scale: "right", size: size(56), grid: { show: false }, values: (_, v) => v.map((x) => kind.value(x)) }] : []),
      ],
      series: [{}, ...series.map(([name, color, values, how, side]) => ({
        label: name, scale: side ?? "y", stroke: ink(color), width: how === "bars" ? 0 : 2, dash: how === "dash" ? [5, 4] : undefined, spanGaps: true,
        fill: how === "bars" ? ink(color) : undefined, points: { show: how === "line" && values.length < 3 },
        paths: how === "bars" ? uPlot.paths.bars({ size: [.7, size(24), 1] }) : undefined,
      }))],
      legend: { show: false },
      cursor: { y: false, drag: { x: true, y: false }, points: { size: 6 } },
      hooks: {
        setCursor: [(u) => {
          const i = u.cursor.idx;
          put(d.says, i === null || i === undefined ? kind.says(world.columns) : `iteration ${count(world.columns.iteration[i])}: ` + series.map(([name], s) => { const v = u.data[s + 1][i]; return v === null || v === undefined ? "" : `${kind.value(v)} ${name}`; }).filter(Boolean).join(", "));
        }],
        ready: [(u) => u.over.addEventListener("click", () => {
          const i = u.cursor.idx, c = world.columns;
          if (i !== null && i !== undefined) world.setScope({ iteration: c.iteration[i], attempt: c.attempt[i] });
        })],
      },
    };
  }

  const again = () => { for (const d of drawn) { d.plot?.destroy(); d.plot = null; } draw(); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  new ResizeObserver(rest(() => { for (const d of drawn) if (d.plot && d.canvas.clientWidth) d.plot.setSize({ width: d.canvas.clientWidth, height: size(190) }); }, 60)).observe(grid);
  return { show: draw, grown: () => { if (world.columns.seq.length !== shown) draw(); } };
}
