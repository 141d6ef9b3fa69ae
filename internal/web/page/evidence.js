// What stands behind a claim: gates with their output and history, claims with why
// each was refused, checkpoints with the way back, the prompt of each attempt.
import { get } from "./api.js";
import { button, copyButton, h, keep, safe } from "./dom.js";
import { changed, count, day, plural, took } from "./words.js";

// loader is what the four have in common: what they show belongs to a scope, is
// fetched when they are looked at, and again when an attempt has ended.
function loader(panel, world, fetch_, paint) {
  const box = h("div");
  panel.append(box);
  let turn = 0, shown;
  const key = () => JSON.stringify(world.scope);
  async function load() {
    const mine = ++turn;
    if (shown !== key()) { shown = key(); box.replaceChildren(h("p.empty", {}, "loading")); }
    try {
      const data = await fetch_();
      if (mine === turn) paint(box, data);
    } catch (e) { if (mine === turn) box.replaceChildren(h("p.empty", {}, e.message)); }
  }
  // A run that has ended holds its work tree for a moment longer.
  const stands = () => JSON.stringify([world.data.row.state, world.data.actions?.rollback]);
  let last = world.last(), stood = stands();
  return {
    load, attempt: load,
    show() { load(); },
    // What can be done, such as a rollback, is another thing when the run has ended.
    update() { if (stands() !== stood) { stood = stands(); load(); } },
    // The timeline may come later than a look at this part.
    grown() { if (world.last() !== last) { last = world.last(); if (!world.scope) load(); } },
  };
}

const where = (world) => world.scope ?? (world.last() ? { iteration: world.last() } : null);
const link = (world, x, tab) => button(`iteration ${count(x.iteration)}${x.attempt > 1 ? "." + x.attempt : ""}`, { kind: "inline", onclick: () => world.setScope({ iteration: x.iteration, attempt: x.attempt }, tab) });

// A gate also runs on other trees than the one that is judged, to see what a claim is
// worth. How it ended there is evidence, and says nothing of how the work stands.
const on = { "as-it-was": "with the tests as they were", "on-first": "new tests on the first checkpoint", before: "on the first checkpoint" };

export function gates(panel, world) {
  return loader(panel, world, async () => {
    const at = where(world);
    const [all, out] = await Promise.all([get(world.at("/gates")), at ? get(world.at(`/iterations/${at.iteration}/gates`), { attempt: at.attempt }).catch(() => ({})) : {}]);
    return { gates: all.gates ?? [], outputs: out.outputs ?? [], looks: out.looks ?? [], at };
  }, (box, { gates: list, outputs, looks, at }) => {
    if (!list.length) { box.replaceChildren(h("div.empty", {}, h("p", {}, "This run has no gates, or none has run yet."), h("p.small", {}, "A gate is a command that must pass before a claim is believed: see [[gate]] in refrain.toml."))); return; }
    const open = new Set([...box.querySelectorAll("details[open]")].map((d) => d.dataset.name));
    for (const g of list) { g.own = (g.history ?? []).filter((x) => !x.with); g.last = g.own[0] ?? g.last; }
    box.replaceChildren(scroll("Gates", h("table.list", {}, h("thead", {}, h("tr", {}, ["Gate", "Last", "Where", "Tests", "Took", "History"].map((t, i) => h("th", { scope: "col", class: i === 3 || i === 4 ? "n" : "" }, t)))),
      h("tbody", {}, list.map((g) => h("tr", {}, h("th", { scope: "row" }, h("strong", {}, g.name)), h("td", {}, h("span.chip", { class: chip(g.last) }, says(g.last))), h("td", {}, g.last?.iteration ? [link(world, g.last, "gates"), " · "] : g.last ? "baseline · " : "", { clean: "clean checkout", workspace: "work tree", tree: "work tree" }[g.last?.where] ?? g.last?.where ?? ""),
        h("td.n", { "data-unit": g.last?.tests === 1 ? "test" : "tests" }, g.last?.tests ? count(g.last.tests) : ""), h("td.n", {}, took(g.last?.duration_ms)),
        h("td", {}, h("span.history", { role: "img", "aria-label": `of the last ${g.own.length}, ${g.own.filter((x) => x.ok).length} passed` }, g.own.slice(0, 48).toReversed().map((x) => h("i", { class: x.ok ? "ok" : x.known ? "known" : "bad", title: `iteration ${x.iteration}: ${x.text ?? (x.ok ? "passed" : "failed")}` }))))))))),
    h("div.pad.stack", {}, h("h3", {}, at ? `Output in iteration ${count(at.iteration)}` : "Output"), outputs.length ? outputs.map((o) => h("details.tool", { "data-name": o.name + o.clean, open: outputs.length === 1 || open.has(o.name + o.clean) }, h("summary", {}, h("span.name", {}, o.name), h("span.input.cut", {}, (o.clean ? "in a clean checkout" : "in the work tree") + (o.cut ? ", its end" : ""))), h("pre", {}, o.html ? safe(o.html) : "It printed nothing."))) : h("p.dim.small", {}, !at ? "No iteration has ended yet." : list.some((g) => g.history?.some((x) => x.iteration === at.iteration)) ? "The gates printed nothing, or it is gone." : "No gate ran in this iteration.")),
    looks.length ? h("div.pad.stack", {}, h("h3", {}, `Tests in iteration ${count(at.iteration)}`), looks.map((l, i) => tests(l, `tests ${i} ${l.gate}`, open))) : "",
    h("div.stack.past", {}, h("h3", {}, "History"), scroll("How gates went", h("table.list", {}, h("tbody", {}, list.flatMap((g) => (g.history ?? []).map((x) => ({ ...x, name: g.name }))).sort((a, b) => b.seq - a.seq).slice(0, 60).map((x) => h("tr", {}, h("td", {}, day(x.time)), h("td", {}, x.iteration ? link(world, x, "gates") : "baseline"), h("td", {}, x.name), h("td", {}, h("span.chip", { class: chip(x) }, says(x))), h("td", {}, on[x.with] ?? x.with ?? { clean: "clean checkout", workspace: "work tree" }[x.where] ?? ""), h("td", {}, h("bdi", {}, x.why || x.text || "")))))))));
  });
}

// tests is what a gate saw of tests when it looked once: those that fail, then the slowest.
const ended = { passed: "ok", failed: "bad", error: "bad", skipped: "" };
function tests(l, name, open) {
  const place = on[l.with] ?? (l.with || (l.where === "clean" ? "in a clean checkout" : "in the work tree"));
  const more = l.total - l.tests.length;
  return h("details.tool", { "data-name": name, open: open.has(name) },
    h("summary", {}, h("span.name", {}, l.gate), h("span.input.cut", {}, place), h("span.chip", { class: l.failed ? "bad" : "ok" }, l.failed ? `${count(l.failed)} failed` : `${count(l.passed)} passed`), l.skipped ? h("span.chip", {}, `${count(l.skipped)} skipped`) : ""),
    scroll(`Tests of ${l.gate}`, h("table.list", {}, h("thead", {}, h("tr", {}, ["Ended", "Took", "Test"].map((t, i) => h("th", { scope: "col", class: i === 1 ? "n" : "" }, t)))),
      h("tbody", {}, l.tests.map((t) => h("tr", {}, h("td", {}, h("span.chip", { class: ended[t.status] }, t.status)), h("td.n", {}, took(t.duration_ms)), h("td", {}, h("bdi", {}, t.name), t.message ? h("pre", {}, t.message) : "")))))),
    more > 0 ? h("p.dim.small.pad", {}, `${plural(more, "more test")} not listed here`) : "");
}
const chip = (g) => (!g ? "" : g.ok ? "ok" : g.known ? "held" : "bad");
const says = (g) => (!g ? "not yet" : g.ok ? "✓ passed" : g.known ? "✕ red before the run" : "✕ failed");

// scroll is room for a table that may be wider than the screen; keys move it, too.
function scroll(label, table) { return h("div.scroll", { role: "region", "aria-label": label, tabindex: "0" }, table); }

export function claims(panel, world) {
  return loader(panel, world, () => get(world.at("/claims")), (box, { claims: list }) => {
    list = (list ?? []).filter((c) => !world.scope || c.iteration === world.scope.iteration);
    if (!list.length) { box.replaceChildren(h("p.empty", {}, world.scope ? "No claim was made in this iteration." : "No claim has been made yet.")); return; }
    box.replaceChildren(h("ul.claims", {}, list.slice(0, 300).map((c) => h("li", {}, h("span.mark", { class: c.taken ? "ok" : c.near_miss ? "held" : "bad", role: "img", "aria-label": c.taken ? "taken" : "refused" }, c.taken ? "✓" : c.near_miss ? "~" : "✕"),
      h("div", {}, h("p", {}, h("strong", {}, c.taken ? "Taken" + (c.level ? `: ${c.level.replaceAll("_", " ")}` : "") : c.near_miss ? "Looked like a claim" : "Refused"), c.text ? [" ", h("q.dim", {}, h("bdi", {}, c.text))] : ""), c.why ? h("p", {}, h("bdi", {}, c.why)) : "", c.lacks ? h("p.dim.small", {}, h("bdi", {}, "It lacks: " + c.lacks.replaceAll("_", " "))) : ""),
      h("p.small.dim", {}, link(world, c, "gates"), " · " + day(c.time))))),
    list.length > 300 ? h("p.empty", {}, `and ${count(list.length - 300)} more`) : "");
  });
}

export function checkpoints(panel, world) {
  let most = 100;
  const self = loader(panel, world, () => get(world.at("/checkpoints")), (box, { checkpoints: list, rollback }) => {
    list = (list ?? []).toReversed().filter((c) => !world.scope || c.iteration === world.scope.iteration || c.iteration === 0);
    if (!list.length) { box.replaceChildren(h("p.empty", {}, "There is no checkpoint yet.")); return; }
    box.replaceChildren(rollback?.ok === false ? h("p.pad.dim.small", {}, "Rolling back cannot be done now: " + rollback.why) : "",
      scroll("Checkpoints", h("table.list", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "After"), h("th", { scope: "col" }, "Made"), h("th", { scope: "col", class: "n" }, "Files"), h("th", { scope: "col", class: "n" }, "Lines"), h("th", { scope: "col" }, "Checkpoint"), h("th", { scope: "col" }, h("span.sr", {}, "Roll back")))),
        h("tbody", {}, list.slice(0, most).map((c) => h("tr", {}, h("th", { scope: "row" }, c.iteration ? link(world, c, "changes") : c.text || "before the first iteration"), h("td", {}, c.time ? day(c.time) : ""), h("td.n", { "data-unit": c.files === 1 ? "file" : "files" }, c.files ? count(c.files) : ""), h("td.n", {}, changed(c.lines_added, c.lines_removed)), h("td", {}, h("code", {}, (c.id ?? "").slice(0, 10))),
          h("td.n", {}, button("Roll back to here", { kind: "bad", why: rollback?.ok === false ? rollback.why : "", "aria-label": `Roll back to here: ${c.iteration ? "iteration " + c.iteration : "before the first iteration"}`, onclick: () => world.act("rollback", { iteration: c.iteration }) }))))))),
      list.length > most ? h("p.empty", {}, button(`Show more: ${plural(list.length - most, "checkpoint")}`, { onclick: () => { most += 400; self.load(); } })) : "");
  });
  return self;
}

export function prompt(panel, world) {
  const at = () => world.scope ?? (world.data.row.iteration ? { iteration: world.data.row.iteration } : where(world));
  const self = loader(panel, world, () => { const w = at(); return w ? get(world.at(`/iterations/${w.iteration}/prompt`), { attempt: w.attempt }) : null; }, (box, data) => {
    if (!data) { box.replaceChildren(h("p.empty", {}, "No iteration has begun yet.")); return; }
    const raw = keep.get("prompt", "set") === "raw";
    const how = [["set", "Set out"], ["raw", "As it is"]].map(([k, label]) => h("button.button", { type: "button", "aria-pressed": (k === "raw") === raw, onclick: () => { keep.set("prompt", k); self.load(); } }, label));
    box.replaceChildren(h("div.headline.pad", {}, h("h3", {}, `What the agent of iteration ${at().iteration} was told`), h("div.buttons", {}, h("div.segments", { role: "group", "aria-label": "How the prompt is shown" }, how), copyButton(() => data.text ?? ""))),
      h("div.pad", {}, raw || !data.html ? h("pre.wrap", {}, data.text ?? "") : h("div.said", {}, safe(data.html)), data.cut ? h("p.dim.small", {}, `cut here, of ${count(data.bytes)} bytes`) : ""));
  });
  return self;
}
