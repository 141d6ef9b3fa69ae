// The way to the server: requests, and one stream that comes back by itself.

// Refused is an answer that is not what was asked for, in the server's words.
export class Refused extends Error {
  constructor(status, { why, hint, ...rest }) {
    super(why || `the server answered ${status}`);
    Object.assign(this, { status, hint, rest });
  }
}

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", cache: "no-store", ...options });
  } catch {
    throw new Refused(0, { why: "the server does not answer", hint: 'is "refrain serve" still running?' });
  }
  let body;
  try { body = await answer.json(); } catch { body = { why: `the server answered ${answer.status} and nothing to read` }; }
  if (answer.status === 401) { location.assign("/login"); }
  if (!answer.ok || body.ok === false) throw new Refused(answer.status, body);
  return body;
}

export const get = (path, query) => ask(path + search(query));
export const post = (path, body) => ask(path, {
  method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json", "X-Refrain": "1" },
});

function search(query) {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(query ?? {})) if (v !== undefined && v !== null && v !== "") q.set(k, v);
  const s = q.toString();
  return s && "?" + s;
}

// Clock tells the server's time: a phone's may be minutes off.
let ahead = 0;
export function setNow(now) { const t = Date.parse(now); if (t) ahead = t - Date.now(); }
export const now = () => Date.now() + ahead;

// stream listens until it is closed. The browser reconnects by itself while the
// server is only away; when it was turned away for good, we ask again, later and later.
export function stream(path, query, handlers, status) {
  let source, after = query?.after, closed = false, wait = 500, timer, quiet;
  const on = () => { wait = 500; status("on"); };
  const alarm = () => {
    // A connection can die without a word, on a phone that slept. Opening it anew costs nothing.
    clearTimeout(quiet);
    quiet = setTimeout(() => { if (!closed) { source.close(); open(); } }, 120_000);
  };
  const again = () => {
    if (closed) return;
    status("off");
    clearTimeout(timer);
    timer = setTimeout(open, wait);
    wait = Math.min(wait * 2, 10_000);
  };
  function open() {
    if (closed) return;
    source = new EventSource(path + search({ ...query, after }));
    source.onopen = () => { on(); alarm(); };
    source.addEventListener("bye", (event) => { status("bye", JSON.parse(event.data).why); });
    source.onerror = async () => {
      status("off");
      if (source.readyState !== EventSource.CLOSED || closed) return;
      try { await get("/api/overview", { finished: 1 }); } catch (e) { if (e.status === 401) return; }
      again();
    };
    for (const [name, f] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => {
        if (/^\d+$/.test(event.lastEventId)) after = event.lastEventId;
        alarm();
        on();
        f(JSON.parse(event.data));
      });
    }
  }
  open();
  // A browser opens six connections to a server: a tab that nobody sees gives its own
  // back, and catches up when it is looked at. Who comes back does not wait for the next try.
  let away;
  const wake = () => {
    clearTimeout(away);
    if (closed) return;
    if (document.hidden) { away = setTimeout(() => { clearTimeout(timer); clearTimeout(quiet); source.close(); }, 10_000); return; }
    if (source.readyState === EventSource.CLOSED) { clearTimeout(timer); wait = 500; open(); }
  };
  document.addEventListener("visibilitychange", wake);
  addEventListener("online", wake);
  return { close() { closed = true; clearTimeout(away); clearTimeout(timer); clearTimeout(quiet); source.close(); document.removeEventListener("visibilitychange", wake); removeEventListener("online", wake); } };
}
