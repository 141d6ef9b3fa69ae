package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
)

// worker is an agent that says what it does line by line, changes a file and claims
// to be done; the third does not come to an end. It leaves a process behind, and
// writes down who it is.
const worker = `#!/bin/sh
n=$(($(cat .n 2>/dev/null || echo 0) + 1)); echo $n > .n
echo $$ >> .pids
sleep 1000 & echo $! >> .pids
[ $n -lt 3 ] || { echo "Working on $n: step 1."; sleep 1000; }
for i in 1 2 3 4 5 6; do echo "Working on $n: step $i."; sleep 0.2; done
echo "line $n" >> a.txt
printf '\n<promise>DONE</promise>\n'
`

// busy is a site whose worker ignores its own notes.
func busy(t *testing.T) *site {
	s := newSite(t)
	s.write("worker.sh", worker)
	s.write(".gitignore", ".n\n.pids\n")
	s.command("git", "add", ".")
	s.command("git", "commit", "-qm", "worker")
	return s
}

func (s *site) detach(args ...string) {
	s.t.Helper()
	s.command("refrain", append([]string{"run", "--detach", "--set", "stop.no_progress=0", "--set", "stop.red_gates=0"}, args...)...)
}

func TestWebStartsWatchesAndStopsARun(t *testing.T) {
	t.Parallel()
	s := busy(t)
	s.serve()
	p := s.open(browser(t))
	p.until("an empty overview says what to do", `document.querySelector(".empty h2")?.innerText === "No runs yet"`)
	if strings.Contains(eval[string](t, p.ctx, `location.href`), "token") {
		t.Error("the token stands in the address bar")
	}

	p.press("Start a run")
	p.fill("What to do", "Count to six")
	p.fill("Agent", "command")
	p.fill("Command", "sh worker.sh")
	p.fill("Time", "eight parsecs")
	p.until("a wrong time is refused in words", `document.querySelector("dialog .refusal")?.innerText.includes("parsecs")`)
	p.fill("Time", "")
	p.fill("Done when it prints", "DONE")
	p.fill("Gates", "test -f done.txt")
	p.fill("Iterations", "500")
	p.until("the command line that does the same", `/^refrain -C .* run .*--until[= ]DONE.*500.*-- sh worker.sh$/s.test(document.querySelector("dialog pre").innerText) && !document.querySelector("dialog .refusal")`)
	p.press("Start")

	p.until("the page of the run", `location.pathname.startsWith("/runs/")`)
	p.until("what the agent says, while it says it", `document.querySelector(".talk")?.innerText.includes("Working on 1: step")`)
	p.until("it is running", `document.querySelector(".head .chip").innerText === "running"`)
	p.until("bars", `document.querySelectorAll(".night .bars rect").length >= 2`)
	p.until("a refused claim on the timeline", `document.querySelector(".night .glyph.refused")`)
	before := eval[string](t, p.ctx, `document.querySelector(".facts dd").innerText`)
	p.until("the iteration counts on", fmt.Sprintf(`document.querySelector(".facts dd").innerText !== %q`, before))

	p.press("Charts")
	p.until("a chart with data", `(() => { const c = document.querySelector("#chart-duration canvas"); if (!c) return false; const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 3; i < d.length; i += 4) if (d[i]) n++; return n > 500; })()`)
	p.press("Changes")
	p.until("a diff", `[...document.querySelectorAll(".diff td.add, .diff tr.add")].some(e => e.innerText.includes("line 1"))`)
	p.press("Unified")
	p.until("the diff one below the other", `document.querySelector(".diff:not(.split) tr.add")`)
	p.press("Claims")
	p.until("why the claim was refused", `document.querySelector(".claims")?.innerText.includes("Refused")`)
	p.press("Gates")
	p.until("the gate", `document.querySelector("#panel-gates .chip.bad")`)
	p.press("Prompt")
	p.until("the prompt", `document.querySelector("#panel-prompt").innerText.includes("Count to six")`)
	p.press("Events")
	p.until("raw events", `document.querySelectorAll(".raw li").length > 20`)
	p.press("Iterations")
	p.until("rows", `document.querySelectorAll(".virtual .body [role=row]").length >= 1`)
	eval[any](t, p.ctx, `document.querySelector(".virtual .body [role=row]").click()`)
	p.until("the row leads to its iteration", `/#iterations\/\d/.test(location.hash) && document.querySelector(".scope strong").innerText.startsWith("Iteration")`)
	p.press("Whole run")

	p.press("Note")
	p.fill("What it should know", "Mind the gap")
	p.press("Add the note")
	p.press("Transcript")
	p.until("the note has reached the run", `!document.querySelector("dialog[open]")`)

	p.press("More ▾")
	p.press("Stop now")
	p.until("the question", `document.querySelector("dialog[open]")`)
	eval[any](t, p.ctx, `document.querySelector("dialog[open] button[type=submit]").click()`)
	p.until("it says that its processes are gone", `document.querySelector("#notices")?.innerText.includes("All its processes are gone")`)
	p.until("it is over", `document.querySelector(".head .chip").innerText.includes("stopped")`)
	nobody(t, filepath.Join(s.tree, ".pids"))
	p.quiet("422") // a wrong time was refused
	p.until("it can be resumed", `[...document.querySelectorAll(".head button")].some(b => b.innerText === "Resume" && b.checkVisibility() && b.getAttribute("aria-disabled") !== "true")`)
	p.calm()
}

// The tests of a gate are listed one by one, those that fail first with what they say.
func TestWebListsEachTest(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("gate.sh", `cat <<END
<testsuite name="s" tests="3" failures="1">
<testcase classname="shop.Cart" name="adds" time="0.31"/>
<testcase classname="shop.Cart" name="total" time="1.25"><failure message="want &lt;b>3&lt;/b>"/></testcase>
<testcase classname="shop.Cart" name="later"><skipped/></testcase>
</testsuite>
END
exit 1
`)
	s.detach("-n", "1", "-p", "go", "--until", "DONE", "--gate", "sh gate.sh", "--", "true")
	s.serve()
	p := s.open(browser(t))
	p.until("the run is over", `document.querySelector(".row h3 a")?.closest("li").innerText.includes("1 of 1")`)
	p.goTo(s.address(eval[string](t, p.ctx, `document.querySelector(".row h3 a").pathname`) + "#gates"))
	p.until("the tests of the gate", `[...document.querySelectorAll("#panel-gates details summary")].some(e => e.innerText.includes("1 failed"))`)
	eval[any](t, p.ctx, `[...document.querySelectorAll("#panel-gates details summary")].find(e => e.innerText.includes("1 failed")).click()`)
	p.until("those that fail first, as they were printed", `/failed\s+1\.3s\s+shop\.Cart\.total\s+want <b>3<\/b>\s+passed\s+310ms\s+shop\.Cart\.adds\s+skipped\s+shop\.Cart\.later/.test(document.querySelector("#panel-gates").innerText)`)
	eval[any](t, p.ctx, `document.querySelector("#panel-gates details[open]:last-of-type").scrollIntoView()`)
	p.settled()
	p.photograph("each-test")
	for _, v := range violations(t, p, axeCore(t)) {
		t.Error(v)
	}
	p.calm()
}

// nobody fails the test when one of the processes in a file is still there.
func nobody(t *testing.T, file string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.Fields(string(b)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		if syscall.Kill(pid, 0) == nil {
			t.Errorf("process %d is still there", pid)
		}
	}
}

func TestWebAnswersAQuestion(t *testing.T) {
	t.Parallel()
	s := busy(t)
	s.detach("-p", "Count to six", "--until", "NEVER", "-n", "5", "--ask", "--", "sh", "worker.sh")
	s.serve()
	p := s.open(browser(t))
	p.until("it needs me", `document.querySelector("#group-needs")?.checkVisibility() && document.querySelector("#group-needs").closest("section").innerText.includes("run-1")`)
	p.press("Answer")
	p.until("the question with its choices", `document.querySelectorAll("dialog[open] .segments button").length >= 2`)
	p.until("the next prompt", `document.querySelector("dialog[open]").textContent.includes("Count to six")`)
	eval[any](t, p.ctx, `document.querySelector("dialog[open] button[type=submit]").click()`)
	p.until("it goes on", `!document.querySelector("dialog[open]") && document.querySelector("#group-live")?.checkVisibility()`)
	eval[any](t, p.ctx, `document.querySelector(".row h3 a").click()`)
	p.until("what the agent says", `document.querySelector(".talk")?.innerText.includes("Working on 1: step")`)
	p.until("the next question", `document.querySelector(".head[data-asks]")`)
	p.calm()
}

func TestWebPageComesLateAndOutlivesTheServer(t *testing.T) {
	t.Parallel()
	s := counting(t)
	s.serve()
	p := s.open(browser(t)) // which takes its time, and only a few hundred entries are shown at once
	s.count()
	s.counted(30)
	p.theRun()
	p.until("what was said before the page came", `document.querySelector(".talk")?.textContent.includes("number 1.")`)

	s.kill(syscall.SIGKILL)
	p.until("it says that the connection is lost", `document.querySelector("#link").innerText.includes("connection lost")`)
	seen := eval[int](t, p.ctx, latest)
	s.counted(seen + 20)
	s.serve()
	p.until("it is live again", `document.querySelector("#link").dataset.is === "on"`)
	p.until("it has caught up", fmt.Sprintf(`%s > %d`, latest, seen+20))
	p.gapless()

	// Who reads further up is left in peace, and told how much is new.
	eval[any](t, p.ctx, `document.querySelector(".talk").scrollTop = 0`)
	fresh := `Number(/(\d+) new entr/.exec([...document.querySelectorAll("#panel-transcript .button.more")].find(b => b.checkVisibility())?.innerText)?.[1] ?? 0)`
	p.until("it says how much is new", fresh+` > 0`)
	at, n := eval[float64](t, p.ctx, `document.querySelector(".talk").scrollTop`), eval[int](t, p.ctx, fresh)
	p.until("more is new", fmt.Sprintf(`%s > %d`, fresh, n+5))
	if now := eval[float64](t, p.ctx, `document.querySelector(".talk").scrollTop`); now != at {
		t.Errorf("the transcript moved from %v to %v while it was read", at, now)
	}
	eval[any](t, p.ctx, `[...document.querySelectorAll("#panel-transcript .button.more")].find(b => b.checkVisibility()).click()`)
	p.until("it follows again", `(() => { const l = document.querySelector(".talk"); return l.scrollHeight - l.scrollTop - l.clientHeight < 60; })()`)
	p.quiet("Failed to load resource", "ERR_CONNECTION_REFUSED", "net::ERR")

	// The runner is killed: the page says that it died.
	out := s.command("refrain", "status", "--json")
	pid, err := strconv.Atoi(between(out, `"pid": `, `,`))
	if err != nil {
		t.Fatalf("no pid in %s", out)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.until("the crash is shown as such", `/crashed|died/.test(document.querySelector(".head .chip").innerText)`)
	p.calm()
}

func between(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, to)
	return strings.TrimSpace(text)
}

// quiet forgets complaints that the test itself has caused.
func (p *tab) quiet(words ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var kept []string
	for _, m := range p.said {
		ours := false
		for _, w := range words {
			ours = ours || strings.Contains(m, w)
		}
		if !ours {
			kept = append(kept, m)
		}
	}
	p.said = kept
}

// hostile is an agent that wants to act on the page.
const hostile = `#!/bin/sh
echo '<script>window.hacked = 1</script>'
echo '<img src=x onerror="window.hacked = 2">'
echo '[click me](javascript:window.hacked=3) and [me](data:text/html,<script>1</script>)'
echo '![picture](http://127.0.0.1:9/spy.png)'
echo '<style>body { display: none }</style> <iframe src="http://127.0.0.1:9/"></iframe> <form action="http://127.0.0.1:9/"><input name=a></form>'
printf '\033]0;a new title\007\033[31mred\033[0m \033]8;;http://127.0.0.1:9/link\033\\link\033]8;;\033\\ \033[2J\033[1;1H\n'
printf '<b onmouseover="window.hacked=4">over</b> \342\200\256backwards\n'
echo '<script>window.hacked = 5</script>' > '<img src=x onerror=hacked=6>.html'
cat '<img src=x onerror=hacked=6>.html' > b.html
echo '<promise>DONE</promise>'
`

func TestWebShowsHostileOutputAsText(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("hostile.sh", hostile)
	s.command("git", "add", ".")
	s.command("git", "commit", "-qm", "hostile")
	s.start("refrain", "run", "-o", "quiet", "-p", `<script>window.hacked = 7</script> ![x](http://127.0.0.1:9/p.png)`, "--until", "DONE", "-n", "2",
		"--gate", `echo '<script>window.hacked = 8</script>'; printf '\033[32mgreen\033[0m'; exit 1`, "--", "sh", "hostile.sh").Run()
	s.serve()
	p := s.open(browser(t))
	title := eval[string](t, p.ctx, `document.title`)
	p.until("the run", `document.querySelector(".row h3 a")`)
	eval[any](t, p.ctx, `document.querySelector(".row h3 a").click()`)
	p.until("the output, as text", `document.querySelector(".talk")?.textContent.includes("window.hacked = 1")`)
	for _, part := range []string{"Transcript", "Iterations", "Charts", "Changes", "Gates", "Claims", "Checkpoints", "Prompt", "Output", "Events"} {
		p.press(part)
		p.settled()
	}
	p.press("Transcript")
	if bad := eval[string](t, p.ctx, `[...document.querySelectorAll("main script, main img, main iframe, main form, main style, main object, main a[href^=javascript], main a[href^=data], main [onerror], main [onmouseover]")].map(e => e.outerHTML).join("\n")`); bad != "" {
		t.Errorf("the page holds what an agent wrote as its own:\n%s", bad)
	}
	if eval[bool](t, p.ctx, `"hacked" in window`) {
		t.Error("text of the agent's ran as a script")
	}
	if text := eval[string](t, p.ctx, `document.querySelector(".talk").textContent`); strings.ContainsAny(text, "\x1b\x07") {
		t.Errorf("escapes of a terminal are in the page: %q", text)
	}
	if now := eval[string](t, p.ctx, `document.title`); !strings.Contains(now, "Refrain") || title == "" {
		t.Errorf("the title is %q", now)
	}
	p.calm()
}

// looks are the screens on which the page is looked at.
var looks = []struct {
	width, tall int64
	scheme      string
}{
	{1440, 900, "light"}, {1440, 900, "dark"}, {1024, 768, "light"}, {1024, 768, "dark"}, {390, 844, "light"}, {390, 844, "dark"}, {360, 740, "light"}, {3840, 2160, "dark"},
}

// night makes runs of all kinds: a rehearsed night, the demo, one that asks, one that
// is live.
func night(t *testing.T) *site {
	s := busy(t)
	s.write("refrain.toml", "[done]\npromise = \"DONE\"\n[[gate]]\nname = \"test\"\nrun = \"test -f done.txt\"\nwhen = \"claim\"\n")
	s.write("PROMPT.md", "Greet everybody by name.\n")
	s.command("git", "add", ".")
	s.command("git", "commit", "-qm", "greet")
	file, err := filepath.Abs("../../docs/examples/night.toml")
	if err != nil {
		t.Fatal(err)
	}
	s.command("refrain", "rehearse", file, "--trust", "--start", "22:00", "--commit", "--branch=greeting", "--keep", "--set", "prompt=PROMPT.md")
	s.command("refrain", "demo", "-o", "quiet")
	s.detach("--trust", "-p", "Greet those who come late", "--until", "NEVER", "-n", "5", "--ask", "--", "sh", "worker.sh")
	s.detach("-C", s.another("parser"), "-p", "Read numbers with an exponent", "--until", "NEVER", "-n", "20", "--", "sh", "worker.sh")
	return s
}

// another makes a project beside the first, with the worker in it.
func (s *site) another(name string) string {
	s.t.Helper()
	dir := filepath.Join(s.root, name)
	s.command("git", "clone", "-q", s.tree, dir)
	if err := os.Remove(filepath.Join(dir, "refrain.toml")); err != nil {
		s.t.Fatal(err)
	}
	return dir
}

func TestWebLooksRightAndReadsAloud(t *testing.T) {
	t.Parallel()
	s := night(t)
	s.serve()
	p := s.open(browser(t))
	p.until("the runs", `document.querySelectorAll(".row").length === 4`)
	nightly := eval[string](t, p.ctx, `[...document.querySelectorAll(".row h3 a")].find(a => a.closest("li").innerText.includes("8 of 50")).pathname`)
	asking := eval[string](t, p.ctx, `[...document.querySelectorAll(".row h3 a")].find(a => a.closest("section").innerText.startsWith("Needs")).pathname`)
	views := []struct {
		name, path, ready, press string
	}{
		{"overview", "/", `document.querySelectorAll(".row").length === 4`, ""},
		{"start", "/", `document.querySelectorAll(".row").length === 4`, "Start a run"},
		{"keys", "/", `document.querySelectorAll(".row").length === 4`, "Keys"},
		{"run", nightly, `document.querySelectorAll(".night .bars rect").length > 8 && document.querySelectorAll(".entry").length > 5`, ""},
		{"iterations", nightly + "#iterations", `document.querySelectorAll(".virtual .body [role=row]").length > 5`, ""},
		{"charts", nightly + "#charts", `document.querySelector("#chart-duration canvas")`, ""},
		{"changes", nightly + "#changes", `document.querySelector(".diff")`, ""},
		{"gates", nightly + "#gates", `document.querySelector("#panel-gates .chip")`, ""},
		{"claims", nightly + "#claims", `document.querySelector(".claims li")`, ""},
		{"checkpoints", nightly + "#checkpoints", `document.querySelector("#panel-checkpoints tbody tr")`, ""},
		{"prompt", nightly + "#prompt", `document.querySelector("#panel-prompt .said")`, ""},
		{"events", nightly + "#events", `document.querySelectorAll(".raw li").length > 20`, ""},
		{"resume", nightly, `document.querySelector(".head .button")`, "Resume"},
		{"asking", asking, `document.querySelector(".head[data-asks]")`, ""},
		{"menu", asking, `document.querySelector(".head[data-asks]")`, "More ▾"},
		{"answer", asking, `document.querySelector(".head[data-asks]")`, "Answer"},
		{"note", asking, `document.querySelector(".head[data-asks]")`, "Note"},
	}
	axe := axeCore(t)
	// By daylight and at night, each in a browser of its own.
	for _, scheme := range []string{"light", "dark"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			here := *s
			here.t = t
			p := here.open(browser(t))
			for _, v := range views {
				for _, look := range looks {
					if look.scheme != scheme || v.name != "overview" && v.name != "run" && (look.width == 3840 || look.width == 360) {
						continue
					}
					screen(t, p.ctx, look.width, look.tall, "screen", look.scheme)
					p.goTo("about:blank")
					p.goTo(s.address(v.path))
					p.until(v.name+" is there", v.ready)
					if v.press != "" {
						p.press(v.press)
					}
					p.settled()
					name := fmt.Sprintf("%s-%d-%s", v.name, look.width, look.scheme)
					wide := eval[int64](t, p.ctx, `document.documentElement.scrollWidth`)
					if wide > look.width {
						t.Errorf("%s: the page is %d wide", name, wide)
					}
					p.photograph(name)
					if look.width == 1440 || look.width == 390 {
						for _, v := range violations(t, p, axe) {
							t.Errorf("%s: %s", name, v)
						}
					}
				}
			}
			p.calm()
		})
	}
	p.calm()
}

// settled waits until what comes after the first paint has come: nothing was asked for
// in the last frames, and all of it is painted.
func (p *tab) settled() {
	p.t.Helper()
	eval[any](p.t, p.ctx, `window.calmFor = 0; { let had = -1; const look = () => { const n = performance.getEntriesByType("resource").length; calmFor = n === had ? calmFor + 1 : 0; had = n; if (calmFor < 12) requestAnimationFrame(look); }; look(); } 0`)
	p.until("it is settled", `calmFor >= 12`)
}

// axeCore gives the source of axe-core, which scripts/test-browser fetches: it is
// nothing that we ship.
func axeCore(t *testing.T) string {
	t.Helper()
	file := os.Getenv("AXE_CORE")
	if file == "" {
		t.Log("SKIPPED: what axe-core has to say, for AXE_CORE names no file of it (scripts/test-browser fetches it)")
		return ""
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// violations are what axe-core finds that is serious or worse.
func violations(t *testing.T, p *tab, axe string) []string {
	t.Helper()
	if axe == "" {
		return nil
	}
	eval[any](t, p.ctx, axe+`; window.found = null; axe.run(document, {resultTypes: ["violations"]}).then(r => { window.found = r.violations.filter(v => ["serious", "critical"].includes(v.impact)).map(v => v.id + ": " + v.help + "\n" + v.nodes.slice(0, 3).map(n => "  " + n.html.slice(0, 160) + "\n  " + (n.any[0]?.message ?? n.all[0]?.message ?? n.none[0]?.message ?? "")).join("\n")) }, e => { window.found = ["axe failed: " + e] }); 0`)
	p.until("axe has looked", `window.found !== null`)
	return eval[[]string](t, p.ctx, `window.found`)
}

func (p *tab) photograph(name string) {
	p.t.Helper()
	// Folders of a test are no home of anybody's.
	eval[any](p.t, p.ctx, fmt.Sprintf(`(() => {
		const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		for (let n = walk.nextNode(); n; n = walk.nextNode()) if (n.data.includes(%[1]q)) n.data = n.data.replaceAll(%[1]q, "/home/ada").replace(/refrain-(rehearsal|demo)-\d+\/?/, "");
		for (const o of document.querySelectorAll(".row .meta")) o.textContent = o.textContent.replace(/refrain-demo-\d+/, "greeting");
	})()`, p.site.root))
	picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if len(picture) < 8_000 {
		p.t.Errorf("the picture %s has %d bytes: there is nothing on it", name, len(picture))
	}
	dir := os.Getenv("WEB_PICTURES")
	if dir == "" {
		dir = p.t.ArtifactDir()
	}
	if err := os.WriteFile(filepath.Join(dir, "web-"+name+".png"), picture, 0o600); err != nil {
		p.t.Fatal(err)
	}
}
