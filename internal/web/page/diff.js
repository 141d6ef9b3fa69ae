// Changes: the whole run's, or an iteration's, side by side or one below the other.
import { get } from "./api.js";
import { attr, button, h, keep, safe } from "./dom.js";
import { count, plural } from "./words.js";

const signs = { added: ["A", "created"], deleted: ["D", "deleted"], modified: ["M", ""], renamed: ["R", "renamed"], copied: ["C", "renamed"], type: ["T", ""] };

export function changes(panel, world) {
  const what = h("strong"), sum = h("span.dim.small");
  const both = ["split", "unified"].map((how) => h("button.button", { type: "button", "data-how": how, onclick: () => { keep.set("diff", how); paintHow(); if (data) paint(); } }, how === "split" ? "Side by side" : "Unified"));
  const box = h("div");
  panel.append(h("div.headline", {}, h("div", {}, what, " ", sum), h("div.segments", { role: "group", "aria-label": "How the diff is shown" }, both)), box);
  let data, shown, turn = 0;
  const how = () => keep.get("diff", innerWidth >= 1200 ? "split" : "unified");
  const paintHow = () => { for (const b of both) attr(b, "aria-pressed", b.dataset.how === how()); };

  async function load() {
    const mine = ++turn, scope = world.scope;
    shown = scope?.iteration ?? 0;
    what.textContent = scope ? `Changed in iteration ${scope.iteration}` : "Changed by the run";
    sum.textContent = "";
    if (!data) box.replaceChildren(h("p.empty", {}, "loading"));
    try {
      const got = await get(world.at("/diff"), { iteration: scope?.iteration });
      if (mine !== turn) return;
      data = got;
      paint();
    } catch (e) { if (mine === turn) { data = null; box.replaceChildren(h("p.empty", {}, e.message)); } }
  }
  function paint() {
    sum.replaceChildren(plural(data.total_files ?? data.files?.length ?? 0, "file"), " ", h("span.plus", {}, "+" + count(data.added ?? 0)), " ", h("span.minus", {}, "−" + count(data.removed ?? 0)));
    box.replaceChildren(data.files?.length ? diffView(data, { run: world.data, iteration: world.scope?.iteration, how: how(), tree: true, all: async () => { data = await get(world.at("/diff"), { iteration: world.scope?.iteration, all: 1 }); paint(); } }) : h("p.empty", {}, world.scope ? "This iteration changed no file." : "The run has changed no file."));
  }
  paintHow();
  return {
    show() { if (shown !== (world.scope?.iteration ?? 0) || !data) load(); },
    attempt() { if (!world.scope) load(); },
  };
}

// diffView shows files with their hunks. Those that have no room at first are folded.
export function diffView(data, { run, iteration, how = "unified", tree, all, quiet }) {
  const files = data.files ?? [];
  if (!files.length) return h("p.dim.small.pad", {}, "No file was changed.");
  let room = 1500; // lines that are shown without being asked for
  const list = h("div", {}, files.map((f, i) => {
    const lines = (f.hunks ?? []).reduce((n, k) => n + k.lines.length, 0);
    const open = room > 0 && lines <= room;
    room -= lines;
    return fileOf(f, i, { open, how, run, iteration });
  }), data.cut_files ? h("p.note.pad", {}, `${plural(data.cut_files, "more file")} left out. `, all ? button("Show all", { onclick: all }) : "") : "",
  data.cut ? h("p.note.pad", {}, "There is more than a page can hold. In a terminal, ", h("code", {}, `refrain diff ${run.row.run}${iteration ? "/" + iteration : ""}`), " shows all of it.") : "");
  if (!tree || quiet || files.length < 2) return list;
  const index = h("nav.files", { "aria-label": "Changed files" }, h("ul", {}, files.map((f, i) => h("li", {}, h("a", { href: "#file-" + i, title: f.path, onclick: (event) => {
    event.preventDefault();
    const to = list.children[i];
    to.open = true;
    to.scrollIntoView({ block: "start" });
    to.querySelector("summary").focus({ preventScroll: true });
  } }, signOf(f), h("span.cut", {}, h("bdi", {}, f.path)), h("small", {}, h("b.plus", {}, f.added ? "+" + f.added : ""), " ", h("b.minus", {}, f.removed ? "−" + f.removed : "")))))));
  return h("div.changes", {}, index, list);
}

function signOf(f) {
  const [letter, kind] = signs[f.status] ?? ["M", ""];
  return h("abbr.sign", { class: kind, title: f.status }, letter);
}

function fileOf(f, i, { open, how, run, iteration }) {
  const body = h("div");
  const name = f.old_path && f.old_path !== f.path ? `${f.old_path} → ${f.path}` : f.path;
  const details = h("details.file", { id: "file-" + i }, h("summary", {}, signOf(f), h("code", {}, name), f.similarity ? h("span.dim.small", {}, f.similarity + " % the same") : "", h("span.small", {}, h("span.plus", {}, f.added ? "+" + count(f.added) : ""), " ", h("span.minus", {}, f.removed ? "−" + count(f.removed) : ""))), body);
  function fill(file) {
    if (file.binary) { body.replaceChildren(h("p.note", {}, "A binary file: there is nothing to show line by line.")); return; }
    const notes = [];
    if (file.old_mode && file.mode && file.old_mode !== file.mode) notes.push(h("p.note", {}, `mode ${file.old_mode} → ${file.mode}`));
    if (!file.hunks?.length && !file.cut_lines) notes.push(h("p.note", {}, file.status === "renamed" ? "Renamed, and nothing else." : "No line differs."));
    if (file.cut_lines) {
      const more = button("Show the whole file", { onclick: async () => {
        try {
          const got = await get("/api/runs/" + encodeURIComponent(run.row.id) + "/diff", { iteration, path: file.path, old_path: file.old_path });
          fill(got.files?.find((x) => x.path === file.path) ?? file);
        } catch (e) { more.setWhy(e.message); }
      } });
      notes.push(h("p.note", {}, `${plural(file.cut_lines, "line")} left out. `, more));
    }
    body.replaceChildren(...(file.hunks?.length ? [how === "split" && file.status !== "added" && file.status !== "deleted" ? split(file) : unified(file)] : []), ...notes);
  }
  let filled = false;
  const once = () => { if (details.open && !filled) { filled = true; fill(f); } };
  details.addEventListener("toggle", once);
  if (open) { details.open = true; once(); }
  return details;
}

const hunkHead = (k) => `@@ −${k.old_start},${k.old_lines} +${k.new_start},${k.new_lines} @@ ${k.section ?? ""}`;
const kindOf = { "+": "add", "-": "del" };

function unified(f) {
  const rows = [];
  for (const k of f.hunks) {
    rows.push(h("tr.hunk", {}, h("td", { colspan: 4 }, hunkHead(k))));
    for (const l of k.lines) rows.push(h("tr", { class: kindOf[l.op] ?? "" }, h("td.no", {}, l.old ?? ""), h("td.no", {}, l.new ?? ""), h("td.s", {}, l.op === " " ? "" : l.op), h("td", {}, safe(l.html))));
  }
  return h("table.diff", { "aria-label": f.path }, h("tbody", {}, rows));
}

// split puts what was taken away beside what came in its place.
function split(f) {
  const rows = [];
  const side = (l, n) => (l ? [h("td.no", { class: kindOf[l.op] ?? "" }, n ?? ""), h("td.s", { class: kindOf[l.op] ?? "" }, l.op === " " ? "" : l.op), h("td", { class: kindOf[l.op] ?? "" }, safe(l.html))] : [h("td.no.none"), h("td.s.none"), h("td.none")]);
  for (const k of f.hunks) {
    rows.push(h("tr.hunk", {}, h("td", { colspan: 6 }, hunkHead(k))));
    let gone = [], come = [];
    const flush = () => {
      for (let i = 0; i < Math.max(gone.length, come.length); i++) rows.push(h("tr", {}, ...side(gone[i], gone[i]?.old), ...side(come[i], come[i]?.new)));
      gone = []; come = [];
    };
    for (const l of k.lines) {
      if (l.op === "-") gone.push(l);
      else if (l.op === "+") come.push(l);
      else if (l.op === "\\") { flush(); rows.push(h("tr", {}, h("td.dim", { colspan: 6 }, safe(l.html)))); } else { flush(); rows.push(h("tr", {}, ...side(l, l.old), ...side(l, l.new))); }
    }
    flush();
  }
  return h("table.diff.split", { "aria-label": f.path }, h("colgroup", {}, h("col.no"), h("col.s"), h("col"), h("col.no"), h("col.s"), h("col")), h("tbody", {}, rows));
}
