// Dialogs: the browser's own, so that focus, Esc and what lies below are right.
import { button, h, put, say } from "./dom.js";

// dialog opens one. fill(d) puts things in: d.body, d.footer, d.close().
// submit(d), if there, is what its form does: it may be slow, says what it waits
// for, and its refusal stays in the dialog, in the words of who refused.
export function dialog(title, fill, { wide, act, bad, submit } = {}) {
  const id = "dialog-" + Math.random().toString(36).slice(2);
  const body = h("div.body"), footer = h("footer");
  const box = h("dialog", { "aria-labelledby": id, class: wide ? "wide" : "" });
  const d = { body, footer, box, close: () => box.close() };
  const head = h("header", {}, h("h2", { id }, title), button("✕", { kind: "plain square", "aria-label": "Close", onclick: d.close }));
  if (submit) {
    const says = h("p.says", { role: "status" });
    const refusal = h("div", { role: "alert" });
    const go = h("button.button.main", { type: "submit", class: bad ? "bad" : "" }, act);
    d.go = go;
    d.says = (text) => put(says, text);
    d.refuse = (e) => {
      refusal.replaceChildren(...(e ? [h("div.refusal", {}, h("p", {}, e.message), e.hint && h("p.hint", {}, e.hint))] : []));
      if (e) refusal.scrollIntoView?.({ block: "nearest" });
    };
    let busy = false;
    const form = h("form", { novalidate: true, onsubmit: async (event) => {
      event.preventDefault();
      if (busy) return;
      busy = true;
      go.setAttribute("aria-disabled", "true");
      d.refuse(null);
      try { await submit(d); } catch (e) { d.says(""); d.refuse(e); } finally { busy = false; go.removeAttribute("aria-disabled"); }
    } }, head, body, footer);
    footer.append(says, button("Cancel", { onclick: d.close }), go);
    box.append(form);
    fill(d);
    body.append(refusal);
  } else {
    box.append(h("div.sheet", {}, head, body, footer));
    fill(d);
    footer.append(button("Close", { kind: "main", onclick: d.close }));
  }
  const back = document.activeElement;
  box.addEventListener("close", () => { box.remove(); back?.focus?.(); });
  box.addEventListener("click", (event) => { if (event.target === box) d.close(); });
  document.body.append(box);
  box.showModal();
  box.querySelector("[autofocus], .body input, .body textarea, .body select")?.focus();
  return d;
}

// field is a control with its name, and what to know about it.
export function field(label, control, hint) {
  const id = "field-" + Math.random().toString(36).slice(2);
  control.id = id;
  const about = hint && h("p.hint", { id: id + "-hint" }, hint);
  if (hint) control.setAttribute("aria-describedby", id + "-hint");
  return h("div.field", {}, h("label", { for: id }, label), control, about);
}

// done closes a dialog and says what came of it.
export function done(d, text) {
  d.close();
  say(text);
}
