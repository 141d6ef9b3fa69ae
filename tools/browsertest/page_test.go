package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// builder is an agent that works through a plan: its first iteration does one task,
// renames a file, adds a picture and a large file, and says much on both streams; its
// second says a line now and then for as long as it lives.
const builder = `#!/bin/sh
n=$(($(cat .n 2>/dev/null || echo 0) + 1)); echo $n > .n
if [ $n = 1 ]; then
  seq -f 'line %g of the output' 1 40000
  echo 'the cache is cold' >&2
  sed -i 's/- \[ \] read/- [x] read/' PLAN.md
  git mv old.txt new.txt && echo 'one more' >> new.txt
  head -c 2000 /dev/urandom > logo.png
  seq 1 900 > large.txt
  exit 0
fi
i=0
while :; do i=$((i + 1)); echo "step $i of $n."; sleep 0.3; done
`

// planned is a site with a run that works through a plan.
func planned(t *testing.T) *site {
	s := newSite(t)
	s.write("worker.sh", builder)
	s.write(".gitignore", ".n\n")
	s.write("PLAN.md", "# Plan\n- [x] begin\n- [ ] read **numbers**\n- [ ] write them\n  - [ ] sort them first\n")
	s.write("old.txt", strings.Repeat("a line that stays as it is\n", 40))
	s.command("git", "add", ".")
	s.command("git", "commit", "-qm", "plan")
	s.detach("-p", "# Read and write numbers", "--plan", "PLAN.md", "-n", "8", "--set", "loop.exit_zero_is_done=false", "--gate", "true", "--", "sh", "worker.sh")
	return s
}

// key presses a key, as on a keyboard.
func (p *tab) key(key string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(key))
}

// iterationDone is true once the first iteration has its bar.
const iterationDone = `document.querySelectorAll(".night .bars .f-ok").length >= 1 && document.querySelector(".night .bars .now")`

func TestWebShowsPlanOutputAndLargeDiffs(t *testing.T) {
	t.Parallel()
	s := planned(t)
	s.serve()
	p := s.open(browser(t))
	p.until("the run, by what it is for", `document.querySelector(".row h3 a")?.innerText === "Read and write numbers"`)
	eval[any](t, p.ctx, `document.querySelector(".row h3 a").click()`)
	p.until("the first iteration is over", iterationDone)
	p.until("what may still come", `document.querySelectorAll(".night .bars .ahead").length === 6`)

	s.command("refrain", "note", "Mind the gap")
	p.until("that somebody has stepped in", `document.querySelector(".night .glyph.steered")`)

	p.key("t")
	p.until("the plan, by its key", `document.querySelector("#tab-plan").getAttribute("aria-selected") === "true"`)
	p.until("its tasks", `document.querySelectorAll(".tasks li").length === 4 && document.querySelector("#panel-plan").innerText.includes("2 of 4 tasks done")`)
	tasks := eval[string](t, p.ctx, `[...document.querySelectorAll(".tasks li")].map(li => [li.querySelector(".box").getAttribute("aria-label"), ...li.innerText.split("\n").filter(w => w !== "✓")].join(" ")).join("; ")`)
	if want := "done begin; done read numbers iteration 1; at hand write them at hand; open sort them first"; tasks != want {
		t.Errorf("the tasks are %q, want %q", tasks, want)
	}
	p.press("iteration 1")
	p.until("a task leads to what its iteration changed", `location.hash === "#changes/1" && document.querySelectorAll(".file").length === 4`)
	files := eval[string](t, p.ctx, `[...document.querySelectorAll(".file")].map(f => f.innerText.replace(/\s+/g, " ")).join("\n")`)
	for _, want := range []string{"old.txt → new.txt", "% the same", "A binary file", "500 lines left out"} {
		if !strings.Contains(files, want) {
			t.Errorf("the changes do not say %q:\n%s", want, files)
		}
	}
	p.press("Show the whole file")
	p.until("all of a large file", `[...document.querySelectorAll(".file")].find(f => f.innerText.includes("large.txt")).querySelectorAll("tr.add").length === 900`)

	p.key("9")
	p.until("the raw output", `document.querySelector(".output")?.textContent.startsWith("line 1 of the output\n")`)
	p.until("no more of it than somebody wants", `!document.querySelector(".output").textContent.includes("line 40000 of")`)
	p.press("Go to the end")
	p.until("its end", `document.querySelector(".output").textContent.includes("line 40000 of the output")`)
	p.press("stderr")
	p.until("the other stream", `document.querySelector(".output").textContent === "the cache is cold\n"`)
	p.press("stdout")
	p.press("Whole run")
	p.until("the attempt under way", `document.querySelector("#panel-output strong").innerText === "Iteration 2" && /step \d+ of 2\./.test(document.querySelector(".output").textContent)`)
	before := eval[int](t, p.ctx, `document.querySelector(".output").textContent.length`)
	p.until("what comes is added", fmt.Sprintf(`document.querySelector(".output").textContent.length > %d`, before))

	axe := axeCore(t)
	for _, width := range []int64{1440, 390} {
		screen(t, p.ctx, width, 900, "screen", map[int64]string{1440: "light", 390: "dark"}[width])
		for _, part := range []string{"Plan", "Output"} {
			p.press(part)
			p.until("the part is shown", fmt.Sprintf(`document.querySelector("#panel-%s").checkVisibility()`, strings.ToLower(part)))
			if wide := eval[int64](t, p.ctx, `document.documentElement.scrollWidth`); wide > width {
				t.Errorf("%s: the page is %d wide on a screen of %d", part, wide, width)
			}
			p.photograph(fmt.Sprintf("%s-%d", strings.ToLower(part), width))
			for _, v := range violations(t, p, axe) {
				t.Errorf("%s at %d: %s", part, width, v)
			}
		}
	}

	p.key("?")
	p.until("the keys", `document.querySelector("dialog[open] .keys")?.innerText.includes("plan")`)
	p.key("\x1b")
	p.until("they are gone", `!document.querySelector("dialog[open]")`)
	p.key("[")
	p.until("the iteration before, by its key", `document.querySelector(".scope strong").innerText === "Iteration 1"`)
	p.key("w")
	p.until("the whole run, by its key", `document.querySelector(".scope strong").innerText === "Whole run"`)
	p.calm()
}

// What streams in must not move what somebody reads or is about to press, and nothing
// moves where less motion is wanted.
func TestWebHoldsStill(t *testing.T) {
	t.Parallel()
	s := planned(t)
	s.serve()
	p := s.open(browser(t))
	screen(t, p.ctx, 1440, 900, "screen", "light")
	p.until("the run", `document.querySelector(".row h3 a")`)
	eval[any](t, p.ctx, `document.querySelector(".row h3 a").click()`)
	p.until("the first iteration is over", iterationDone)
	p.until("text streams in", `document.querySelector(".talk")?.innerText.includes("step 3 of 2.")`)
	eval[any](t, p.ctx, `window.shifts = []; new PerformanceObserver(list => { for (const e of list.getEntries()) window.shifts.push({ value: e.value, of: e.sources.map(s => s.node?.className || s.node?.nodeName).join(" ") }); }).observe({ type: "layout-shift" }); 0`)
	seen := eval[int](t, p.ctx, `document.querySelectorAll(".entry").length`)
	p.until("more text, several times", fmt.Sprintf(`document.querySelectorAll(".entry").length > %d + 3`, seen))
	if moved := eval[float64](t, p.ctx, `window.shifts.filter(s => !s.of.includes("entry")).reduce((sum, s) => sum + s.value, 0)`); moved > 0.01 {
		t.Errorf("the page moved by %v while text streamed in: %s", moved, eval[string](t, p.ctx, `JSON.stringify(window.shifts)`))
	}
	if eval[int](t, p.ctx, `document.getAnimations().length`) == 0 {
		t.Error("nothing shows that the run is alive")
	}
	less := emulation.SetEmulatedMediaParams{Media: "screen", Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, less); err != nil {
		t.Fatal(err)
	}
	p.until("nothing moves where less motion is wanted", `document.getAnimations().length === 0`)
	p.calm()
}

// warner is an agent whose context is nearly full, and who is told so once.
const warner = `[[iteration]]
steps = [{ usage = { input = 1000, output = 10, context_percent = 75 } }, { text = "Nearly full." }, { write = "a.txt", content = "x\n" }]
`

func TestWebWarningsAreDismissedForGood(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("agent.toml", warner)
	s.command("git", "add", ".")
	s.command("git", "commit", "-qm", "agent")
	s.start("refrain", "run", "-o", "quiet", "-p", "Fill it", "-n", "1", "-a", "rehearsal", "--set", "agents.rehearsal.script=agent.toml", "--set", "context.warn=70").Run()
	s.serve()
	p := s.open(browser(t))
	p.until("the run", `document.querySelector(".row h3 a")`)
	eval[any](t, p.ctx, `document.querySelector(".row h3 a").click()`)
	p.until("the warning", `document.querySelector(".banner")?.checkVisibility() && document.querySelector(".banner").innerText.includes("75% full")`)
	p.press("Dismiss")
	p.until("it is gone", `!document.querySelector(".banner").checkVisibility()`)
	p.do(chromedp.Reload())
	p.until("the page is there again", `document.querySelectorAll(".entry").length > 0`)
	p.until("the warnings have come again", `performance.getEntriesByType("resource").some(e => e.name.endsWith("/warnings") && e.responseEnd > 0)`)
	if eval[bool](t, p.ctx, `document.querySelector(".banner").checkVisibility()`) {
		t.Error("the warning is back")
	}
	if hidden := eval[bool](t, p.ctx, `document.querySelector("#tab-plan").checkVisibility()`); hidden {
		t.Error("a run without a plan has a part for it")
	}
	p.press("Charts")
	p.until("the redline in the chart of the context", `document.querySelector("#chart-context .legend")?.innerText.includes("redline") && document.querySelector("#chart-context canvas")`)
	p.calm()
}
