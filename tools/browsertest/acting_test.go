package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// turns is an agent that keeps its session, and ends a turn when it is let: the test
// decides how far the run is, and waits for nothing else. What it was told and who it
// was is kept beside the project.
const turns = `#!/bin/sh
n=$(($(cat ../ctl/n 2>/dev/null || echo 0) + 1)); echo $n > ../ctl/n
cat > ../ctl/prompt-$n
echo "$n ${2:-new}" >> ../ctl/sessions
printf '{"type":"agent.session","session":"%s"}\n' "${2:-s$n}"
echo "line $n" >> a.txt
printf '{"type":"agent.text","text":"Turn %d has begun."}\n' $n
until test -e ../ctl/go-$n || test -e ../ctl/go; do sleep 0.05; done
test -e ../ctl/done && printf '{"type":"agent.text","text":"<promise>DONE</promise>"}\n'
printf '{"type":"agent.result","ok":true}\n'
`

// turning is a site with a live run of that agent.
func turning(t *testing.T, args ...string) *site {
	s := newSite(t)
	s.write("turns.sh", turns)
	s.write("refrain.toml", "[agents.turns]\ncommand = [\"sh\", \"turns.sh\"]\nformat = \"rehearsal\"\nresume_flag = \"--resume\"\n")
	s.command("git", "add", ".")
	s.command("git", "commit", "-qm", "turns")
	s.must(os.Mkdir(filepath.Join(s.root, "ctl"), 0o700))
	s.command("refrain", "trust")
	s.detach(append([]string{"-a", "turns", "-p", "Take turns", "--until", "DONE"}, args...)...)
	s.serve()
	return s
}

func (s *site) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// ctl is what stands in a file beside the project; nothing when it is not there yet.
func (s *site) ctl(name string) string {
	b, _ := os.ReadFile(filepath.Join(s.root, "ctl", name))
	return string(b)
}

// let lets a turn of the agent end; "" is all of them.
func (s *site) let(turn string) {
	s.t.Helper()
	s.must(os.WriteFile(filepath.Join(s.root, "ctl", "go"+turn), nil, 0o600))
}

// await waits for something that is no page's.
func (s *site) await(what string, is func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("%s: never so", what)
		}
	}
}

// beside opens another tab of the same browser.
func (p *tab) beside() *tab {
	p.t.Helper()
	ctx, closeTab := chromedp.NewContext(p.ctx)
	p.t.Cleanup(closeTab)
	return p.site.open(ctx)
}

// theRun opens the page of the only run.
func (p *tab) theRun() {
	p.t.Helper()
	p.until("the run", `document.querySelector(".row h3 a")`)
	eval[any](p.t, p.ctx, `document.querySelector(".row h3 a").click()`)
	p.until("the page of the run", `location.pathname.startsWith("/runs/") && document.querySelector("#link")?.dataset.is === "on"`)
}

// is waits for the state of the run, in everyday words.
func (p *tab) is(state string) {
	p.t.Helper()
	p.until("it is "+state, fmt.Sprintf(`document.querySelector(".head .chip")?.innerText.toLowerCase().includes(%q)`, state))
}

// hears waits for something that the agent or the run says.
func (p *tab) hears(text string) {
	p.t.Helper()
	p.until("it says "+text, fmt.Sprintf(`document.querySelector(".talk")?.textContent.includes(%q)`, text))
}

// choose takes an entry of the menu.
func (p *tab) choose(label string) {
	p.t.Helper()
	p.press("More ▾")
	p.press(label)
}

// confirm does what an open dialog is for.
func (p *tab) confirm() {
	p.t.Helper()
	p.until("a dialog", `document.querySelector("dialog[open] button[type=submit]")`)
	eval[any](p.t, p.ctx, `document.querySelector("dialog[open] button[type=submit]").click()`)
}

func (p *tab) closed() {
	p.t.Helper()
	p.until("the dialog is closed", `!document.querySelector("dialog[open]")`)
}

// Two tabs show one run. Whatever is done in one is seen in the other, and what the page
// says has happened has happened.
func TestWebSteersALiveRun(t *testing.T) {
	t.Parallel()
	s := turning(t, "--session", "keep", "-n", "4")
	one := s.open(browser(t))
	two := one.beside()
	one.theRun()
	two.theRun()
	one.hears("Turn 1 has begun.")

	// A note reaches the prompt of the next agent, and no other.
	one.press("Note")
	one.fill("What it should know", "Mind the gap, and \"quotes\"")
	one.press("Add the note")
	one.closed()
	two.hears("Mind the gap")

	// A pause holds after this iteration. Until then nothing says that it is paused.
	one.press("Pause")
	one.until("what the run answered", `document.querySelector("#notices")?.innerText.includes("after this iteration")`)
	if state := one.text(".head .chip"); state != "running" {
		t.Errorf("before the iteration has ended it is %q", state)
	}
	s.let("-1")
	one.is("paused")
	two.is("paused")
	if s.ctl("prompt-2") != "" {
		t.Error("another agent was started")
	}
	two.press("Resume")
	two.is("running")
	one.is("running")
	one.hears("Turn 2 has begun.")
	two.hears("Turn 2 has begun.")
	if told := s.ctl("prompt-2"); !strings.Contains(told, `Mind the gap, and "quotes"`) {
		t.Errorf("the second agent was told %q", told)
	}

	// A skipped iteration is over at once, though nobody has let the agent go.
	two.choose("Skip")
	one.hears("Turn 3 has begun.")
	one.until("the skipped one on the timeline", `document.querySelectorAll(".night .bars rect").length >= 2`)
	one.press("Iterations")
	one.until("the skipped one in the table", `document.querySelector(".virtual .body")?.innerText.includes("skipped")`)
	one.press("Transcript")
	if told := s.ctl("prompt-3"); strings.Contains(told, "Mind the gap") {
		t.Errorf("the third agent is still told %q", told)
	}

	// A fresh session for the next one.
	one.choose("Fresh session")
	one.until("what the run answered", `document.querySelector("#notices")?.innerText.includes("fresh session")`)
	s.let("-3")
	two.hears("Turn 4 has begun.")
	if who := strings.Fields(s.ctl("sessions")); len(who) != 8 || who[5] == "new" || who[7] != "new" {
		t.Errorf("the sessions are %q", who)
	}

	// This is the last one, unless somebody gives it more.
	one.until("the limit", `/of 4\b/.test(document.querySelector(".facts").innerText)`)
	two.choose("Raise a limit")
	two.fill("Limit", "loop.max_iterations")
	two.fill("New total", "six")
	two.confirm()
	two.until("what is no number is refused in words", `document.querySelector("dialog .refusal")?.innerText.includes("six")`)
	two.fill("New total", "6")
	two.confirm()
	two.closed()
	one.until("the new limit", `/of 6\b/.test(document.querySelector(".facts").innerText)`)
	s.let("-4")
	one.hears("Turn 5 has begun.")

	// Stopping waits for the iteration, says so, and comes back when it is over.
	one.press("Stop")
	one.confirm()
	one.until("it waits", `document.querySelector("dialog[open] .says").innerText.includes("Waiting")`)
	two.hears("Received stop") // the page waits from the click on, and the run may not know yet
	s.let("-5")
	one.until("it is told in the end", `document.querySelector("#notices")?.innerText.includes("All its processes are gone")`)
	one.is("stopped")
	two.is("stopped")
	two.quiet("409")
	one.calm()
	two.calm()
}

// Files go back to a checkpoint, and the run goes on from there.
func TestWebRollsBackAndGoesOn(t *testing.T) {
	t.Parallel()
	s := turning(t, "-n", "2")
	s.let("-1")
	p := s.open(browser(t))
	p.theRun()
	p.hears("Turn 2 has begun.")

	// What cannot be done now says why, to eyes, keyboard and screen readers.
	why := "the run is alive: stop it first"
	p.press("More ▾")
	p.until("why not, in the menu", fmt.Sprintf(`[...document.querySelectorAll("[role=menuitem]")].some(b => b.innerText.includes("Roll back") && b.innerText.includes(%q) && b.getAttribute("aria-disabled") === "true")`, why))
	for range 8 { // as somebody without a pointer gets there
		if eval[bool](t, p.ctx, `document.activeElement.innerText?.startsWith("Roll back") ?? false`) {
			break
		}
		p.do(chromedp.KeyEvent(kb.ArrowDown))
	}
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until("it is read out", fmt.Sprintf(`document.getElementById("say").innerText === %q`, why))
	p.do(chromedp.KeyEvent(kb.Escape))
	p.press("Checkpoints")
	p.until("why not, at a checkpoint", fmt.Sprintf(`[...document.querySelectorAll("#panel-checkpoints button")].some(b => b.getAttribute("aria-disabled") === "true" && b.getAttribute("aria-description") === %q && b.tabIndex === 0 && !b.disabled)`, why))

	s.let("-2")
	p.is("exhausted")
	if got := s.read("a.txt"); got != "one\ntwo\nthree\nline 1\nline 2\n" {
		t.Fatalf("the run has left %q", got)
	}
	s.write("a.txt", "mine\n") // what a person has done since is kept, too

	p.until("it can be rolled back now", `[...document.querySelectorAll("#panel-checkpoints button")].some(b => b.innerText === "Roll back to here" && !b.hasAttribute("aria-disabled"))`)
	p.press("Roll back to here: iteration 1")
	p.until("which files", `document.querySelector("dialog[open]").innerText.includes("a.txt")`)
	if s.read("a.txt") != "mine\n" {
		t.Error("who only looks has changed files")
	}
	p.confirm()
	p.until("it is done", `document.querySelector("dialog[open] h2").innerText === "Rolled back"`)
	if got := s.read("a.txt"); got != "one\ntwo\nthree\nline 1\n" {
		t.Errorf("after the rollback a.txt has %q", got)
	}
	undo := p.text("dialog[open] pre")
	p.press("Close")
	p.until("the mark on the timeline", `document.querySelector(".night .glyph.back")`)
	s.shell(undo + " --yes")
	if got := s.read("a.txt"); got != "mine\n" {
		t.Errorf("%s gave back %q", undo, got)
	}

	// It goes on, with more room; less is refused in the words of the command line.
	p.until("nobody is at work in the tree any more", `[...document.querySelectorAll(".head button")].some(b => b.innerText === "Resume" && b.checkVisibility() && !b.hasAttribute("aria-disabled"))`)
	p.press("Resume")
	p.fill("Iterations", "2")
	p.confirm()
	p.until("what changes nothing is refused", `document.querySelector("dialog .refusal")?.innerText.includes("would only end again")`)
	p.fill("Iterations", "5")
	p.confirm()
	p.closed()
	p.is("running")
	p.press("Transcript")
	p.hears("Turn 3 has begun.")
	s.must(os.WriteFile(filepath.Join(s.root, "ctl", "done"), nil, 0o600))
	s.let("")
	p.is("done")
	p.until("it cannot be resumed, and says why", `[...document.querySelectorAll(".head button")].some(b => b.innerText === "Resume" && b.getAttribute("aria-disabled") === "true" && b.getAttribute("aria-description").includes("done"))`)
	p.quiet("422")
	p.calm()
}

func (s *site) read(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.tree, name))
	s.must(err)
	return string(b)
}

// shell runs a line as a person does who copies it.
func (s *site) shell(line string) (out string, ok bool) {
	cmd := s.start("sh", "-c", line)
	cmd.Env = append(cmd.Env, "PATH="+filepath.Dir(s.program)+":"+os.Getenv("PATH"))
	b, err := cmd.CombinedOutput()
	return string(b), err == nil
}
