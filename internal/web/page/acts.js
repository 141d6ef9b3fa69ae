// Acting on runs: one dialog or question for each command. Nothing is shown as done
// before the run has said so; a refusal is shown in its words.
import { get, post } from "./api.js";
import { dialog, done, field } from "./dialog.js";
import { diffView } from "./diff.js";
import { button, copyButton, h, put, rest, safe, say } from "./dom.js";
import { count, plural } from "./words.js";

const at = (run) => "/api/runs/" + encodeURIComponent(run.row.id);
const command = (run, body) => post(at(run) + "/commands", body);

// labels are what stands on buttons, and what each does.
export const labels = {
  pause: ["Pause", "after this iteration"],
  resume: ["Resume", "go on now"],
  restart: ["Resume", "start it again where it ended"],
  note: ["Note", "tell the next agent something"],
  raise: ["Raise a limit", "more room, or less"],
  skip: ["Skip", "end this iteration, go on with the next"],
  reboot: ["Fresh session", "after this iteration"],
  stop: ["Stop", "after this iteration"],
  stop_now: ["Stop now", "end the agent at once"],
  rollback: ["Roll back", "put files back as they were"],
  answer: ["Answer", "it asks you something"],
};

// act does one of them.
export function act(name, run, more) {
  return (acts[name] ?? plain)(run, name, more);
}

// plain commands need no words: a notice says what the run answered.
async function plain(run, name) {
  try {
    const answer = await command(run, { command: name });
    notice(`${run.row.run}: ${answer.effect}`);
  } catch (e) {
    notice(`${run.row.run} did not take it: ${e.message}`, e.hint, true);
  }
}

const acts = {
  note(run) {
    const text = h("textarea", { autofocus: true, maxlength: 4000, required: true });
    dialog("Note for the next agent", (d) => d.body.append(field("What it should know", text, "It finds this in its prompt, until an agent has worked with it.")), {
      act: "Add the note",
      submit: async (d) => done(d, (await command(run, { command: "note", text: text.value })).effect),
    });
  },

  raise(run, _, key) {
    const which = h("select", {}, run.raisable.map((k) => h("option", { value: k }, k)));
    const value = h("input", { required: true, autocomplete: "off", autofocus: true });
    const now = h("p.hint");
    const limits = run.limits ?? {};
    const say = () => {
      const is = { "loop.max_iterations": limits.iterations && count(limits.iterations), "loop.max_time": limits.time_ms && Math.round(limits.time_ms / 6000) / 10 + " m", "budget.cost_usd": limits.cost_usd && "$" + limits.cost_usd, "budget.tokens": limits.tokens && count(limits.tokens) }[which.value];
      put(now, is ? `It is ${is} now.` : "It has no such limit now.");
    };
    which.addEventListener("change", say);
    if (key) which.value = key;
    say();
    dialog("Raise a limit", (d) => d.body.append(h("div.pair", {}, field("Limit", which), field("New total", value, "20, 8h, 12.50; 0 is no limit")), now), {
      act: "Set it",
      submit: async (d) => done(d, (await command(run, { command: "raise", key: which.value, value: value.value })).effect),
    });
  },

  answer(run) {
    const asked = run.row.asked ?? run.status?.asked ?? { question: "", choices: [] };
    const choices = asked.choices?.length ? asked.choices : ["continue", "stop"];
    let chosen = asked.default || choices[0];
    const picks = h("div.segments", { role: "group", "aria-label": "Answer" }, choices.map((c) =>
      h("button.button", { type: "button", "aria-pressed": c === chosen, onclick: () => pick(c) }, c)));
    function pick(c) {
      chosen = c;
      for (const b of picks.children) b.setAttribute("aria-pressed", b.textContent === c);
    }
    const prompt = h("div.well.said", {}, h("p.dim", {}, "loading"));
    const diff = h("div", {}, h("p.dim.small", {}, "loading"));
    // What was answered elsewhere, or has been waited for long enough, is no question any more.
    const hear = ({ detail: row }) => {
      if (row.id !== run.row.id || row.asked?.question === asked.question) return;
      open.close();
      notice(row.asked ? `${row.run} asks something else by now: ${row.asked.question}` : `${row.run}: the question has been answered`);
    };
    const open = dialog(asked.question || "The run asks", (d) => {
      d.body.append(h("div.field", {}, h("span.label", {}, "Your answer"), h("div", {}, picks)),
        h("details.tool", { open: true }, h("summary", {}, "What has changed in the last iteration"), diff),
        h("details.tool", {}, h("summary", {}, "The next prompt"), prompt));
      const last = run.row.iterations || run.row.iteration || 0;
      if (last) get(at(run) + "/diff", { iteration: last }).then((data) => diff.replaceChildren(diffView(data, { run, quiet: true })), (e) => diff.replaceChildren(h("p.dim.small.pad", {}, e.message)));
      else diff.replaceChildren(h("p.dim.small.pad", {}, "No iteration has ended yet."));
      const next = (run.row.iteration ?? 0) + 1;
      get(`${at(run)}/iterations/${next}/prompt`).then((p) => prompt.replaceChildren(safe(p.html)), (e) => prompt.replaceChildren(h("p.dim", {}, e.message)));
    }, {
      wide: true, act: "Answer",
      submit: async (d) => {
        document.removeEventListener("row", hear); // what it says now is about this answer
        try { done(d, (await command(run, { command: "approve", text: chosen, question: asked.question })).effect); } catch (e) { document.addEventListener("row", hear); throw e; }
      },
    });
    document.addEventListener("row", hear);
    open.box.addEventListener("close", () => document.removeEventListener("row", hear));
  },

  stop(run) { return ending(run, "stop", "Stop after this iteration", "The iteration under way finishes first, gates included. Then the run ends. You can resume it later."); },
  stop_now(run) { return ending(run, "stop_now", "Stop now", "The agent is ended at once, and with it everything that it has started. Its attempt does not count. Files stay as they are."); },

  restart(run) {
    const n = h("input", { inputmode: "numeric", autocomplete: "off" });
    const cost = h("input", { inputmode: "decimal", autocomplete: "off" });
    const time = h("input", { autocomplete: "off" });
    const now = h("input", { type: "checkbox", id: "resume-now" });
    const accept = h("input", { type: "checkbox", id: "resume-accept" });
    dialog(`Resume ${run.row.run}`, (d) => d.body.append(
      h("p.dim", {}, "It goes on where it ended. A new limit is a new total; empty keeps what it had."),
      h("div.pair", {}, field("Iterations", n, run.limits?.iterations ? `it had ${run.limits.iterations}` : "it had no limit"), field("Time", time, "such as 8h")),
      h("div.pair", {}, field("Cost in USD", cost, run.limits?.cost_usd ? `it had ${run.limits.cost_usd}` : "it had no limit")),
      check(now, "Do not wait for a limit that holds it up"), check(accept, "Accept settings that have changed since")), {
      act: "Resume",
      submit: async (d) => {
        d.says("starting");
        const answer = await post(at(run) + "/resume", { max_iterations: typed(n), max_cost_usd: typed(cost), max_time: typed(time), now: now.checked, accept_config: accept.checked });
        done(d, `${answer.run} goes on`);
      },
    });
  },

  async rollback(run, _, where = {}) {
    const what = where.iteration === 0 ? "before the first iteration" : `after iteration ${where.iteration}`;
    const list = h("div", {}, h("p.dim", {}, "Looking what that would change."));
    let shown = "";
    const show = (answer) => {
      shown = answer.shown;
      const paths = answer.changes?.paths ?? [];
      list.replaceChildren(paths.length
        ? h("div", {}, h("p", {}, `${plural(paths.length, "file")} would change:`), h("ul.well.mono", {}, paths.slice(0, 100).map((p) => h("li", {}, h("bdi", {}, `${p.change}  ${p.path}`))), paths.length > 100 ? h("li", {}, `and ${count(paths.length - 100)} more`) : ""))
        : h("p", {}, "No file would change."));
    };
    const d = dialog(where.iteration === 0 ? "Roll back to the beginning" : `Roll back to iteration ${count(where.iteration)}`, (d) => d.body.append(h("p", {}, `The files of the work tree are put back as they were ${what}. What is there now is kept as a checkpoint, so this can be undone.`), list), {
      act: "Roll back", bad: true,
      submit: async (d) => {
        if (!shown) return;
        let answer;
        try { answer = await post(at(run) + "/rollback", { iteration: where.iteration, confirm: true, shown }); } catch (e) {
          if (e.rest?.shown) show(e.rest); // others than these are there by now: it is asked anew
          throw e;
        }
        d.close();
        dialog("Rolled back", (d) => d.body.append(h("p", {}, `The files are as they were ${what}.`), answer.commits?.length ? h("p", {}, `${plural(answer.commits.length, "commit")} of the run stay where they are.`) : "",
          ...(answer.undo ? [h("p.dim", {}, "This takes it back:"), commandLine(answer.undo)] : [])));
      },
    });
    try { show(await post(at(run) + "/rollback", { iteration: where.iteration })); } catch (e) { list.replaceChildren(); d.refuse(e); }
  },
};

// typed is what somebody typed, as it is: what it means, and whether it means anything,
// the command line says.
function typed(input) { return input.value.trim() || undefined; }
function check(box, label) { return h("label.check", { for: box.id }, box, label); }

// ending asks, then stays until the run has said that it is over and its processes are gone.
function ending(run, name, title, about) {
  dialog(title, (d) => d.body.append(h("p", {}, about)), {
    act: title, bad: true,
    submit: async (d) => {
      d.says(name === "stop" ? "Asked. Waiting until the run has ended; you may close this." : "Asked. Waiting until its processes are gone.");
      const answer = await command(run, { command: name, wait: true });
      const left = answer.left_running ?? [];
      d.close();
      notice(left.length ? `${run.row.run} has ended, and has left processes: ${left.map((p) => p.pid ?? p).join(", ")}` : `${run.row.run} has ended. All its processes are gone.`, "", left.length > 0);
    },
  });
}

// notice says at the bottom what a run has answered.
export function notice(text, hint, bad) {
  let box = document.getElementById("notices");
  if (!box) document.body.append(box = h("div.notices", { id: "notices", role: "status", "aria-label": "Answers" }));
  const one = h("div.notice", { class: bad ? "bad" : "" }, h("div", {}, h("p", {}, text), hint && h("p.hint", {}, hint)), button("✕", { kind: "plain square", "aria-label": "Dismiss", onclick: () => one.remove() }));
  box.append(one);
  while (box.children.length > 3) box.firstChild.remove();
  if (!bad) setTimeout(() => one.remove(), 8000);
}

function commandLine(text) {
  return h("div.command", {}, h("pre.well.wrap", {}, text), copyButton(() => text));
}

// start asks for what "refrain run" takes, shows the command line that does the same,
// and has the server check it with the rules of the command line while one types.
export async function start(from) {
  let options;
  try { options = await get("/api/start", { tree: from }); } catch (e) { return notice(e.message, e.hint, true); }
  const trees = options.trees ?? [];
  const tree = h("select", {}, trees.map((t) => h("option", { value: t.tree }, t.repository + (t.busy ? ` (${t.busy} is running)` : "") + " · " + t.tree)));
  tree.value = options.tree ?? trees[0]?.tree ?? "";
  const procedure = h("select", {}, h("option", { value: "" }, "none: the prompt is all"), (options.procedures ?? []).map((p) => h("option", { value: p.name }, p.name + (p.about ? ": " + p.about : ""))));
  const prompt = h("textarea", { placeholder: "Fix the failing tests", autofocus: true });
  const agent = h("select", {}, h("option", { value: "" }, options.agent ? `as set: ${options.agent}` : "as set"), (options.agents ?? []).map((a) => h("option", { value: a.name }, a.name + (a.installed ? "" : " (not installed)"))), h("option", { value: "command" }, "a command of your own"));
  const own = h("input.mono", { placeholder: "my-agent --headless", autocomplete: "off", spellcheck: "false" });
  const model = h("input", { autocomplete: "off", placeholder: "the agent's own" });
  const promise = h("input", { autocomplete: "off", placeholder: "DONE" });
  const gates = h("textarea.mono", { rows: 2, placeholder: "go test ./...", spellcheck: "false" });
  const most = h("input", { inputmode: "numeric", autocomplete: "off", placeholder: "as set" });
  const time = h("input", { autocomplete: "off", placeholder: "8h" });
  const cost = h("input", { inputmode: "decimal", autocomplete: "off", placeholder: "none" });
  const ask = h("input", { type: "checkbox", id: "start-ask" });
  const commit = h("input", { type: "checkbox", id: "start-commit" });
  const worktree = h("input", { type: "checkbox", id: "start-worktree" });
  const line = h("pre.well.wrap", {}, "…");
  const ownField = field("Command", own, "It gets the prompt on stdin.");
  const says = h("div", { "aria-live": "polite" });

  const wish = () => ({
    tree: tree.value, procedure: procedure.value, prompt: prompt.value.trim(), agent: agent.value === "command" ? "" : agent.value, model: model.value.trim(),
    command_line: agent.value === "command" ? own.value : undefined,
    promise: promise.value.trim(), gates: gates.value.split("\n").map((g) => g.trim()).filter(Boolean),
    max_iterations: typed(most), max_time: typed(time), max_cost_usd: typed(cost), ask: ask.checked, commit: commit.checked, worktree: worktree.checked,
  });
  let turn = 0;
  const look = rest(async () => {
    const mine = ++turn;
    ownField.hidden = agent.value !== "command";
    // Nobody is told off for a form that is still empty.
    if (!prompt.value.trim() && !procedure.value) { put(line, "…"); says.replaceChildren(); return; }
    if (agent.value === "command" && !own.value.trim()) { put(line, "…"); says.replaceChildren(h("p.small.dim", {}, "Which command?")); return; }
    try {
      const answer = await post("/api/start", { ...wish(), check: true });
      if (mine !== turn) return;
      put(line, answer.equal);
      says.replaceChildren(...(answer.warnings ?? []).map((w) => h("p.small.dim", {}, w)));
    } catch (e) {
      if (mine !== turn) return;
      if (e.rest?.equal) put(line, e.rest.equal);
      says.replaceChildren(h("div.refusal", {}, h("p", {}, e.message), e.hint && h("p.hint", {}, e.hint)));
    }
  }, 250);

  dialog("Start a run", (d) => {
    d.body.append(
      field("Work tree", tree), field("What to do", prompt, "A sentence is enough. With a procedure, it adds to its prompt."),
      h("div.pair", {}, field("Procedure", procedure), field("Agent", agent)), ownField,
      h("div.pair", {}, field("Done when it prints", promise, "A promise. The gates still decide."), field("Gates", gates, "One command a line, beside those of refrain.toml.")),
      h("div.triple", {}, field("Iterations", most), field("Time", time), field("Cost in USD", cost)),
      h("details.tool", {}, h("summary", {}, "More"), h("div.pad.stack", {}, field("Model", model), check(ask, "Ask me before each iteration"), check(commit, "Commit after each iteration"), check(worktree, "Work in a new work tree beside the repository"))),
      h("div.field", {}, h("span.label", {}, "The same in a terminal"), h("div.command", {}, line, copyButton(() => line.textContent))), says);
    ownField.hidden = true;
    d.body.addEventListener("input", look);
    d.body.addEventListener("change", look);
    tree.addEventListener("change", look);
    look();
  }, {
    act: "Start",
    submit: async (d) => {
      turn++; // what it answers now counts, and not what was still being looked at
      says.replaceChildren();
      if (agent.value === "command" && !own.value.trim()) { own.focus(); return d.refuse({ message: "an agent of your own needs its command", hint: "write it as in a shell" }); }
      d.says("starting");
      const answer = await post("/api/start", wish());
      say(`${answer.run} has started`);
      location.assign("/runs/" + encodeURIComponent(answer.id));
    },
  });
}
