// How things are said: times, money, states. Words of a run come from the server.

const two = (n) => String(n).padStart(2, "0");

export function took(ms) {
  if (ms === undefined || ms === null || Number.isNaN(ms)) return "";
  if (ms < 950) return Math.round(ms) + "ms";
  if (ms < 9950) return (ms / 1000).toFixed(1) + "s";
  const s = Math.round(ms / 1000);
  if (s < 60) return s + "s";
  if (s < 3600) return `${Math.floor(s / 60)}m ${two(s % 60)}s`;
  if (s < 86400) return `${Math.floor(s / 3600)}h ${two(Math.floor(s / 60) % 60)}m`;
  return `${Math.floor(s / 86400)}d ${Math.floor(s / 3600) % 24}h`;
}

// left counts down, to the second.
export function left(ms) {
  const s = Math.max(0, Math.ceil(ms / 1000));
  if (s >= 86400) return took(ms);
  return s >= 3600 ? `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}` : `${Math.floor(s / 60)}:${two(s % 60)}`;
}

export function clock(time, seconds) {
  const d = new Date(time);
  return Number.isNaN(d.getTime()) ? "" : `${two(d.getHours())}:${two(d.getMinutes())}${seconds ? ":" + two(d.getSeconds()) : ""}`;
}

export function day(time) {
  const d = new Date(time), now = new Date();
  if (Number.isNaN(d.getTime())) return "";
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  if (d.getTime() >= midnight && d.getTime() < midnight + 864e5) return clock(d);
  if (d.getTime() >= midnight - 864e5 && d.getTime() < midnight) return "yesterday " + clock(d);
  const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
  const year = d.getFullYear() === now.getFullYear() ? "" : " " + d.getFullYear();
  return `${d.getDate()} ${months[d.getMonth()]}${year} ${clock(d)}`;
}

export function count(n) { return Math.round(n).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ","); }
export function plural(n, word) { return `${count(n)} ${word}${n === 1 ? "" : "s"}`; }
export function short(n) {
  if (n < 1000) return String(n);
  if (n < 1e6) return (n / 1000).toFixed(n < 9950 ? 1 : 0) + "k";
  return (n / 1e6).toFixed(1) + "M";
}

export function money(usd, estimated) {
  if (usd === undefined || usd === null) return "";
  const text = usd === 0 ? "$0" : usd < 0.01 ? "<$0.01" : usd < 1000 ? "$" + usd.toFixed(2) : "$" + count(usd);
  return estimated ? "≈ " + text : text;
}

export function changed(added, removed) {
  return [added ? "+" + count(added) : "", removed ? "−" + count(removed) : ""].filter(Boolean).join(" ");
}

// results are the ways an attempt can end, with the words and colours of the report.
const results = {
  ok: ["ok", "ok"], failed: ["failed", "bad"], timed_out: ["timed out", "late"], idle: ["silent for too long", "late"],
  limited: ["held up by a limit", "held"], unavailable: ["provider unavailable", "held"], lost: ["lost", "idle"],
  interrupted: ["interrupted", "idle"], skipped: ["skipped", "idle"], running: ["running", "main"],
};
export function result(name) {
  const [says, kind] = results[name] ?? [String(name ?? "").replaceAll("_", " "), "idle"];
  return { says, kind };
}
// worst is the order in which results matter when one bar stands for several.
export const worst = ["failed", "timed_out", "idle", "limited", "unavailable", "lost", "interrupted", "skipped", "ok"];

// kind is the colour of a run, sign what stands in its mark.
export function kind(row) {
  if (row.asked || row.state === "waiting" || row.state === "paused") return "held";
  return { good: "ok", fair: "held", poor: "bad", live: "main" }[row.grade] ?? "idle";
}
export function sign(row) {
  if (row.asked) return "?";
  return { running: "", rebooting: "", queued: "…", waiting: "…", paused: "‖", parked: "‖", done: "✓", exhausted: "!", stopped: "–" }[row.state] ?? "✕";
}
// standing is its state in a word or two.
export const standing = (row) => (row.asked ? "asks you" : row.people || row.state);
export const alive = (row) => ["running", "waiting", "paused", "rebooting"].includes(row.state);

export function iterationOf(row) {
  if (!row.iteration) return alive(row) ? "starting" : "none";
  return row.max_iterations ? `${count(row.iteration)} of ${count(row.max_iterations)}` : count(row.iteration);
}

// doubtOf is why the records of a run are not to be believed, if so.
export const doubtOf = (row) => row.tampered ? `Its records were changed by somebody else: ${row.tampered}` : row.unchecked ? `Nobody can tell whether its records are as they were written: ${row.unchecked}` : "";

// titleOf is what a run is for, in its first words, else its name.
export const titleOf = (row) => row.title || row.run;

// plain is a line of Markdown without its marks.
export function plain(text) {
  text = (text ?? "").replace(/\[([^\]]+)\]\([^)\s]*\)/g, "$1").replace(/(\*\*|`)(.+?)\1/g, "$2").replace(/^(#+|>|[*-]) +/, "");
  return text.startsWith("|") ? text.replace(/\|[\s:|-]*-[\s:|-]*\|/g, "|").replace(/\s*\|[\s|]*/g, " · ").replace(/^ · | · $/g, "") : text;
}

export function bytes(n) {
  return n < 1000 ? plural(n, "byte") : n < 1e6 ? (n / 1000).toFixed(n < 9950 ? 1 : 0) + " kB" : (n / 1e6).toFixed(1) + " MB";
}
