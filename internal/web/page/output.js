// What the agent of an attempt printed, as it came: stdout and stderr, a piece at a
// time. Where the attempt is under way and all of it was read, what comes is added.
import { get } from "./api.js";
import { attr, button, copyButton, h, keep, put, say } from "./dom.js";
import { alive, bytes, count } from "./words.js";

const streams = [["stdout", "stdout"], ["stderr", "stderr"]];
const most = 2 << 20; // characters in the page

export function output(panel, world) {
  let which = keep.get("stream", "stdout"), turn = 0, shown, next = 0, size = 0, wide = 0, timer, busy = false;
  const what = h("strong"), sum = h("span.dim.small"), text = h("pre.wrap.output", { tabindex: "0", role: "region", "aria-label": "Output" }), none = h("p.empty", {}, "loading");
  const choose = streams.map(([name, label]) => h("button.button", { type: "button", "data-stream": name, onclick: () => { which = name; keep.set("stream", name); load(); } }, label));
  const more = button("", { onclick: () => read(next) });
  const end = button("Go to the end", { onclick: () => load(true) });
  const foot = h("div.buttons.center.pad", {}, more, end);
  panel.append(h("div.headline", {}, h("div", {}, what, " ", sum), h("div.buttons", {}, h("div.segments", { role: "group", "aria-label": "Stream" }, choose), copyButton(() => text.textContent))), none, text, foot);

  const place = () => world.scope ?? (world.data.row.iteration ? { iteration: world.data.row.iteration } : null);
  const key = () => JSON.stringify([place(), which]);
  const address = () => world.at(`/iterations/${place().iteration}/output`);
  // running tells whether more may come of what is looked at.
  const running = () => {
    const at = place(), { row, open, attempt } = world.data;
    return alive(row) && open && at?.iteration === row.iteration && (!at.attempt || at.attempt === attempt);
  };

  function paint(problem) {
    for (const b of choose) attr(b, "aria-pressed", b.dataset.stream === which);
    const at = place();
    put(what, at ? `Iteration ${count(at.iteration)}${at.attempt > 1 ? ", attempt " + at.attempt : ""}` : "Output");
    put(sum, size ? `${bytes(size)}${running() ? ", and it goes on" : ""}` : "");
    text.hidden = !text.textContent;
    none.hidden = !text.hidden;
    put(none, problem || (!at ? "No iteration has begun yet." : running() ? `Nothing came on ${which} yet.` : `Nothing came on ${which}.`));
    foot.hidden = next >= size || !!problem;
    put(more, `Show more: ${bytes(Math.max(0, size - next))}`);
    end.hidden = size - next < 1 << 18;
  }

  async function load(atEnd) {
    const mine = ++turn;
    shown = key();
    next = size = wide = 0;
    text.replaceChildren();
    put(none, "loading");
    paint();
    if (!place()) return;
    if (atEnd) {
      // How large it is, tells the first piece; the end is the last of them.
      try { size = (await get(address(), { stream: which, attempt: place().attempt, offset: 0 })).size; } catch (e) { if (mine === turn) paint(e.message); return; }
      if (mine !== turn) return;
      next = Math.max(0, size - (1 << 18));
      if (next > 0) add(`… ${bytes(next)} before this …\n`);
    }
    await read(next);
    if (atEnd) { text.scrollTop = text.scrollHeight; say("at the end of the output"); }
  }

  // read fetches the piece from a place on.
  async function read(from) {
    if (busy && from === next && from > 0) return;
    const mine = turn;
    busy = true;
    try {
      const got = await get(address(), { stream: which, attempt: place().attempt, offset: from });
      if (mine !== turn) return;
      const follow = text.scrollHeight - text.scrollTop - text.clientHeight < 40;
      add(got.text);
      size = got.size;
      next = got.next ?? got.size;
      paint();
      if (follow && from > 0 && next >= size) text.scrollTop = text.scrollHeight;
    } catch (e) { if (mine === turn) paint(from > 0 ? "" : e.status === 404 ? `Nothing was kept of ${which}.` : e.message); } finally { busy = false; }
  }
  function add(piece) {
    if (!piece) return;
    text.append(document.createTextNode(piece));
    wide += piece.length;
    while (wide > most && text.childNodes.length > 1) { wide -= text.firstChild.length; text.firstChild.remove(); }
  }

  return {
    show() {
      if (shown !== key()) load();
      clearInterval(timer);
      timer = setInterval(() => { if (!document.hidden && running() && next >= size) read(next); }, 1500);
    },
    hide() { clearInterval(timer); },
    update() { if (shown !== key()) load(); else paint(); },
  };
}
