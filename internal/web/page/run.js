// One run: its head, the timeline, and the parts below, which look at the whole run
// or at one iteration. The address says which: #changes/12.2 is attempt 2 of 12.
import { get, now, setNow, stream } from "./api.js";
import { act, labels } from "./acts.js";
import { attr, button, frame, h, keep, pace, put, say } from "./dom.js";
import { keys } from "./keys.js";
import { night } from "./night.js";
import { talk } from "./talk.js";
import { table } from "./table.js";
import { charts } from "./charts.js";
import { changes } from "./diff.js";
import { checkpoints, claims, gates, prompt } from "./evidence.js";
import { events } from "./events.js";
import { plan } from "./plan.js";
import { output } from "./output.js";
import { alive, changed, count, day, doubtOf, iterationOf, kind, left, money, plain, plural, result, short, standing, titleOf, took } from "./words.js";

// parts are the tabs, each with its key.
const parts = [
  ["transcript", "Transcript", talk, "1"], ["plan", "Plan", plan, "t"], ["iterations", "Iterations", table, "2"], ["charts", "Charts", charts, "3"], ["changes", "Changes", changes, "4"],
  ["gates", "Gates", gates, "5"], ["claims", "Claims", claims, "6"], ["checkpoints", "Checkpoints", checkpoints, "7"], ["prompt", "Prompt", prompt, "8"], ["output", "Output", output, "9"], ["events", "Events", events, "0"],
];

export function run(main, first, status) {
  const id = first.row.id;
  const at = (path = "") => "/api/runs/" + encodeURIComponent(id) + path;

  // world is what the parts of the page share.
  const world = {
    at, data: first, seen: 0,
    columns: { seq: [], iteration: [], attempt: [], start: [], end: [], result: [] }, marks: [], redline: 0,
    scope: null, // { iteration, attempt }
    setScope(scope, tab) { go(tab ?? current, scope); },
    act: (name, more) => act(name, world.data, more),
    last: () => world.columns.iteration.at(-1) ?? 0,
  };

  const head = headOf(world);
  const warnings = bannerOf(world);
  const timeline = night(world);
  const tabs = h("div.tabs", { role: "tablist", "aria-label": "Parts of the run" });
  const scope = scopeOf(world);
  const panels = {};
  const card = h("section.card.details", { "aria-label": "Details" }, scope.element, tabs);
  for (const [name, label, make] of parts) {
    const tab = h("button", { role: "tab", type: "button", id: "tab-" + name, "aria-controls": "panel-" + name, onclick: () => go(name, world.scope) }, label);
    const panel = h("div.panel", { role: "tabpanel", id: "panel-" + name, "aria-labelledby": "tab-" + name, hidden: true });
    panels[name] = { name, tab, panel, make };
    tabs.append(tab);
    card.append(panel);
  }
  tabs.addEventListener("keydown", (event) => {
    const list = [...tabs.children].filter((t) => !t.hidden), i = list.indexOf(document.activeElement);
    const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: list.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = list[(to + list.length) % list.length];
    next.focus();
    next.click();
  });
  main.replaceChildren(head.element, warnings.element, timeline.element, card);
  document.querySelector(".crumbs").replaceChildren(h("a.cut", { href: "/" }, "Runs"), h("span.cut", { title: first.row.tree }, first.row.repository), h("span.cut", { "aria-current": "page" }, first.row.run));

  // Where one is: the part and the iteration.
  let current;
  function read() {
    const [name, where] = location.hash.slice(1).split("/");
    const [iteration, attempt] = (where ?? "").split(".").map(Number);
    show(panels[name] ? name : "transcript", iteration ? { iteration, attempt: attempt || undefined } : null);
  }
  function go(name, scope) {
    const to = "#" + name + (scope ? `/${scope.iteration}${scope.attempt > 1 ? "." + scope.attempt : ""}` : "");
    if (location.hash === to) show(name, scope);
    else if (location.hash.split("/")[0] === to.split("/")[0] && location.hash) { history.replaceState(null, "", to); show(name, scope); } else location.hash = to;
  }
  function show(name, to) {
    current = name;
    world.scope = to;
    for (const p of Object.values(panels)) {
      const on = p.name === name;
      attr(p.tab, "aria-selected", on);
      attr(p.tab, "tabindex", on ? "0" : "-1");
      p.panel.hidden = !on;
      if (on) {
        p.part ??= p.make(p.panel, world);
        p.part.show();
        if (tabs.scrollWidth > tabs.clientWidth) tabs.scrollTo({ left: p.tab.offsetLeft - tabs.offsetLeft - tabs.clientWidth / 2 + p.tab.offsetWidth / 2 });
      } else p.part?.hide?.();
    }
    scope.paint();
    timeline.paint();
  }
  addEventListener("hashchange", read);

  const paint = frame(() => {
    head.paint();
    scope.paint();
    panels.plan.tab.hidden = !world.data.row.plan?.total && current !== "plan"; // most runs have none
    document.title = `${world.data.row.asked ? "(?) " : ""}${world.data.row.run}: ${world.data.row.people} · Refrain`;
    panels[current]?.part?.update?.();
  });

  // The past of all attempts, once, and then what is newer.
  let fetching = false, wanted = false;
  async function more() {
    if (fetching) { wanted = true; return; }
    fetching = true;
    try {
      const since = world.seen || undefined;
      const t = await get(at("/timeline"), { after: since });
      if (!since) { world.columns = t.columns ?? world.columns; world.marks = t.marks ?? []; } else append(t);
      world.seen = Math.max(world.seen, t.seq ?? 0);
      world.redline = t.redline ?? world.redline;
      timeline.paint();
      paint();
      panels[current]?.part?.grown?.();
    } catch { /* the stream says when the server is back */ }
    fetching = false;
    if (wanted) { wanted = false; more(); }
  }
  function append(t) {
    const have = world.columns.seq.at(-1) ?? 0;
    (t.columns?.seq ?? []).forEach((seq, i) => {
      if (seq <= have) return;
      for (const [name, list] of Object.entries(t.columns)) (world.columns[name] ??= []).push(list[i]);
    });
    const mark = world.marks.at(-1)?.seq ?? 0;
    for (const m of t.marks ?? []) if (m.seq > mark) world.marks.push(m);
  }
  const grow = pace(more, 400);

  let boot = first.boot, before = first.row.state;
  function take(data) {
    setNow(data.now);
    data.row.seen = now();
    if (boot && data.boot !== boot) more(); // another server: what it knows may be more
    boot = data.boot;
    world.data = data;
    document.dispatchEvent(new CustomEvent("row", { detail: data.row }));
    if (data.row.state !== before) {
      before = data.row.state;
      say(`${data.row.run}: ${data.row.people}. ${data.sentence ?? ""}`);
      grow();
    }
    paint();
  }

  read();
  take(first);
  more();
  panels.transcript.part ??= talk(panels.transcript.panel, world);
  panels.transcript.part.begin().then((after) => {
    stream(at("/stream"), { after }, {
      state: take,
      entries: ({ entries }) => {
        panels.transcript.part.add(entries);
        if (entries.some((e) => e.kind === "fact")) grow(); // it may have a mark on the timeline
        if (entries.some((e) => e.fact === "warning" || e.fact === "failure")) warnings.load();
      },
      attempt: () => { grow(); panels[current]?.part?.attempt?.(); },
      resync: () => { panels.transcript.part.gap(); grow(); warnings.load(); },
      over: () => { grow(); warnings.load(); },
    }, status);
  });
  warnings.load();
  setInterval(() => { if (!document.hidden) { head.tick(); } }, 1000);

  // Keys.
  for (const [name, label, , key] of parts) {
    keys(key, label.toLowerCase(), () => {
      if (panels[name].tab.hidden) return say("this run has no plan");
      go(name, world.scope);
      panels[name].tab.focus();
    });
  }
  keys("[", "iteration before", () => step(-1));
  keys("]", "iteration after", () => step(1));
  keys("w", "the whole run", () => world.setScope(null));
  keys("G", "follow the end of the transcript", () => { world.setScope(null, "transcript"); panels.transcript.part.end(); });
  keys("p", "pause, or go on", () => head.press(world.data.actions?.pause?.ok ? "pause" : "resume"));
  keys("a", "answer", () => head.press("answer"));
  keys("n", "note for the next agent", () => head.press("note"));
  keys("S", "stop after this iteration", () => head.press("stop"));
  keys("o", "all runs", () => location.assign("/"));
  function step(by) {
    const { iteration, attempt } = world.columns;
    if (!iteration.length) return;
    let i = world.scope ? iteration.findLastIndex((n, j) => n === world.scope.iteration && (!world.scope.attempt || attempt[j] === world.scope.attempt)) : iteration.length;
    i = Math.max(0, Math.min(iteration.length - 1, i + by));
    world.setScope({ iteration: iteration[i], attempt: attempt[i] });
  }
  scope.step = step;
}

// headOf is the top: how it stands, why, what comes next, the figures, the buttons.
function headOf(world) {
  const chip = h("span.chip"), name = h("h1"), meta = h("p.meta"), sentence = h("bdi"), next = h("p.next");
  const bar = h("div.buttons"), facts = h("dl.facts");
  const element = h("section.card.head", { "aria-label": "The run" },
    h("div.top", {}, h("div.what", {}, name, meta), bar), h("div.stands", {}, h("p.sentence", {}, chip, sentence), next), facts);
  const figures = {};
  const figure = (key, label) => {
    const value = h("dd"), note = h("dd.note");
    facts.append(h("div", {}, h("dt", {}, label), value, note));
    return (figures[key] = { value, note, set: (v, n) => { put(value, v || "–"); put(note, n); } });
  };
  // How far it is stands in the place of the note: a bar, and its percent.
  const fill = h("i"), progress = h("div.progress", { "aria-hidden": "true" }, fill), percent = h("span");
  figure("iteration", "Iteration").note.append(h("span.bar-in", {}, progress, percent));
  figure("elapsed", "Elapsed"); figure("cost", "Cost"); figure("tests", "Tests"); figure("plan", "Plan"); figure("changes", "Changed"); figure("claims", "Claims refused");

  // The buttons stay where they are; what changes is whether they can be used.
  const can = (name) => world.data.actions?.[{ answer: "approve" }[name] ?? name] ?? { ok: false, why: "the server has not said whether it can be used" };
  const press = (name) => { const c = can(name); if (c.ok) pick(name); else say(c.why); };
  const pick = (name) => (name === "rollback" ? world.setScope(world.scope, "checkpoints") : world.act(name));
  const made = {};
  for (const name of ["answer", "pause", "resume", "restart", "note", "stop"]) {
    made[name] = button(labels[name][0], { kind: name === "stop" ? "bad" : "", about: labels[name][1], onclick: () => pick(name) });
    bar.append(made[name]);
  }
  const menu = menuOf(["raise", "skip", "reboot", "stop_now", "rollback"], can, pick);
  bar.append(menu.element);

  function tick() {
    const { row, next: comes, next_at: when } = world.data;
    const elapsed = alive(row) ? (row.elapsed_ms ?? 0) + now() - (row.seen ?? now()) : row.elapsed_ms;
    const limit = world.data.limits?.time_ms;
    figures.elapsed.set(took(elapsed), limit ? `of ${took(limit)}` : row.ended_at ? "ended " + day(row.ended_at) : row.started_at ? "since " + day(row.started_at) : "");
    const until = when && Date.parse(when) - now();
    const text = comes ? "Next: " + comes : "";
    next.replaceChildren(text, ...(until > 0 ? [text ? " · in " : "In ", h("b", {}, left(until))] : []));
  }

  return {
    element, press, tick,
    paint() {
      const { row, sentence: why, actions, status } = world.data;
      const k = kind(row), live = alive(row) || row.rests;
      attr(element, "class", "card head " + k);
      put(name, titleOf(row));
      next.hidden = !live && !world.data.next;
      attr(chip, "class", "chip " + k);
      put(chip, standing(row));
      put(sentence, why || row.why || "");
      put(figures.iteration.value, iterationOf(row));
      const endless = row.percent === undefined && live;
      attr(progress, "class", `progress ${k === "main" ? "" : k}${endless ? " endless" : ""}${row.state === "running" ? " alive" : ""}`);
      fill.style.width = endless ? "" : (row.percent ?? 0) + "%";
      progress.parentNode.hidden = !live; // of what is over, only how it ended counts
      put(percent, row.percent === undefined ? "no limit" : row.percent + " %");
      figures.cost.set(money(row.cost_usd, row.cost_estimated), [world.data.limits?.cost_usd && "of " + money(world.data.limits.cost_usd), row.tokens && short(row.tokens) + " tokens"].filter(Boolean).join(" · "));
      const t = testsOf(world);
      figures.tests.set(t ? `${count(t.passed)} of ${count(t.total)}` : "", t ? (t.iteration ? `in iteration ${count(t.iteration)}` : t.failed ? `${count(t.failed)} failed` : "all passed") : "none seen");
      figures.plan.value.parentNode.hidden = !row.plan?.total;
      if (row.plan?.total) figures.plan.set(`${row.plan.done} of ${row.plan.total}`, plain(status?.plan?.task) || "tasks");
      figures.changes.set(row.files ? plural(row.files, "file") : "", changed(row.lines_added, row.lines_removed));
      figures.claims.set(row.refused ? count(row.refused) : "0", row.level ? "the last was taken" : "");
      const about = [["run", row.title && row.run], ["fleet", row.fleet], ["tree", row.tree], ["branch", row.branch], ["procedure", row.procedure !== "run" && row.procedure], ["agent", [row.agent, row.model].filter(Boolean).join(" ")], ["until", world.data.promise], ["sandbox", row.sandbox && row.sandbox + (row.outside ? "; refused: " + row.outside : "")]].filter(([, v]) => v);
      const says = JSON.stringify(about);
      if (meta.dataset.is !== says) {
        meta.dataset.is = says;
        meta.replaceChildren(...about.map(([l, v]) => h("span", { title: { fleet: "Who has it in the fleet", tree: row.fleet ? "Where its work is" : "Work tree", branch: "Branch", procedure: "Procedure", agent: "Agent", until: "Promise", sandbox: "What keeps it from the rest of the machine" }[l] }, l === "until" ? "until " : l === "sandbox" ? "sandbox: " : l === "branch" ? "on " : "", h("bdi", {}, v))));
      }
      // What can be pressed.
      made.answer.hidden = !row.asked;
      attr(made.answer, "class", "button main");
      // A pause that is wished for can be taken back until it is there.
      const pausing = live && row.state !== "paused" && row.state !== "waiting" && can("resume").ok;
      made.pause.hidden = !live || row.state === "paused" || !!row.asked || pausing;
      made.resume.hidden = !live || (row.asked ? !can("resume").ok : !pausing && (row.state === "running" || row.state === "rebooting"));
      attr(made.resume, "class", "button main");
      made.restart.hidden = live;
      attr(made.restart, "class", "button main");
      made.note.hidden = made.stop.hidden = !live;
      for (const [n, b] of Object.entries(made)) b.setWhy(can(n).ok ? "" : can(n).why);
      menu.paint();
      const asks = row.asked?.question;
      if (asks && asks !== element.dataset.asks) say("It asks: " + asks);
      attr(element, "data-asks", asks);
      tick();
    },
  };
}

// testsOf is how the tests stand: as the last attempt left them, else as they were last seen.
function testsOf(world) {
  if (world.data.row.tests?.total) return world.data.row.tests;
  const c = world.columns, i = c.tests_passed?.findLastIndex((v) => v !== null && v !== undefined) ?? -1;
  if (i < 0) return null;
  const passed = c.tests_passed[i], failed = c.tests_failed[i] ?? 0;
  return { passed, failed, total: passed + failed, iteration: c.iteration[i] };
}

// menuOf is a menu whose entries say what they do, or why they cannot.
function menuOf(names, can, pick) {
  const list = h("ul", { role: "menu", hidden: true, "aria-label": "More to do" });
  const open = button("More", { "aria-haspopup": "menu", "aria-expanded": "false", onclick: () => toggle(list.hidden) }, "More ▾");
  const items = names.map((name) => {
    const says = h("small");
    const b = h("button", { role: "menuitem", type: "button", tabindex: "-1", class: name === "stop_now" || name === "rollback" ? "bad" : "", onclick: () => {
      const c = can(name);
      if (!c.ok) { say(c.why); return; }
      toggle(false);
      pick(name);
    } }, labels[name][0], says);
    list.append(h("li", { role: "none" }, b));
    return { name, b, says };
  });
  const element = h("div.menu", {}, open, list);
  function toggle(on) {
    list.hidden = !on;
    attr(open, "aria-expanded", on);
    if (on) {
      list.style.right = list.style.left = "";
      const box = list.getBoundingClientRect();
      if (box.left < 8) { list.style.right = "auto"; list.style.left = "0"; }
      items[0].b.focus();
    }
  }
  element.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const all = items.map((i) => i.b), i = all.indexOf(document.activeElement);
    if (event.key === "Escape") { toggle(false); open.focus(); } else if (event.key === "ArrowDown") all[(i + 1) % all.length].focus();
    else if (event.key === "ArrowUp") all[(i - 1 + all.length) % all.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  element.addEventListener("focusout", (event) => { if (event.relatedTarget && !element.contains(event.relatedTarget)) toggle(false); });
  addEventListener("pointerdown", (event) => { if (!list.hidden && !element.contains(event.target)) toggle(false); });
  return {
    element,
    paint() {
      for (const { name, b, says } of items) {
        const c = can(name);
        attr(b, "aria-disabled", c.ok ? null : "true");
        put(says, c.ok ? labels[name][1] : c.why);
      }
    },
  };
}

// bannerOf shows warnings until they are dismissed; what was dismissed stays so.
function bannerOf(world) {
  const list = h("ul"), element = h("div.banner", { role: "region", "aria-label": "Warnings", hidden: true }, list);
  const key = "seen." + world.data.row.id;
  let all = [], open = false;
  function paint() {
    const seen = Number(keep.get(key, "0"));
    // What an attempt died of is told on its bar. Here it counts while it is the last word.
    const { row } = world.data, last = alive(row) || row.grade === "poor" ? row.iteration : -1;
    // While the run waits, its sentence says why.
    // Of what is over, no limit is near any more.
    const fresh = all.filter((w) => w.seq > seen && (alive(row) || !w.key?.startsWith("budget.")) && (w.kind !== "error" || (w.iteration === last && row.state !== "waiting")));
    const doubt = doubtOf(row);
    element.hidden = !fresh.length && !doubt;
    attr(element, "class", "banner" + (doubt || fresh.some((w) => w.kind === "error") ? " bad" : ""));
    const some = open ? fresh.slice(0, 50) : fresh.slice(0, 2);
    list.replaceChildren(...(doubt ? [h("li", {}, h("div", {}, h("p", {}, h("strong", {}, h("bdi", {}, doubt)))))] : []), ...some.map((w, i) => h("li", {}, h("div", {}, h("p", {}, h("bdi", {}, w.text), w.iteration ? h("span.dim.small", {}, ` iteration ${w.iteration}`) : ""), w.hint && h("p.hint", {}, h("bdi", {}, w.hint))),
      i === 0 && fresh.length > some.length ? button(`${fresh.length - some.length} more`, { kind: "plain", onclick: () => { open = true; paint(); } }) : "",
      i === 0 ? button("Dismiss", { kind: "plain", onclick: () => { keep.set(key, Math.max(...all.map((w) => w.seq))); open = false; paint(); } }) : "")));
  }
  addEventListener("storage", (event) => { if (event.key === "refrain." + key) paint(); });
  return {
    element,
    load: pace(async () => {
      try { all = (await get(world.at("/warnings"))).warnings ?? []; paint(); } catch { /* later */ }
    }, 1000),
  };
}

// scopeOf says what the parts below look at.
function scopeOf(world) {
  const words = h("strong"), dot = h("span.dot"), about = h("span.dim"), attempts = h("span.buttons");
  const before = button("‹", { kind: "square", "aria-label": "Iteration before", onclick: () => self.step(-1) });
  const after = button("›", { kind: "square", "aria-label": "Iteration after", onclick: () => self.step(1) });
  const whole = button("Whole run", { onclick: () => world.setScope(null) });
  const self = {
    element: h("div.scope", { role: "group", "aria-label": "What is looked at" }, h("span.steps", {}, before, after), dot, words, about, attempts, whole),
    step() {},
    paint() {
      const { scope, columns: c } = world;
      whole.hidden = dot.hidden = !scope;
      attempts.replaceChildren();
      if (!scope) {
        put(words, "Whole run");
        put(about, c.seq.length ? `${plural(c.seq.length, "attempt")}. Choose a bar, or a row, to look at one iteration.` : "No iteration has ended yet.");
        return;
      }
      const all = c.iteration.reduce((list, n, i) => { if (n === scope.iteration) list.push(i); return list; }, []);
      const i = scope.attempt ? all.find((j) => c.attempt[j] === scope.attempt) : all.at(-1);
      put(words, `Iteration ${count(scope.iteration)}`);
      if (i === undefined) {
        attr(dot, "class", "dot main");
        put(about, world.data.row.iteration === scope.iteration && alive(world.data.row) ? "running" : "no record of it");
        return;
      }
      const r = result(c.result[i]);
      attr(dot, "class", "dot " + r.kind);
      const tests = c.tests_passed?.[i] === null || c.tests_passed?.[i] === undefined ? "" : `${c.tests_passed[i]} of ${c.tests_passed[i] + c.tests_failed[i]} tests`;
      put(about, [r.says, c.refused?.[i] && "claim refused", c.level?.[i] && "claim taken: " + c.level[i].replaceAll("_", " "), took(c.duration_ms?.[i] ?? c.end[i] - c.start[i]), tests, money(c.cost_usd?.[i] || undefined), `ended ${day(c.end[i])}`].filter(Boolean).join(" · "));
      if (all.length > 1) attempts.append(h("span.segments", { role: "group", "aria-label": "Attempt" }, all.map((j) => h("button.button", { type: "button", "aria-pressed": j === i, "aria-label": `Attempt ${c.attempt[j]}`, onclick: () => world.setScope({ iteration: scope.iteration, attempt: c.attempt[j] }) }, `attempt ${c.attempt[j]}`))));
    },
  };
  return self;
}
