// The entry: what is on every page, and the part that belongs to this one.
import { put } from "./dom.js";
import { clock } from "./words.js";
import { keys, showKeys } from "./keys.js";

const link = document.getElementById("link");

// status shows whether what is seen is what is so.
function status(is, why) {
  if (link.dataset.is === is || (link.dataset.is === "bye" && is === "off")) return;
  link.dataset.is = is;
  put(link.firstElementChild, is === "on" ? "connected" : why || `connection lost at ${clock(new Date())}, trying again`);
  main.classList.toggle("stale", is === "off");
}

const first = document.getElementById("first");
const main = document.getElementById("main");
const page = document.body.dataset.page;

document.getElementById("help")?.addEventListener("click", () => showKeys());
keys("?", "show these keys", () => showKeys());

if (first) {
  const data = JSON.parse(first.textContent);
  if (page === "overview") (await import("./overview.js")).overview(main, data, status);
  if (page === "run") (await import("./run.js")).run(main, data, status);
}
