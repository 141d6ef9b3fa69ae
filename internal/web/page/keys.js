// Keys, and the list of them.
import { h } from "./dom.js";
import { dialog } from "./dialog.js";

const list = [];

// keys binds one key. In a field, with a modifier, or below a dialog it is text.
export function keys(key, does, act, shown = key) {
  list.push({ key, does, act, shown });
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest?.("input, textarea, select, [contenteditable]") || document.querySelector("dialog[open]")) return;
  const found = list.find((k) => k.key === event.key);
  if (!found) return;
  event.preventDefault();
  found.act(event);
});

export function showKeys() {
  dialog("Keys", (d) => {
    d.body.append(h("dl.keys", {}, [...list, { shown: "Tab", does: "go from one thing to the next" }, { shown: "Esc", does: "close a dialog" }].map(({ shown, does }) =>
      h("div", {}, h("dt", {}, shown.split(" ").map((k) => [h("kbd", {}, k), " "])), h("dd", {}, does)))));
  });
}
