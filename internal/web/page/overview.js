// All runs of this machine: what needs me, what is live, what is over.
import { get, now, setNow, stream } from "./api.js";
import { act, start } from "./acts.js";
import { attr, button, frame, h, keep, put, rest, say } from "./dom.js";
import { keys } from "./keys.js";
import { alive, changed, day, doubtOf, iterationOf, kind, left, money, plural, short, sign, standing, titleOf, took } from "./words.js";

const groups = [
  ["needs", "Needs you", "asks, waits for you, or gave up"],
  ["live", "Live", ""],
  ["finished", "Finished", ""],
];
const sorts = {
  latest: ["Latest first", (a, b) => (b.started_at ?? "").localeCompare(a.started_at ?? "")],
  cost: ["Highest cost", (a, b) => (b.cost_usd ?? 0) - (a.cost_usd ?? 0)],
  longest: ["Longest", (a, b) => (b.elapsed_ms ?? 0) - (a.elapsed_ms ?? 0)],
  name: ["By name", (a, b) => a.repository?.localeCompare(b.repository ?? "") || a.run.localeCompare(b.run, undefined, { numeric: true })],
};
const step = 50; // how many finished runs are shown at once

export function overview(main, first, status) {
  let data = first;
  let showing = step;
  const runs = new Map(); // id → row
  const older = new Map(); // those that the server leaves out unless they are asked for
  const shown = new Map(); // id → its element
  const want = { text: "", group: keep.get("group", "all"), sort: keep.get("sort", "latest") };

  const strip = h("dl.card.strip", { "aria-label": "This machine" });
  const search = h("input", { type: "search", placeholder: "Search runs", "aria-label": "Search runs by name, repository, agent or words", oninput: rest(() => { want.text = search.value.trim().toLowerCase(); showing = step; paint(); say(plural(visible, "run")); }, 80) });
  const choose = h("div.segments", { role: "group", "aria-label": "Which runs" }, [["all", "All"], ...groups].map(([id, label]) =>
    h("button.button", { type: "button", "data-group": id, onclick: () => { want.group = id; keep.set("group", id); paint(); } }, label)));
  const order = h("select", { "aria-label": "Order", onchange: () => { want.sort = order.value; keep.set("sort", order.value); paint(); } },
    Object.entries(sorts).map(([id, [label]]) => h("option", { value: id }, label)));
  order.value = sorts[want.sort] ? want.sort : "latest";
  const begin = button("Start a run", { kind: "main", onclick: () => start() });
  begin.hidden = first.starts === false; // those of a fleet are handed in elsewhere
  const heading = h("h1", {}, "Runs");
  const empty = h("div.card.empty", { hidden: true });
  const unreadable = h("div", { hidden: true });
  const sections = groups.map(([id, label, about]) => {
    const list = h("ul.card.runs", {});
    const number = h("span");
    const more = button("", { onclick: () => { showing += 4 * step; paint(); fetchOlder(); } });
    const section = h("section.group", { "aria-labelledby": "group-" + id }, h("h2", { id: "group-" + id }, label, number), list, h("div.buttons", {}, more));
    return { id, about, list, number, more, section };
  });
  const tools = h("div.tools", {}, h("div.search", {}, search), choose, order);
  main.replaceChildren(h("div.headline", {}, heading, begin), strip, tools, empty, ...sections.map((s) => s.section), unreadable);

  let visible = 0;
  const paint = frame(() => {
    for (const b of choose.children) attr(b, "aria-pressed", b.dataset.group === want.group);
    const all = [...runs.values(), ...[...older.values()].filter((r) => !runs.has(r.id))];
    const rest_ = Math.max(0, (data.more ?? 0) - (all.length - runs.size)); // what is not even here
    visible = 0;
    for (const s of sections) {
      const mine = all.filter((r) => r.group === s.id && (want.group === "all" || want.group === s.id) && matches(r, want.text));
      const by = sorts[order.value][1];
      mine.sort(s.id === "needs" ? (a, b) => urgency(a) - urgency(b) || by(a, b) : by);
      const some = s.id === "finished" ? mine.slice(0, showing) : mine;
      visible += mine.length;
      s.section.hidden = !mine.length;
      put(s.number, mine.length + (s.about && mine.length ? " · " + s.about : ""));
      const hidden = mine.length - some.length + (s.id === "finished" ? rest_ : 0);
      s.more.parentNode.hidden = !hidden;
      put(s.more, want.text && rest_ && mine.length <= some.length ? `Look through ${plural(rest_, "older run")}` : `Show more: ${plural(hidden, "run")}`);
      if (hidden && s.id === "finished" && (want.group === "all" || want.group === s.id)) s.section.hidden = false;
      arrange(s.list, some.map((r) => element(r)));
    }
    for (const [id] of shown) if (!runs.has(id) && !older.has(id)) shown.delete(id);
    empty.hidden = visible > 0;
    tools.hidden = !runs.size; // nothing to search
    begin.setWhy(runs.size || data.here ? "" : "the first run of a project is started in its terminal");
    if (!visible) emptiness();
    paintStrip();
    paintRest();
  });

  // fetchOlder gets finished runs that the server has left out, as far as they are shown.
  async function fetchOlder() {
    const have = [...runs.values(), ...older.values()].filter((r) => r.group === "finished").length;
    if (!data.more || (have > showing && !want.text)) return;
    try {
      const got = await get("/api/overview", { finished: want.text ? 1e6 : showing + 4 * step });
      for (const r of got.runs ?? []) if (r.group === "finished") older.set(r.id, stamp(r));
      paint();
    } catch { /* the stream says when the server is back */ }
  }

  function element(row) {
    let e = shown.get(row.id);
    if (!e) shown.set(row.id, e = rowElement());
    e.show(row);
    return e;
  }

  function emptiness() {
    if (runs.size) {
      empty.replaceChildren(h("p", {}, "No run matches."), h("p", {}, button("Show all", { onclick: () => { want.group = "all"; want.text = search.value = ""; keep.set("group", "all"); paint(); } })));
    } else {
      empty.replaceChildren(h("h2", {}, "No runs yet"),
        h("p", {}, data.here ? "Start one here, or in the terminal of a project. It appears by itself." : "Start the first one in the terminal of a project. It appears by itself."),
        h("pre.well", {}, "cd my-project\nrefrain run 'Fix the failing tests'"));
    }
  }

  const figures = { live: h("dd"), needs: h("dd"), spend: h("dd"), limits: h("dd.words") };
  strip.append(h("div", {}, h("dt", {}, "Live runs"), figures.live), h("div", {}, h("dt", {}, "Need you"), figures.needs), h("div", {}, h("dt", {}, "Spent today"), figures.spend),
    h("div.wide", {}, h("dt", {}, "Provider limits"), figures.limits));
  function paintStrip() {
    const m = data.machine ?? {};
    put(figures.live, String(m.live ?? 0));
    put(figures.needs, String(m.needs ?? 0));
    attr(figures.needs, "class", m.needs ? "held" : "");
    put(figures.spend, money(m.spend_today_usd ?? 0, m.spend_estimated));
    const held = (m.limits ?? []).filter((l) => Date.parse(l.until) > now());
    while (figures.limits.children.length > held.length) figures.limits.lastChild.remove();
    if (!held.length) { put(figures.limits, "none holds a run up"); return; }
    if (!figures.limits.firstElementChild) figures.limits.replaceChildren();
    held.forEach((l, i) => {
      const one = figures.limits.children[i] ?? figures.limits.appendChild(h("span.limit", {}, h("strong"), h("span"), h("span.dim")));
      put(one.children[0], l.agent);
      put(one.children[1], (l.kind || "limit").replaceAll("_", " "));
      put(one.children[2], `until ${day(l.until)}, in ${left(Date.parse(l.until) - now())}`);
    });
  }
  function paintRest() {
    const m = data.machine ?? {};
    document.title = (m.needs ? `(${m.needs}) ` : "") + "Refrain";
    unreadable.hidden = !data.unreadable?.length;
    if (data.unreadable?.length) unreadable.replaceChildren(h("div.banner", {}, h("ul", {}, data.unreadable.map((u) => h("li", {}, h("div", {}, h("bdi", {}, `${u.run} cannot be read: ${u.why}`)))))));
  }

  function take(all) {
    data = all;
    setNow(all.now);
    runs.clear();
    for (const r of all.runs ?? []) runs.set(r.id, stamp(r));
    paint();
  }

  let needs = first.machine?.needs ?? 0;
  take(first);
  stream("/api/stream", {}, {
    snapshot: take,
    runs: ({ now: at, changed: rows, gone }) => {
      setNow(at);
      for (const r of rows ?? []) { runs.set(r.id, stamp(r)); older.delete(r.id); document.dispatchEvent(new CustomEvent("row", { detail: r })); }
      for (const id of gone ?? []) runs.delete(id);
      paint();
    },
    machine: (m) => {
      data.machine = m;
      if ((m.needs ?? 0) > needs) say(`${plural(m.needs, "run")} ${m.needs === 1 ? "needs" : "need"} you`);
      needs = m.needs ?? 0;
      paint();
    },
  }, status);
  setInterval(() => { if (!document.hidden) { for (const e of shown.values()) e.tick(); paintStrip(); } }, 1000);

  keys("/", "search", () => search.focus());
  if (!begin.hidden) keys("n", "start a run", () => start());
  const move = (by) => {
    const links = [...main.querySelectorAll(".row h3 a")];
    const at = links.indexOf(document.activeElement);
    links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
  };
  keys("j", "next run", () => move(1));
  keys("k", "run before", () => move(-1));
}

// stamp notes when a row was true, for what counts on.
function stamp(row) { return { ...row, seen: now() }; }

// urgency is the order of those that need somebody: a question, what waits, what ended badly.
function urgency(row) { return row.asked ? 0 : alive(row) ? 1 : 2; }

function matches(row, text) {
  return !text || [row.run, row.repository, row.tree, row.agent, row.procedure, row.title, row.why, row.people, row.branch].some((w) => w?.toLowerCase().includes(text));
}

// arrange makes the children of a list these, and moves only what is not in its place:
// the focus and a started click stay.
function arrange(list, wanted) {
  const keepers = new Set(wanted);
  for (const li of [...list.children]) if (!keepers.has(li)) li.remove();
  wanted.forEach((li, i) => { if (list.children[i] !== li) list.insertBefore(li, list.children[i] ?? null); });
}

// rowElement is one run in a list.
function rowElement() {
  const mark = h("span.mark", { "aria-hidden": "true" });
  const name = h("a"), chip = h("span.chip"), meta = h("p.meta.small"), why = h("p.why.small"), doubt = h("p.doubt.small", { hidden: true }), buttons = h("div.buttons", { hidden: true }), brief = h("p.brief");
  const number = h("span"), percent = h("span.dim"), fill = h("i"), bar = h("div.progress", { "aria-hidden": "true" }, fill);
  const cells = { tests: h("div.cell.tests"), lines: h("div.cell.lines"), cost: h("div.cell.cost"), took: h("div.cell.took") };
  const li = h("li", {}, h("article.row", {}, mark,
    h("div.what", {}, h("h3", {}, name, chip), meta, why, doubt, brief, buttons),
    h("div.far", {}, h("p", {}, number, percent), bar), cells.tests, cells.lines, cells.cost, cells.took));
  let row;
  const pair = (cell, text, label) => {
    if (cell.dataset.is === text + label) return;
    cell.dataset.is = text + label;
    cell.replaceChildren(text, h("span", {}, label));
  };
  li.tick = () => {
    const elapsed = alive(row) ? (row.elapsed_ms ?? 0) + now() - row.seen : row.elapsed_ms;
    pair(cells.took, took(elapsed), row.started_at ? day(row.started_at) : "");
    const waits = row.wait_until && Date.parse(row.wait_until) > now();
    put(why, (row.why || row.people || "") + (waits ? ` · goes on in ${left(Date.parse(row.wait_until) - now())}` : ""));
    put(brief, [!alive(row) && iterations(row), took(elapsed), money(row.cost_usd, row.cost_estimated), tests(row) && tests(row) + " tests", changed(row.lines_added, row.lines_removed)].filter(Boolean).join(" · "));
  };
  li.show = (r) => {
    row = r;
    const k = kind(r), live = alive(r);
    attr(li.firstChild, "class", "row" + (live ? " live" : ""));
    attr(mark, "class", `mark ${k}${r.state === "running" ? " alive" : ""}`);
    put(mark, sign(r));
    put(name, titleOf(r));
    attr(name, "href", "/runs/" + encodeURIComponent(r.id));
    // In a list of links, names alone say little.
    attr(name, "aria-label", [titleOf(r), titleOf(r) !== r.run && r.run, r.repository].filter(Boolean).join(", "));
    attr(chip, "class", "chip " + k);
    put(chip, standing(r));
    put(meta, [r.repository, r.run, r.branch, r.procedure !== "run" && r.procedure, [r.agent, r.model].filter(Boolean).join(" ")].filter(Boolean).join(" · "));
    attr(meta, "title", r.tree);
    put(doubt, doubtOf(r));
    doubt.hidden = !doubtOf(r);
    attr(why, "class", "why small " + (r.group === "needs" ? k : "dim"));
    put(number, iterations(r));
    put(percent, r.percent === undefined || !live ? "" : r.percent + " %");
    const endless = r.percent === undefined && live;
    attr(bar, "class", `progress ${k === "main" ? "" : k}${endless ? " endless" : ""}${r.state === "running" ? " alive" : ""}`);
    bar.hidden = !live; // of what is over, only how it ended counts
    fill.style.width = endless ? "" : (r.percent ?? 0) + "%";
    pair(cells.tests, tests(r), r.tests ? (r.tests.failed ? "tests pass" : "tests") : "");
    pair(cells.lines, changed(r.lines_added, r.lines_removed), r.files ? plural(r.files, "file") : "");
    pair(cells.cost, money(r.cost_usd, r.cost_estimated), r.tokens ? short(r.tokens) + " tokens" : "");
    const offers = r.asked ? "answer" : r.state === "paused" ? "resume" : "";
    buttons.hidden = !offers;
    if (buttons.dataset.is !== offers) {
      buttons.dataset.is = offers;
      buttons.replaceChildren(...(offers ? [button(offers === "answer" ? "Answer" : "Resume", { kind: "main", onclick: async () => act(offers, await get("/api/runs/" + encodeURIComponent(row.id))) })] : []));
    }
    li.tick();
  };
  return li;
}

// iterations says how far a run is, or how far it came.
function iterations(r) {
  if (alive(r)) return (r.iteration ? "iteration " : "") + iterationOf(r);
  return r.iteration ? iterationOf(r) + (r.iteration === 1 && !r.max_iterations ? " iteration" : " iterations") : "";
}

function tests(r) {
  if (!r.tests?.total) return "";
  return `${r.tests.passed} of ${r.tests.total}`;
}
