// What every part of the page is made with. Text goes in as text; the one door for
// HTML is safe(), for what the server has cleaned.

const svgTags = new Set(["svg", "g", "rect", "path", "line", "text", "circle", "defs", "pattern", "title"]);

// h makes an element: h("p.note", { title: "…", onclick: f }, "text", child, …).
export function h(what, props, ...children) {
  const [tag, ...classes] = what.split(".");
  const e = svgTags.has(tag) && tag !== "title"
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  if (classes.length) e.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || (value === false && !key.startsWith("aria-"))) continue;
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (key === "class") e.setAttribute("class", [...classes, value].filter(Boolean).join(" "));
    else if (key === "value") e.value = value;
    else e.setAttribute(key, value === true && !key.startsWith("aria-") ? "" : String(value));
  }
  e.append(...children.flat(4).filter((c) => c !== undefined && c !== null && c !== false && c !== ""));
  return e;
}

// attr sets an attribute, or takes it away, and touches nothing that is right already.
export function attr(e, name, value) {
  if (value === undefined || value === null || value === false) e.removeAttribute(name);
  else if (e.getAttribute(name) !== String(value)) e.setAttribute(name, String(value));
}

// put sets text only where it differs, so that nothing is painted or read out twice.
export function put(e, text) {
  text = String(text ?? "");
  if (e.textContent !== text) e.textContent = text;
}

// Allowed is what the server's sanitiser lets through. It is asked for a second
// time here: what an agent wrote must pass two walls that know nothing of each other.
const allowed = {
  A: ["href", "rel", "target"], CODE: ["class"], PRE: ["class"], SPAN: ["class"], TD: ["align"], TH: ["align"], OL: ["start"],
};
for (const tag of "P H1 H2 H3 H4 H5 H6 UL LI EM STRONG BLOCKQUOTE TABLE THEAD TBODY TR HR DEL BR B I S".split(" ")) allowed[tag] = [];

// safe turns HTML of the server into nodes.
export function safe(html) {
  const box = document.createElement("template");
  box.innerHTML = html ?? "";
  for (const e of box.content.querySelectorAll("*")) {
    const may = allowed[e.tagName];
    if (!may) { e.replaceWith(document.createTextNode(e.textContent)); continue; }
    for (const { name, value } of [...e.attributes]) {
      if (!may.includes(name) || (name === "href" && !/^https?:\/\//i.test(value))) e.removeAttribute(name);
    }
    if (e.tagName === "A") { e.rel = "noopener noreferrer nofollow"; e.target = "_blank"; }
  }
  return box.content;
}

// frame calls f once before the next painting, however often it is asked.
export function frame(f) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    const go = () => { if (asked) { asked = false; f(); } };
    requestAnimationFrame(go);
    // A tab in the background paints nothing, and must not pile up work.
    if (document.hidden) setTimeout(go, 500);
  };
}

// rest calls f when nothing has asked for it for a while.
export function rest(f, ms) {
  let timer;
  return (...args) => { clearTimeout(timer); timer = setTimeout(() => f(...args), ms); };
}

// pace calls f soon, and then at most once in a while, however often it is asked.
export function pace(f, ms) {
  let timer, last = -Infinity;
  return () => {
    timer ??= setTimeout(() => { timer = undefined; last = performance.now(); f(); }, Math.max(0, last + ms - performance.now()));
  };
}

// say tells screen readers; the last word counts.
const sayLater = rest((text) => put(document.getElementById("say"), text), 200);
export function say(text) { sayLater(text); }

// The tip: one for the page, for a pointer and for the keyboard.
const tip = () => document.getElementById("tip");
export function showTip(lines, x, y) {
  const t = tip();
  t.replaceChildren(...lines.filter(Boolean).map((line, i) => h(i === 0 && lines.length > 1 ? "strong" : "div", {}, line)));
  t.hidden = false;
  const { width, height } = t.getBoundingClientRect();
  t.style.left = Math.max(8, Math.min(x + 14, document.documentElement.clientWidth - width - 8)) + "px";
  t.style.top = (y - height - 14 < 8 ? y + 20 : y - height - 14) + "px";
}
export function hideTip() { tip().hidden = true; }

// button makes one that can say why it cannot be used. It stays where the keyboard
// finds it: who cannot press it should still hear why.
export function button(label, { kind = "", why, about, onclick, ...rest } = {}, ...inner) {
  const b = h("button.button", { type: "button", class: kind, ...rest }, ...(inner.length ? inner : [label]));
  const state = { why };
  b.setWhy = (why) => {
    state.why = why;
    attr(b, "aria-disabled", why ? "true" : null);
    attr(b, "aria-description", why || about || null);
  };
  b.setWhy(why);
  const tell = () => {
    const words = state.why || about;
    if (!words) return;
    const at = b.getBoundingClientRect();
    showTip([words], at.left - 14, at.top);
  };
  b.addEventListener("pointerenter", tell);
  b.addEventListener("focus", () => { if (b.matches(":focus-visible")) tell(); });
  for (const leave of ["pointerleave", "blur"]) b.addEventListener(leave, hideTip);
  b.addEventListener("click", (event) => {
    if (state.why) { tell(); say(state.why); return; }
    hideTip();
    onclick?.(event);
  });
  return b;
}

// copyButton copies text, and says so.
export function copyButton(text) {
  const b = button("Copy", { onclick: async () => {
    try { await navigator.clipboard.writeText(text()); put(b, "Copied"); say("Copied"); } catch { put(b, "Select it"); }
    setTimeout(() => put(b, "Copy"), 1500);
  } });
  return b;
}

// keep remembers small choices of the reader's, where the browser lets us.
export const keep = {
  get(key, otherwise) { try { return localStorage.getItem("refrain." + key) ?? otherwise; } catch { return otherwise; } },
  set(key, value) { try { localStorage.setItem("refrain." + key, value); } catch { /* a private window */ } },
};
