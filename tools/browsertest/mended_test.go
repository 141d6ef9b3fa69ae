package browsertest

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// What a program prints is shown as a terminal shows it: every line, every space, its
// colours, and of a line that was written over, the last.
func TestWebShowsWhatAProgramPrints(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("plain.sh", `cat >/dev/null
printf 'total 12\n    indented __init__.py\n\n# no heading\n- no bullet\n10%%\r50%%\r100%%\n\033[31mred\033[0m\n'
sleep 2
printf 'later\r\n<promise>DONE</promise>\n'
`)
	s.command("refrain", "run", "-n", "1", "--until", "DONE", "-p", "x", "--", "sh", "plain.sh")
	s.serve()
	p := s.open(browser(t))
	p.theRun()
	p.hears("<promise>DONE</promise>")
	got := eval[string](t, p.ctx, `[...document.querySelectorAll(".talk .said")].map(e => e.innerText.replace(/\n$/, "")).join("\n")`)
	if want := "total 12\n    indented __init__.py\n\n# no heading\n- no bullet\n100%\nred\nlater\n<promise>DONE</promise>"; got != want {
		t.Errorf("the transcript shows\n%q, want\n%q", got, want)
	}
	if mono := eval[bool](t, p.ctx, `[...document.querySelectorAll(".talk .said")].every(e => getComputedStyle(e).fontFamily.includes("mono"))`); !mono {
		t.Error("it is not set as a terminal sets it")
	}
	if colour := eval[bool](t, p.ctx, `getComputedStyle(document.querySelector(".talk .said .t-fg1")).color !== getComputedStyle(document.querySelector(".talk .said")).color`); !colour {
		t.Error("what is red is not red")
	}
	p.calm()
}

// seen has the browser treat a tab as one that is looked at, beside others.
func (p *tab) seen() *tab {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		p.t.Fatal(err)
	}
	return p
}

// A browser opens six connections to a server. Eight windows side by side all load, all
// stay up to date, and all can act.
func TestWebEightWindows(t *testing.T) {
	t.Parallel()
	s := turning(t, "-n", "4")
	windows := []*tab{s.open(browser(t)).seen()}
	for len(windows) < 8 {
		windows = append(windows, windows[0].beside().seen())
	}
	for i, p := range windows {
		if i%2 == 0 {
			p.theRun()
			p.hears("Turn 1 has begun.")
		}
		p.until("it is connected", `document.querySelector("#link")?.dataset.is === "on" && !document.hidden`)
	}
	last := windows[6]
	last.press("Note")
	last.fill("What it should know", "Mind the gap")
	last.press("Add the note")
	last.closed()
	s.let("-1")
	for i, p := range windows {
		if i%2 == 0 {
			p.hears("Mind the gap")
			p.hears("Turn 2 has begun.")
			continue
		}
		p.until("the second iteration in the list", `document.querySelector(".row")?.innerText.includes("2 of 4")`)
	}
	windows[0].calm()
}

// A pause that is wished for while the run asks is shown, and the same key takes it back.
func TestWebPauseWhileItAsks(t *testing.T) {
	t.Parallel()
	s := turning(t, "-n", "4", "--ask")
	p := s.open(browser(t))
	p.theRun()
	p.until("the question", `document.querySelector(".head")?.dataset.asks`)
	p.key("p")
	p.until("what comes next", `document.querySelector(".head .next").innerText.includes("pauses when the question is answered")`)
	p.key("p")
	p.until("it is taken back", `document.querySelector(".head .next").innerText.includes("waits for your answer")`)
	p.calm()
}

// What is small: a limit is no news of a run that is over, links have names that tell
// them apart, a button that is off can be read under the pointer, times stay on one line,
// and a dialog has one scrollbar.
func TestWebSmallThings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("a.sh", "cat >/dev/null; echo working; date +%N >> a.txt")
	s.command("git", "add", ".")
	s.command("git", "commit", "-qm", "a")
	run := s.start("refrain", "run", "--worktree=side", "-n", "10", "--set", "stop.no_progress=0", "--until", "DONE", "-p", "Tidy up", "--", "sh", "a.sh")
	if out, err := run.CombinedOutput(); run.ProcessState.ExitCode() != 2 {
		t.Fatalf("the run: %v\n%s", err, out)
	}
	s.serve()
	p := s.open(browser(t))
	p.until("the run", `document.querySelector(".row h3 a")`)
	if name := eval[string](t, p.ctx, `document.querySelector(".row h3 a").getAttribute("aria-label")`); name != "Tidy up, run-1, shop" {
		t.Errorf("the link is called %q", name)
	}
	p.theRun()
	p.hears("working")
	p.until("the warnings have come", `performance.getEntriesByType("resource").some(r => r.name.endsWith("/warnings"))`)
	if banner := p.text(".banner"); banner != "" {
		t.Errorf("a run that is over warns: %s", banner)
	}
	if text := p.text(".crumbs"); text == "" || !eval[bool](t, p.ctx, `document.querySelector(".crumbs").innerText.includes("shop")`) {
		t.Errorf("it is in %q", text)
	}

	p.do(chromedp.EmulateViewport(3840, 2160))
	if tall := eval[bool](t, p.ctx, `[...document.querySelectorAll(".entry > time")].some(t => t.innerText && t.getClientRects().length && t.scrollHeight > 1.9 * parseFloat(getComputedStyle(t).fontSize) + 3)`); tall {
		t.Error("a time takes two lines")
	}
	p.do(chromedp.EmulateViewport(1440, 900))

	// Its Resume is off while another run has the work tree; here the page says so itself.
	eval[any](t, p.ctx, `[...document.querySelectorAll(".head .button.main")].find(b => b.innerText === "Resume" && b.checkVisibility()).setWhy("not now")`)
	colours := `(() => { const c = getComputedStyle([...document.querySelectorAll(".head .button.main")].find(b => b.innerText === "Resume" && b.checkVisibility())); return c.color + " on " + c.backgroundColor; })()`
	before := eval[string](t, p.ctx, colours)
	at := eval[[]float64](t, p.ctx, `(() => { const b = [...document.querySelectorAll(".head .button.main")].find(b => b.innerText === "Resume" && b.checkVisibility()).getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()`)
	if _, err := chromedp.Call(p.ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: "mouseMoved", X: at[0], Y: at[1]}); err != nil {
		t.Fatal(err)
	}
	p.until("the pointer is on it", `document.querySelector(".head .button:hover")`)
	if after := eval[string](t, p.ctx, colours); after != before {
		t.Errorf("a button that is off is %s, and %s under the pointer", before, after)
	}

	p.goTo(s.address("/"))
	p.do(chromedp.EmulateViewport(720, 450))
	p.press("Start a run")
	p.until("the dialog", `document.querySelector("dialog[open] .body")`)
	if two := eval[bool](t, p.ctx, `(() => { const d = document.querySelector("dialog[open]"); return d.scrollHeight > d.clientHeight && getComputedStyle(d).overflowY !== "hidden"; })()`); two {
		t.Error("the dialog scrolls, and what is in it, too")
	}
	if lost := eval[bool](t, p.ctx, `(() => { const d = document.querySelector("dialog[open]").getBoundingClientRect(), b = document.querySelector("dialog[open] button[type=submit]").getBoundingClientRect(); return b.bottom > d.bottom || d.bottom > innerHeight; })()`); lost {
		t.Error("the button of the dialog cannot be seen")
	}
	p.goTo(s.address("/nosuch"))
	p.until("a page for people", `document.querySelector("main h1")?.innerText === "Not here" && !document.body.innerText.includes("connecting")`)
}
