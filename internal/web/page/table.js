// All iterations in a table of which only the rows in view are there. What sorts
// comes with the timeline; the words of a row are fetched when it is looked at.
import { get } from "./api.js";
import { attr, frame, h, put, rest } from "./dom.js";
import { clock, count, day, money, plain, result, short, took } from "./words.js";

const page = 200;
const columns = [
  { name: "#", of: (c, i) => c.iteration[i] * 1000 + c.attempt[i], wide: "4.5rem", small: "3rem" },
  { name: "Result", of: (c, i) => c.result[i], wide: "minmax(7.5rem, 10rem)", small: "minmax(0, 1fr)" },
  { name: "Took", of: (c, i) => c.duration_ms?.[i] ?? 0, wide: "5.75rem", small: "4.75rem", n: true },
  { name: "Tests", of: (c, i) => c.tests_passed?.[i] ?? -1, wide: "5.5rem", n: true, hide: 700 },
  { name: "Cost", of: (c, i) => c.cost_usd?.[i] ?? 0, wide: "4.75rem", small: "4rem", n: true, hide: 400 },
  { name: "Context", of: (c, i) => c.context?.[i] ?? -1, wide: "5rem", n: true, hide: 900 },
  { name: "Lines", of: (c, i) => (c.lines_added?.[i] ?? 0) + (c.lines_removed?.[i] ?? 0), wide: "6.5rem", n: true, hide: 900 },
  { name: "Ended", of: (c, i) => c.end[i], wide: "5.5rem", n: true, hide: 1100 },
  { name: "What came of it", said: true, wide: "minmax(10rem, 1fr)", hide: 700 },
];

export function table(panel, world) {
  const heads = h("div.heads", { role: "row" });
  const body = h("div.body", { role: "rowgroup" });
  const box = h("div.virtual", { role: "grid", "aria-label": "Iterations", tabindex: "0" }, h("div", { role: "rowgroup", class: "heads-in" }, heads), body);
  const none = h("p.empty", {}, "No iteration has ended yet.");
  panel.append(box, none);
  let order = [], sort = 0, down = true, rows = new Map(), pages = new Map(), shown = columns, chosen = -1;

  const height = () => (heads.offsetHeight || 36); // every row is as high as the first

  function arrange() {
    const n = world.columns.seq.length, c = world.columns, of = columns[sort].of;
    order = Array.from({ length: n }, (_, i) => i);
    if (sort === 0) { if (down) order.reverse(); } else {
      const keyed = order.map((i) => [of(c, i), i]);
      keyed.sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x - y) * (down ? -1 : 1));
      order = keyed.map(([, i]) => i);
    }
  }

  function paintHeads() {
    shown = columns.filter((col) => !col.hide || box.clientWidth >= col.hide);
    box.style.setProperty("--columns", shown.map((col) => (box.clientWidth < 700 && col.small) || col.wide).join(" "));
    heads.replaceChildren(...shown.map((col) => {
      const i = columns.indexOf(col);
      const cell = h("div", { role: "columnheader", class: col.n ? "n" : col.said ? "said-in" : "" }, col.of ? h("button", { type: "button", onclick: () => { down = sort === i ? !down : true; sort = i; arrange(); rows.clear(); body.replaceChildren(); paintHeads(); paint(); } }, col.name) : col.name);
      if (sort === i) cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      return cell;
    }));
  }

  const paint = frame(() => {
    const n = order.length, hgt = height();
    none.hidden = n > 0;
    box.hidden = n === 0;
    if (!n || panel.hidden) return;
    attr(box, "aria-rowcount", n + 1);
    body.style.height = n * hgt + "px";
    const from = Math.max(0, Math.floor(box.scrollTop / hgt) - 8), to = Math.min(n, Math.ceil((box.scrollTop + box.clientHeight) / hgt) + 8);
    for (const [at, row] of rows) if (at < from || at >= to || row.index !== order[at]) { row.remove(); rows.delete(at); }
    const scope = world.scope;
    for (let at = from; at < to; at++) {
      let row = rows.get(at);
      if (!row) { row = rowOf(order[at], at); rows.set(at, row); body.append(row); }
      row.style.top = at * hgt + "px";
      const c = world.columns, i = order[at];
      attr(row, "aria-selected", !!scope && c.iteration[i] === scope.iteration && (!scope.attempt || c.attempt[i] === scope.attempt));
      attr(row, "tabindex", at === chosen ? "0" : "-1");
    }
    words(from, to);
  });

  function rowOf(i, at) {
    const c = world.columns, r = result(c.result[i]);
    const cells = {
      "#": count(c.iteration[i]) + (c.attempt[i] > 1 ? "." + c.attempt[i] : ""),
      Result: [h("span.dot", { class: r.kind }), c.refused?.[i] ? h("span.minus", {}, "claim refused") : c.level?.[i] ? c.level[i].replaceAll("_", " ") : r.says],
      Took: took(c.duration_ms?.[i]), Tests: c.tests_passed?.[i] === null || c.tests_passed?.[i] === undefined ? "" : `${c.tests_passed[i]}/${c.tests_passed[i] + (c.tests_failed[i] ?? 0)}`,
      Cost: money(c.cost_usd?.[i] || undefined), Context: c.context?.[i] ? Math.round(c.context[i]) + " %" : "",
      Lines: [c.lines_added?.[i] ? h("span.plus", {}, "+" + short(c.lines_added[i])) : "", " ", c.lines_removed?.[i] ? h("span.minus", {}, "−" + short(c.lines_removed[i])) : ""],
      Ended: clock(c.end[i]),
    };
    const row = h("div", { role: "row", "aria-rowindex": at + 2, title: day(c.end[i]), onclick: () => choose(at) },
      shown.map((col) => h("div", { role: "gridcell", class: col.n ? "n" : col.said ? "said-in" : "" }, cells[col.name] ?? "")));
    row.index = i;
    return row;
  }

  // words fills in what rows in view said.
  const words = rest(async (from, to) => {
    const need = new Set();
    for (let at = from; at < to; at++) if (order[at] !== undefined) need.add(Math.floor(order[at] / page));
    for (const p of [...need].slice(0, 12)) {
      if (pages.has(p)) continue;
      pages.set(p, null);
      try { pages.set(p, (await get(world.at("/iterations"), { offset: p * page, limit: page })).rows ?? []); } catch { pages.delete(p); }
    }
    for (const row of rows.values()) {
      const cell = row.children[shown.length - 1], of = pages.get(Math.floor(row.index / page))?.[row.index % page];
      if (of && shown.at(-1).said) put(cell, plain(of.refused || of.error || (of.did?.length && "✓ " + of.did.join(", ")) || of.summary || of.why || ""));
    }
  }, 60);

  function choose(at) {
    const c = world.columns, i = order[at];
    chosen = at;
    world.setScope({ iteration: c.iteration[i], attempt: c.attempt[i] });
    paint();
  }

  box.addEventListener("scroll", paint, { passive: true });
  box.addEventListener("keydown", (event) => {
    if (event.target.closest(".heads")) return;
    const screen = Math.max(1, Math.floor(box.clientHeight / height()) - 2);
    const to = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, PageDown: chosen + screen, PageUp: chosen - screen, Home: 0, End: order.length - 1 }[event.key];
    if (event.key === "Enter" && chosen >= 0) { event.preventDefault(); choose(chosen); world.setScope(world.scope, "transcript"); return; }
    if (to === undefined) return;
    event.preventDefault();
    chosen = Math.max(0, Math.min(order.length - 1, to));
    const y = chosen * height(), view = box.clientHeight - height();
    if (y < box.scrollTop) box.scrollTop = y; else if (y > box.scrollTop + view - height()) box.scrollTop = y - view + height();
    choose(chosen);
    requestAnimationFrame(() => requestAnimationFrame(() => rows.get(chosen)?.focus({ preventScroll: true })));
  });
  new ResizeObserver(() => { if (!panel.hidden) { rows.clear(); body.replaceChildren(); paintHeads(); paint(); } }).observe(box);

  let had = 0;
  return {
    show() { this.grown(); paintHeads(); paint(); },
    grown() {
      const n = world.columns.seq.length;
      if (n !== had) {
        const last = Math.floor(Math.max(0, had - 1) / page);
        for (const p of pages.keys()) if (p >= last) pages.delete(p);
        // New rows come in on top: what one reads stays where it is.
        const keep = sort === 0 && down && box.scrollTop > 0 ? (n - had) * height() : 0;
        had = n;
        arrange();
        rows.clear();
        body.replaceChildren();
        paint();
        if (keep) requestAnimationFrame(() => { box.scrollTop += keep; });
      }
    },
    update: paint,
  };
}
