// The transcript: what the agent says and does, and what happened around it. It
// follows the end until the reader scrolls up, and then says how much is new. Only
// some hundred entries are in the page at a time, however long the run was.
import { get } from "./api.js";
import { button, frame, h, pace, put, safe, say } from "./dom.js";
import { alive, clock, count, money, plural, short } from "./words.js";

const most = 600; // entries in the page
const page = 200; // entries that are fetched at once
const flood = 150; // entries that are painted at once

export function talk(panel, world) {
  const list = h("div.talk", { role: "log", tabindex: "0", "aria-label": "Transcript", "aria-live": "off" });
  const older = h("div.event", {}, "");
  const foot = h("div.typing", {});
  const fresh = button("", { kind: "main more", onclick: () => end() });
  fresh.hidden = true;
  panel.append(list, fresh);
  list.append(older, foot);

  let scope = null; // what is shown: null is the whole run
  let first = 0, last = 0, moreBefore = false, atEnd = true, torn = false, unseen = 0, loading = false, opening = false, turn = 0;
  let queue = [], tools = new Map(), place = "", lastText = null, lastTime = "";
  let usage = null;

  const near = () => list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  const entries = () => [...list.children].filter((e) => e.dataset.seq);

  function reset() {
    list.replaceChildren(older, foot);
    queue = []; tools = new Map(); place = ""; lastText = null; first = last = 0; moreBefore = false; torn = false; unseen = 0; atEnd = true; usage = null;
    paintFoot();
  }

  const source = (query) => scope
    ? get(world.at(`/iterations/${scope.iteration}/transcript`), { attempt: scope.attempt, limit: page, ...query })
    : get(world.at("/story"), { limit: page, ...query });

  async function load() {
    const mine = ++turn;
    reset();
    opening = true; // what comes meanwhile waits for its turn
    put(older, "loading");
    try {
      const t = await source({});
      if (mine !== turn) return last;
      opening = false;
      const held = queue.filter((e) => e.seq > (t.last ?? 0)); // what came while it was loading
      queue = [];
      for (const e of t.entries ?? []) append(e);
      last = Math.max(last, t.last ?? 0);
      first = t.first ?? first;
      moreBefore = !!t.more_before;
      put(older, t.dropped || (moreBefore ? "" : (t.entries?.length ? "" : scope ? "Nothing was said." : "Nothing has happened yet.")));
      queue = held;
      flush();
      list.scrollTop = list.scrollHeight;
    } catch (e) {
      if (mine === turn) { opening = false; put(older, e.message); }
    }
    return last;
  }

  // append adds one entry at the end.
  function append(e, before = foot) {
    if (e.kind === "usage") { usage = e; return; }
    if (e.fact === "opening" && !scope) { heading(e, before); return; } // the break says it
    heading(e, before);
    if (e.kind === "result") {
      const tool = e.of ? tools.get(nameOf(e, e.of)) : [...tools.values()].at(-1);
      if (tool?.isConnected && tool.take(e)) return;
    }
    const node = nodeOf(e);
    if (!node) return;
    // Lines that come one after the other read as one.
    const joined = e.kind === "text" && lastText && Date.parse(e.time) - lastText < 1500;
    lastText = e.kind === "text" ? Date.parse(e.time) : null;
    const second = clock(e.time, true);
    const time = h("time", { datetime: e.time }, joined || (second === lastTime && before === foot) ? "" : second);
    lastTime = second;
    list.insertBefore(h("div.entry", { "data-seq": e.seq, class: joined ? "joined" : "" }, time, node), before);
  }

  // heading begins an iteration, where e is the first of one.
  function heading(e, before) {
    const here = e.iteration ? `${e.iteration}.${e.attempt ?? 1}` : place;
    if (scope || here === place) return;
    place = here;
    lastText = null;
    lastTime = "";
    list.insertBefore(breakOf(e), before);
  }

  function breakOf(e) {
    const go = () => world.setScope({ iteration: e.iteration, attempt: e.attempt });
    return h("div.break", { "data-seq": e.seq, "data-place": `${e.iteration}.${e.attempt ?? 1}` }, button(`Iteration ${count(e.iteration)}`, { kind: "inline", about: "look at it alone", onclick: go }), e.attempt > 1 ? `attempt ${e.attempt}` : "");
  }

  function nodeOf(e) {
    switch (e.kind) {
      // What a program printed has lines of its own; the last break is not painted, but an empty line before it is.
      case "text": return h(e.plain ? "pre.said.printed" : "div.said", {}, safe(e.html), e.plain ? "\n" : "", e.cut ? h("p.dim.small", {}, "cut here; the file of the attempt has all of it") : "");
      case "tool": {
        const node = toolOf(e);
        tools.set(nameOf(e, e.tool?.id || "seq" + e.seq), node);
        if (tools.size > most) tools.delete(tools.keys().next().value);
        return node;
      }
      case "result": return toolOf({ tool: { name: e.name || "output" }, seq: e.seq }, e);
      case "tests": return h("div.event", {}, chipOf(e.tests), e.tests?.framework ? h("span", {}, e.tests.framework) : "");
      case "session": return h("div.event", {}, e.text);
      case "fact": return h("div.event", { class: { refusal: "bad", failure: "bad", warning: "held", success: "ok" }[e.fact] ?? "" }, h("bdi", {}, e.text));
      default: return e.text ? h("div.event", {}, e.text) : null;
    }
  }

  function paintFoot() {
    const live = alive(world.data.row) && world.data.open && (!scope || scope.iteration === world.data.row.iteration);
    put(foot, [live && !atEnd ? "" : live ? "the agent works" : "", usage && [usage.tokens && short(usage.tokens) + " tokens", money(usage.cost_usd), usage.context && `context ${Math.round(usage.context)} %`].filter(Boolean).join(" · ")].filter(Boolean).join(" · "));
  }

  // flush paints what has come since the last frame.
  const flush = pace(frame(() => {
    if (opening) return;
    if (!queue.length) { paintFoot(); return; }
    const some = queue;
    queue = [];
    if (!atEnd && (torn || list.children.length > 2 * most)) { torn = true; count_(some.length); return; }
    const follow = atEnd;
    // A flood: nobody can read it, and what would be thrown away at once is not made.
    const kept = some.length > flood ? some.slice(-flood) : some;
    if (kept.length < some.length) { for (const e of entries()) e.remove(); place = ""; moreBefore = true; first = kept[0].seq; }
    for (const e of kept) append(e);
    if (follow) {
      const all = entries();
      if (all.length > most) { for (const e of all.slice(0, all.length - most)) e.remove(); moreBefore = true; first = Number(entries()[0]?.dataset.seq ?? first); }
      put(older, "");
      paintFoot();
      if (!panel.hidden) list.scrollTop = list.scrollHeight;
    } else { paintFoot(); count_(some.length); }
  }), 100);
  function count_(n) {
    unseen += n;
    fresh.hidden = false;
    put(fresh, `${plural(unseen, "new entry").replace("entrys", "entries")} ↓`);
  }

  async function before() {
    if (!moreBefore || loading) return;
    loading = true;
    put(older, "loading what was before");
    const mine = turn;
    try {
      const t = await source({ before: first });
      if (mine !== turn) return;
      const height = list.scrollHeight - list.scrollTop;
      const anchor = older.nextSibling;
      const was = place; // the breaks of older entries are made anew
      place = ""; lastText = null;
      for (const e of t.entries ?? []) append(e, anchor);
      const joins = place; // the iteration in which the older ones end
      place = was; lastText = null;
      first = t.first ?? first;
      moreBefore = !!t.more_before && (t.entries?.length ?? 0) > 0;
      // The break that stood on top may now be in the middle of its iteration.
      if (anchor?.classList.contains("break") && anchor.dataset.place === joins) anchor.remove();
      const all = entries();
      if (all.length > 2 * most) { for (const e of all.slice(2 * most)) e.remove(); torn = true; }
      list.scrollTop = list.scrollHeight - height;
    } catch { /* the reader scrolls again */ } finally { loading = false; put(older, ""); }
  }

  list.addEventListener("scroll", () => {
    const was = atEnd;
    atEnd = near() && !torn;
    if (atEnd && !was) { unseen = 0; fresh.hidden = true; }
    if (list.scrollTop < 240) before();
  }, { passive: true });

  async function end() {
    fresh.hidden = true;
    unseen = 0;
    if (torn) await load();
    atEnd = true;
    list.scrollTop = list.scrollHeight;
    list.focus({ preventScroll: true });
    say("at the end of the transcript");
  }

  const same = (a, b) => a?.iteration === b?.iteration && a?.attempt === b?.attempt;
  let begun = false;
  return {
    // begin loads the end of the story, and gives the number after which the stream goes on.
    async begin() {
      begun = true;
      scope = world.scope;
      const here = await load();
      if (!scope) return here || undefined;
      return world.data.seq;
    },
    add(more) {
      for (const e of more) {
        if (e.seq <= last) continue;
        last = e.seq;
        if (scope && (e.kind === "fact" || e.iteration !== scope.iteration || (scope.attempt && e.attempt !== scope.attempt))) continue;
        queue.push(e);
      }
      flush();
    },
    gap() { if (!scope) load(); },
    show() {
      if (begun && !same(scope, world.scope)) { scope = world.scope; load(); } else if (atEnd) list.scrollTop = list.scrollHeight;
    },
    update: paintFoot,
    end,
  };
}

// nameOf is what a call is known by: agents count them anew in each attempt.
const nameOf = (e, id) => `${e.iteration}.${e.attempt} ${id}`;

// toolOf is a call with its result, folded; a run of tests is a chip on it.
function toolOf(e, answer) {
  const { name, input } = e.tool ?? {};
  const chips = h("span.chips");
  const line = [h("span.name", {}, name || "tool"), h("span.input.cut", { title: input }, input ?? ""), chips];
  const node = h("details.tool", {}, h("summary", {}, ...line));
  node.take = (r) => {
    if (node.dataset.done) return false;
    node.dataset.done = "1";
    if (r.failed || r.denied) node.classList.add("failed");
    if (r.denied) chips.append(h("span.chip.held", {}, "denied"));
    else if (r.failed) chips.append(h("span.chip.bad", {}, r.exit ? `exit ${r.exit}` : "failed"));
    if (r.tests) chips.append(chipOf(r.tests));
    node.append(r.html ? h("pre", {}, safe(r.html), r.cut ? h("span.dim", {}, "\n… cut here") : "") : h("pre.dim", {}, "It printed nothing."));
    return true;
  };
  if (answer) node.take(answer);
  return node;
}

export function chipOf(t) {
  if (!t) return "";
  const bad = t.failed > 0;
  return h("span.chip", { class: bad ? "bad" : "ok" }, (bad ? "✕ " : "✓ ") + (bad ? `${count(t.failed)} of ${count(t.total || t.passed + t.failed)} tests failed` : `${plural(t.passed, "test")} passed`));
}
