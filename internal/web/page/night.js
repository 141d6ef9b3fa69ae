// The timeline of the night: one bar for each attempt, as high as it was long, in
// the colour of its result, with waits between them and what happened above. Where
// there are more than fit, a bar stands for several, each result with its share.
import { attr, frame, h, hideTip, put, say, showTip } from "./dom.js";
import { alive, clock, count, day, plural, result, took, worst } from "./words.js";

const top = 24, base = 98, low = 5;

// steered says what people did, and what else came between two attempts.
const steered = {
  pause: () => "paused", parked: (t) => "parked: " + t, unpause: () => "went on", ask: (t) => "asked: " + t, answer: (t) => "answered: " + t, note: (t) => "note: " + t,
  command: (t) => t, resume: () => "resumed", reboot: (t) => "fresh session: " + t,
};

export function night(world) {
  const svg = h("svg", { "aria-hidden": "true" });
  const plot = h("div.plot", { role: "slider", tabindex: "0", "aria-label": "Iterations of the run. Arrow keys go from one to the next." }, svg);
  const zoom = h("div.segments", { role: "group", "aria-label": "How much is shown" });
  const legend = h("ul.legend", {}), scale = h("p.scale");
  const element = h("section.card.night", { "aria-labelledby": "night-title" }, h("div.headline", {}, h("h2", { id: "night-title" }, "Timeline"), scale, zoom), plot, legend);
  let window = Infinity, items = [], over = null, zoomed = 1;

  // layout says what stands where, from left to right.
  function layout(width) {
    const c = world.columns, n = c.seq.length;
    let from = 0, to = n;
    if (n > window) {
      const middle = world.scope ? c.iteration.lastIndexOf(world.scope.iteration) : n;
      from = Math.max(0, Math.min(n - window, middle - Math.floor(window / 2)));
      to = from + window;
    }
    const size = Math.max(1, Math.ceil(((to - from) * 4) / Math.max(width, 100)));
    const list = [];
    // Numbers tell the order, not times: in a rehearsal hours pass at once.
    const begin = from > 0 ? c.seq[from - 1] : 0, end = to < n ? c.seq[to] : Infinity;
    let waits = world.marks.filter((m) => m.kind === "wait" && m.until > m.time && m.seq > begin && m.seq < end);
    if (waits.length > 40) waits = waits.toSorted((a, b) => b.until - b.time - (a.until - a.time)).slice(0, 40).toSorted((a, b) => a.seq - b.seq);
    let w = 0;
    const waitsBefore = (seq, start) => {
      for (; w < waits.length && waits[w].seq < seq; w++) {
        const { time, until } = waits[w], over = Math.min(until, Math.max(time, start)); // it may have been cut short
        if (over - time < 5000 && list.length) continue; // a short pause is no news
        list.push({ wait: waits[w], start: time, end: over, units: 1 + Math.min(5, Math.log2(1 + (over - time) / 300_000)) });
      }
    };
    for (let i = from; i < to; i += size) {
      waitsBefore(c.seq[i], c.start[i]);
      const last = Math.min(i + size, to) - 1;
      list.push({ first: i, last, start: c.start[i], end: c.end[last], units: 1 });
    }
    if (to === n) waitsBefore(Infinity, Infinity);
    const row = world.data.row;
    if (to === n && alive(row) && world.data.open && row.state !== "waiting") list.push({ now: true, start: c.end[n - 1] ?? Date.parse(row.started_at), units: 1 });
    let units = list.reduce((s, x) => s + x.units, 0);
    // What may still come has its room already, as far as that leaves bars to look at.
    const left = row.max_iterations ? row.max_iterations - Math.max(row.iterations ?? 0, row.iteration ?? 0) : 0;
    const room = Math.min(left, Math.floor(width / 16 - units));
    if (to === n && alive(row) && room > 0) { list.push({ ahead: room, left, units: room }); units += room; }
    units ||= 1;
    const unit = Math.min(48, width / units);
    let x = 0;
    for (const item of list) { item.x = x; item.w = item.units * unit; x += item.w; }
    return { list, size, from, to };
  }

  function draw() {
    // On a large screen letters are larger, and the timeline with them.
    zoomed = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
    const width = plot.clientWidth / zoomed;
    if (!width) return;
    attr(svg, "viewBox", `0 0 ${width} 128`);
    const c = world.columns, n = c.seq.length;
    const { list, size, from, to } = layout(width);
    items = list;
    const long = (i) => c.duration_ms?.[i] ?? c.end[i] - c.start[i];
    let most = 1;
    for (const item of list) if (item.first !== undefined) { item.long = 0; for (let i = item.first; i <= item.last; i++) item.long = Math.max(item.long, long(i)); most = Math.max(most, item.long); }
    const bars = h("g.bars"), marks = h("g"), ticks = h("g"), used = new Set();
    const add = (g, tag, props, ...text) => g.append(h(tag, props, ...text));
    const refusals = [], nearest = (time) => list.findLast((x) => x.start <= time) ?? list[0];
    const undone = new Set(world.marks.filter((m) => m.kind === "rollback" && m.iteration).map((m) => m.iteration));
    for (const item of list) {
      const gap = item.w > 7 ? 2 : item.w > 3.5 ? 1 : 0;
      if (item.wait) {
        add(bars, "rect", { class: "wait", x: item.x, y: base - 40, width: Math.max(1, item.w - gap), height: 40 });
        add(bars, "line", { class: "wait-edge", x1: item.x, x2: item.x + item.w - gap, y1: base - .75, y2: base - .75 });
        const says = took(item.end - item.start);
        if (item.w > says.length * 6 + 4) add(ticks, "text", { class: "wait-says", x: item.x + item.w / 2, y: base - 46, "text-anchor": "middle" }, says);
        continue;
      }
      if (item.ahead) {
        for (let i = 0; i < item.ahead; i++) add(bars, "rect", { class: "ahead", x: item.x + (i * item.w) / item.ahead, y: base - 4, width: item.w / item.ahead - 2, height: 4, rx: 1 });
        continue;
      }
      if (item.now) { add(bars, "rect", { class: "f-main now", x: item.x, y: base - 30, width: Math.max(2, item.w - gap), height: 30, rx: 1 }); used.add("running"); continue; }
      let refused = false, level = "";
      const shares = new Map();
      for (let i = item.first; i <= item.last; i++) {
        const k = result(c.result[i]).kind;
        shares.set(k, (shares.get(k) ?? 0) + 1);
        refused ||= !!c.refused?.[i];
        level ||= c.level?.[i];
        used.add(c.result[i]);
      }
      const high = low + (base - top - low) * Math.sqrt(item.long / most), n = item.last - item.first + 1;
      let y = base - high; // what matters most is on top
      for (const k of ["bad", "late", "held", "idle", "ok"]) {
        if (!shares.has(k)) continue;
        const part = (high * shares.get(k)) / n;
        add(bars, "rect", { class: `f-${k}${n === 1 && undone.has(c.iteration[item.first]) ? " undone" : ""}`, x: item.x, y, width: Math.max(1, item.w - gap), height: part });
        y += part;
      }
      if (refused) refusals.push([item, "refused"]); else if (level) refusals.push([item, "taken"]);
    }
    // Above the bars: claims. Those that would lie on each other are one.
    let lastX = -99;
    const many = refusals.length > 60 ? refusals.filter(([, what]) => what === "refused").length : 0;
    for (const [item, what] of refusals) {
      const x = item.x + item.w / 2;
      if (many && what === "refused") continue; // a row of them says nothing
      if (x - lastX < 7 && what === "refused") continue;
      lastX = x;
      used.add(what);
      add(marks, "path", { class: "glyph " + what, d: what === "refused" ? `M${x - 5} 6h10l-5 8z` : `M${x - 5} 10l2-2 2 2 4-5 2 2-6 7z` });
    }
    // What people did stands where it was done: at the bar that was under way, or came next.
    for (const m of world.marks) {
      if (!steered[m.kind]) continue;
      const item = list.find((x) => x.now || x.ahead || (x.first !== undefined && c.seq[x.last] >= m.seq)) ?? list.at(-1);
      if (!item || (from > 0 && m.seq < c.seq[from - 1]) || (to < n && m.seq > c.seq[to - 1])) continue; // not in what is shown
      (item.steered ??= []).push(m);
      if (item.steered.length > 1) continue;
      used.add("steered");
      const x = item.x + Math.min(item.w / 2, 4) - 1;
      add(marks, "path", { class: "glyph steered", d: `M${x} 13l4 4-4 4-4-4z` });
    }
    for (const m of world.marks) {
      if (m.kind !== "rollback" || !list.length || m.time < list[0].start) continue;
      // What undid an iteration stands over its bar; what a person did, where it was done.
      const own = m.iteration && list.find((x) => x.first !== undefined && c.iteration[x.first] <= m.iteration && c.iteration[x.last] >= m.iteration);
      const item = own || nearest(m.time), beside = refusals.some(([r]) => r === item) ? 14 : 0;
      const x = Math.min(width - 6, own ? item.x + item.w / 2 + 1 + beside : item.x + item.w);
      used.add("rollback");
      add(marks, "path", { class: "glyph back", d: `M${x - 5} 11h7a3.5 3.5 0 0 0 0-7h-3M${x - 2} 8l-3 3 3 3` });
    }
    if (world.marks.some((m) => m.kind === "checkpoint")) {
      const saved = new Set(world.marks.filter((m) => m.kind === "checkpoint").map((m) => m.iteration));
      for (const item of list) {
        if (item.first === undefined || item.w < 5) continue;
        if (saved.has(c.iteration[item.last])) { used.add("checkpoint"); add(marks, "circle", { class: "glyph point", cx: item.x + (item.w - 2) / 2, cy: base + 6, r: 1.6 }); }
      }
    }
    add(ticks, "line", { class: "baseline", x1: 0, x2: width, y1: base + .5, y2: base + .5 });
    // Times below: as many as have room.
    const times = list.filter((x) => x.start), quick = times.length > 1 && times.at(-1).start - times[0].start < 600_000;
    let free = 0, date, said;
    for (const item of list) {
      const on = new Date(item.start).toDateString();
      const text = quick ? clock(item.start, true) : on === date ? clock(item.start) : day(item.start);
      if (!item.start || text === said || item.x < free || item.x + text.length * 6.5 > width) continue;
      date = on;
      said = text;
      add(ticks, "text", { class: "tick", x: item.x, y: base + 24 }, text);
      free = item.x + text.length * 6.5 + 40;
    }
    const chosen = world.scope && list.find((x) => x.first !== undefined && c.iteration[x.first] <= world.scope.iteration && c.iteration[x.last] >= world.scope.iteration && (size > 1 || !world.scope.attempt || c.attempt[x.first] === world.scope.attempt));
    const box = (cls, item) => h("rect", { class: cls, x: item.x - 1, y: 1, width: Math.max(3, item.w), height: base + 10, rx: 3 });
    svg.replaceChildren(h("defs", {}, h("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse" }, h("path", { d: "M-1.5 1.5l3-3M0 6l6-6M4.5 7.5l3-3" }))),
      ...(over ? [box("over", over)] : []), ...(chosen ? [box("chosen", chosen)] : []), ticks, bars, marks);
    if (!list.length) svg.append(h("text", { class: "tick", x: 0, y: base - 20 }, "Bars appear here, one for each iteration."));

    const index = chosen ? chosen.last : n - 1;
    attr(plot, "aria-valuemin", 1);
    attr(plot, "aria-valuemax", Math.max(1, n));
    attr(plot, "aria-valuenow", Math.max(1, index + 1));
    attr(plot, "aria-valuetext", chosen ? describe(chosen).join(", ") : n ? `whole run, ${plural(n, "attempt")}` : "nothing yet");

    const key = [...used].sort().join() + size + n + window + list.some((x) => x.ahead);
    if (legend.dataset.is !== key) {
      legend.dataset.is = key;
      const kinds = new Map();
      for (const name of ["ok", ...worst, "running"]) if (used.has(name)) { const r = result(name); kinds.set(r.kind, [...new Set([...(kinds.get(r.kind) ?? []), r.says])]); }
      legend.replaceChildren(...[...kinds].map(([k, says]) => h("li", {}, h("i", { class: k }), says.join(", "))),
        ...(list.some((x) => x.wait) ? [h("li", {}, h("i.hatched"), "waits")] : []),
        ...(used.has("refused") ? [h("li", {}, h("svg", { viewBox: "0 0 12 12" }, h("path", { class: "glyph refused", d: "M1 2h10l-5 8z" })), "claim refused")] : []),
        ...(used.has("taken") ? [h("li", {}, h("svg", { viewBox: "0 0 12 12" }, h("path", { class: "glyph taken", d: "M1 6l2-2 2 2 4-5 2 2-6 7z" })), "claim taken")] : []),
        ...(used.has("rollback") ? [h("li", {}, h("svg", { viewBox: "0 0 12 12" }, h("path", { class: "glyph back", d: "M1 9h7a3.5 3.5 0 0 0 0-7h-3M4 6l-3 3 3 3" })), "rolled back")] : []),
        ...(used.has("steered") ? [h("li", {}, h("svg", { viewBox: "0 0 12 12" }, h("path", { class: "glyph steered", d: "M6 1l5 5-5 5-5-5z" })), "steered or resumed")] : []),
        ...(used.has("checkpoint") ? [h("li", {}, h("svg", { viewBox: "0 0 12 12" }, h("circle", { class: "glyph point", cx: 6, cy: 6, r: 2 })), "checkpoint")] : []),
        ...(many ? [h("li", {}, `claims were refused in ${count(many)} of the bars`)] : []),
        ...(list.some((x) => x.ahead) ? [h("li", {}, h("i.ahead"), "to go")] : []));
      put(scale, !n ? "" : size > 1 ? `A bar is up to ${plural(size, "attempt")}, as high as the longest took` : "A bar is as high as the attempt was long");
      const zooms = [[Infinity, "All"], [200, "200"], [50, "50"]].filter(([k]) => k === Infinity || k < n);
      zoom.hidden = zooms.length < 2;
      zoom.replaceChildren(...zooms.map(([k, label]) => h("button.button", { type: "button", "aria-pressed": window === k, "aria-label": k === Infinity ? "All iterations" : `${k} iterations around the chosen one`, onclick: () => { window = k; paint(); } }, label)));
    }
  }
  const paint = frame(draw);

  // describe says what a bar stands for.
  function describe(item) {
    const c = world.columns;
    if (item.wait) return [`Waited ${took(item.end - item.start)}`, item.wait.text, `from ${day(item.start)}`];
    const came = (item.steered ?? []).slice(-4).map((m) => steered[m.kind](m.text ?? ""));
    if (item.ahead) return [`${plural(item.left, "iteration")} to go`, "if nothing ends the run earlier", ...came];
    if (item.now) return [`Iteration ${count(world.data.row.iteration)}`, "running now", ...came];
    const i = item.first;
    if (item.last > i) {
      const tally = new Map();
      for (let j = i; j <= item.last; j++) tally.set(c.result[j], (tally.get(c.result[j]) ?? 0) + 1);
      return [`Iterations ${count(c.iteration[i])} to ${count(c.iteration[item.last])}`, [...tally].map(([k, v]) => `${v} ${result(k).says}`).join(", "), ...came, `from ${day(c.start[i])}`];
    }
    const tests = c.tests_passed?.[i] === null || c.tests_passed?.[i] === undefined ? "" : `${c.tests_passed[i]} passed, ${c.tests_failed[i]} failed`;
    const happened = world.marks.filter((m) => m.iteration === c.iteration[i] && ["refusal", "rollback", "near_miss", "commit"].includes(m.kind)).slice(0, 3).map((m) => m.text);
    return [`Iteration ${count(c.iteration[i])}${c.attempt[i] > 1 ? `, attempt ${c.attempt[i]}` : ""}`, `${result(c.result[i]).says} in ${took(c.duration_ms?.[i] ?? c.end[i] - c.start[i])}`, tests, c.level?.[i] && `claim taken: ${c.level[i].replaceAll("_", " ")}`, ...happened, ...came, day(c.start[i])].filter(Boolean);
  }

  const under = (event) => {
    const x = (event.clientX - svg.getBoundingClientRect().left) / zoomed;
    return items.find((i) => x >= i.x && x < i.x + i.w);
  };
  plot.addEventListener("pointermove", (event) => {
    const item = under(event);
    if (item?.x !== over?.x) { over = item; paint(); }
    if (item) showTip(describe(item), event.clientX, event.clientY); else hideTip();
  });
  plot.addEventListener("pointerleave", () => { over = null; hideTip(); paint(); });
  const choose = (item, part) => {
    const c = world.columns;
    if (!item || item.ahead) return;
    if (item.now) return world.setScope({ iteration: world.data.row.iteration }, "transcript");
    if (item.wait) item = items[items.indexOf(item) + 1] ?? items[items.indexOf(item) - 1];
    if (item?.first === undefined) return;
    let i = item.first; // of several, the worst is what one looks for
    for (let j = item.first; j <= item.last; j++) if (worst.indexOf(c.result[j]) < worst.indexOf(c.result[i])) i = j;
    if (part === "claims") for (let j = item.first; j <= item.last; j++) if (c.refused?.[j] || c.level?.[j]) i = j;
    world.setScope({ iteration: c.iteration[i], attempt: c.attempt[i] }, part);
  };
  // A mark above leads to claims, or to what was put back; a dot below to the checkpoint.
  plot.addEventListener("click", (event) => {
    const item = under(event), y = (event.clientY - svg.getBoundingClientRect().top) / zoomed, c = world.columns;
    let part;
    if (item?.first !== undefined && y < top - 4) for (let j = item.first; j <= item.last; j++) if (c.refused?.[j] || c.level?.[j]) part = "claims";
    if (item?.first !== undefined && y > base + 2 && y < base + 12 && world.marks.some((m) => m.kind === "checkpoint" && m.iteration === c.iteration[item.last])) part = "checkpoints";
    choose(item, part);
  });
  plot.addEventListener("keydown", (event) => {
    const c = world.columns, n = c.seq.length;
    if (!n) return;
    const at = world.scope ? c.iteration.findLastIndex((v, i) => v === world.scope.iteration && (!world.scope.attempt || c.attempt[i] === world.scope.attempt)) : n;
    const page = Math.max(10, Math.round(n / 20));
    const to = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, PageUp: at + page, PageDown: at - page, Home: 0, End: n - 1 }[event.key];
    if (event.key === "Escape") { world.setScope(null); return; }
    if (to === undefined) return;
    event.preventDefault();
    const i = Math.max(0, Math.min(n - 1, to));
    world.setScope({ iteration: c.iteration[i], attempt: c.attempt[i] });
    say(plot.getAttribute("aria-valuetext"));
  });
  new ResizeObserver(paint).observe(plot);
  return { element, paint };
}
