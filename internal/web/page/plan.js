// The plan of a run: what is done, what is at hand, what is open, and which iteration
// did which.
import { get } from "./api.js";
import { attr, button, h, pace, put } from "./dom.js";
import { alive, count, plain, plural } from "./words.js";

export function plan(panel, world) {
  const what = h("strong"), sum = h("span.dim.small"), fill = h("i"), bar = h("div.progress.ok", { "aria-hidden": "true" }, fill);
  const list = h("ol.tasks", { "aria-label": "Tasks" }), none = h("p.empty", {}, "loading");
  const top = h("div.headline", {}, h("div", {}, what, " ", sum), h("div.far", {}, bar));
  panel.append(top, list, none);
  let tasks = [], turn = 0, known;

  function paint() {
    const done = tasks.filter((t) => t.done).length, ours = tasks.filter((t) => t.iteration).length, { scope, data } = world;
    top.hidden = !tasks.length;
    none.hidden = tasks.length > 0;
    put(none, "The plan has no tasks, or its file is gone.");
    put(what, `${count(done)} of ${plural(tasks.length, "task")} done`);
    put(sum, ours ? `${count(ours)} by this run` : "");
    fill.style.width = (tasks.length ? (100 * done) / tasks.length : 0) + "%";
    // The task at hand is the first that is begun, else the first that is open.
    const hand = alive(data.row) ? tasks.find((t) => t.doing) ?? tasks.find((t) => !t.done) : tasks.find((t) => t.doing);
    list.replaceChildren(...tasks.map((t) => {
      const kind = t.done ? "ok" : t === hand || t.doing ? "main" : "open";
      const says = t.done ? "done" : kind === "main" ? (t === hand && alive(data.row) ? "at hand" : "begun") : "open";
      const li = h("li", { class: `${kind}${scope && t.iteration === scope.iteration ? " mine" : ""}` },
        h("span.box", { role: "img", "aria-label": says }, t.done ? "✓" : ""),
        h("span.task", {}, h("bdi", {}, plain(t.text))),
        t.iteration ? button(`iteration ${count(t.iteration)}${t.attempt > 1 ? "." + t.attempt : ""}`, { kind: "inline", about: "what it changed", onclick: () => world.setScope({ iteration: t.iteration, attempt: t.attempt }, "changes") })
          : kind === "main" ? h("span.chip.main", {}, says) : h("span"));
      li.style.setProperty("--depth", Math.min(t.depth ?? 0, 6));
      return li;
    }));
  }
  const load = pace(async () => {
    const mine = ++turn;
    try {
      const got = await get(world.at("/tasks"));
      if (mine === turn) { tasks = got.tasks ?? []; paint(); }
    } catch (e) { if (mine === turn && !tasks.length) { top.hidden = true; none.hidden = false; put(none, e.message); } }
  }, 1000);
  attr(list, "role", "list");
  return {
    show() { if (tasks.length) paint(); load(); },
    attempt: load,
    update() {
      const now = JSON.stringify([world.data.row.plan, world.data.row.state]);
      if (now !== known) { known = now; load(); }
    },
  };
}
