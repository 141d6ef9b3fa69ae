// The raw events of a run, latest on top, with a filter.
import { get } from "./api.js";
import { button, h, put, rest } from "./dom.js";
import { clock, count } from "./words.js";

const kinds = [["", "All types"], ["run.", "run"], ["iteration.", "iteration"], ["agent.", "agent"], ["tests.", "tests"], ["gate.", "gate"], ["claim.", "claim"], ["checkpoint.,commit.", "checkpoint, commit"], ["hook.", "hook"], ["command.,note.", "command, note"], ["warning", "warning"]];
const most = 2000;

export function events(panel, world) {
  const text = h("input", { type: "search", placeholder: "Find in events", "aria-label": "Find in events", oninput: rest(() => load(), 250) });
  const type = h("select", { "aria-label": "Type", onchange: () => load() }, kinds.map(([v, label]) => h("option", { value: v }, label)));
  const agents = h("input", { type: "checkbox", id: "events-agents", checked: true, onchange: () => load() });
  const list = h("ul.raw"), none = h("p.empty", {}, ""), older = button("Load older", { onclick: () => load(true) }), newer = button("", { kind: "main newer", onclick: () => load() });
  newer.hidden = true;
  panel.append(h("div.filter", {}, text, type, h("label.check.small", { for: "events-agents" }, agents, "what agents say, too")), newer, list, none, h("div.buttons.center.pad", {}, older));
  let next, last = 0, turn = 0, shown;

  async function load(more) {
    const mine = ++turn;
    shown = JSON.stringify(world.scope);
    put(none, more ? "" : "loading");
    none.hidden = !!more;
    if (!more) next = undefined;
    let found = 0, tries = 0;
    const query = { before: next, limit: 200, type: type.value, iteration: world.scope?.iteration, q: text.value.trim(), agents: agents.checked ? undefined : 0 };
    if (!more) list.replaceChildren();
    try {
      // A filter that matches little is asked on for, some pages far.
      do {
        const t = await get(world.at("/events"), { ...query, before: next });
        if (mine !== turn) return;
        list.append(...(t.events ?? []).toReversed().map(eventOf));
        found += t.events?.length ?? 0;
        if (!next) last = Math.max(t.last ?? 0, world.data.seq ?? 0);
        next = t.next ?? t.first;
        older.hidden = !t.more;
        while (list.children.length > most) list.firstChild.remove();
        if (!t.more) break;
      } while (found < 50 && ++tries < 10);
      put(none, list.children.length ? "" : "No event matches.");
      none.hidden = list.children.length > 0;
      newer.hidden = true;
    } catch (e) { if (mine === turn) { none.hidden = false; put(none, e.message); } }
  }
  return {
    show() { if (shown !== JSON.stringify(world.scope)) load(); },
    update() {
      const n = (world.data.seq ?? 0) - last;
      newer.hidden = n <= 0 || !last;
      if (n > 0) put(newer, `${count(n)} newer`);
    },
  };
}

const plain = new Set(["seq", "time", "run", "iter", "attempt", "type", "seal"]);
function eventOf(e) {
  const rest_ = Object.fromEntries(Object.entries(e).filter(([k]) => !plain.has(k)));
  const pre = h("pre");
  const d = h("details", {}, h("summary", {}, h("span.dim", {}, clock(e.time, true)), h("span.dim", {}, e.iter ? `${e.iter}.${e.attempt ?? 1}` : "–"), h("span", {}, e.type), h("span.cut.dim", {}, JSON.stringify(rest_).slice(0, 300))), pre);
  d.addEventListener("toggle", () => { if (d.open && !pre.firstChild) pre.textContent = JSON.stringify(e, null, 2); });
  return h("li", {}, d);
}
