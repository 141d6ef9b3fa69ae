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

// A browser opens six connections to one server, for all its windows together. So many of
// them may be streams; the others stay free for pages, questions and acts.
const places = 4;

// place takes one of them, and gives what gives it back; null when all are taken. Where
// pages cannot agree on it (they can on this machine, and over TLS), each has its own.
async function place() {
  if (!navigator.locks) return () => {};
  for (let i = 0; i < places; i++) {
    const leave = await new Promise((got) => {
      navigator.locks.request(`refrain.stream.${i}`, { ifAvailable: true }, (lock) => {
        if (lock) return new Promise((release) => { got(release); });
        got(null);
      }).catch(() => got(null));
    });
    if (leave) return leave;
  }
  return null;
}

// stream listens until it is closed. The browser reconnects by itself while the
// server is only away; when it was turned away for good, we ask again, later and later.
// A page without a place asks for what is new every two seconds, until one is free.
export function stream(path, query, handlers, status) {
  let source, leave, after = query?.after, closed = false, wait = 500, turn = 0, timer, quiet;
  const shut = () => { turn++; source?.close(); leave?.(); source = leave = undefined; };
  const on = () => { wait = 500; status("on"); };
  const alarm = () => {
    // A connection can die without a word, on a phone that slept. Opening it anew costs nothing.
    clearTimeout(quiet);
    quiet = setTimeout(() => { if (!closed) open(); }, 120_000);
  };
  const again = () => {
    if (closed) return;
    status("off");
    clearTimeout(timer);
    timer = setTimeout(open, wait);
    wait = Math.min(wait * 2, 10_000);
  };
  async function open() {
    if (closed) return;
    shut();
    const mine = turn, got = await place();
    if (mine !== turn) { got?.(); return; } // somebody was quicker, or it is over
    leave = got;
    source = new EventSource(path + search({ ...query, after, once: got ? undefined : 1 }));
    source.addEventListener("rest", (event) => {
      if (/^\d+$/.test(event.lastEventId)) after = event.lastEventId;
      on();
      shut();
      clearTimeout(timer);
      timer = setTimeout(open, 2000);
    });
    source.onopen = () => { on(); alarm(); };
    source.addEventListener("bye", (event) => { status("bye", JSON.parse(event.data).why); });
    source.onerror = async () => {
      if (mine !== turn) return;
      status("off");
      if (source.readyState !== EventSource.CLOSED) return;
      try { await get("/api/overview", { finished: 1 }); } catch (e) { if (e.status === 401) return; }
      if (mine === turn) again();
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
    if (document.hidden) { away = setTimeout(() => { clearTimeout(timer); clearTimeout(quiet); shut(); }, 10_000); return; }
    if (!source || source.readyState === EventSource.CLOSED) { clearTimeout(timer); wait = 500; open(); }
  };
  document.addEventListener("visibilitychange", wake);
  addEventListener("online", wake);
  return { close() { closed = true; clearTimeout(away); clearTimeout(timer); clearTimeout(quiet); shut(); document.removeEventListener("visibilitychange", wake); removeEventListener("online", wake); } };
}
