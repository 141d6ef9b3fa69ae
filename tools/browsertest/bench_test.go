package browsertest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"
)

// These measure the page of "refrain serve" as people have it: the real program, real
// runs, a real browser. scripts/bench makes a table of them.

// BenchmarkWebOpens is how long a page of a run of 10,000 iterations and 1,000,000 events
// takes to open. Server and browser are new each time, so nobody remembers anything of
// the run, and the times are the page's own, from the moment that it was asked for.
func BenchmarkWebOpens(b *testing.B) {
	s := newSite(b)
	id := s.writeLongRun()
	var painted, usable, server, tab []float64
	for b.Loop() {
		b.StopTimer()
		s.serve()
		p, leave := s.measured(openWatch)
		_, token, _ := strings.Cut(s.opening, "token=")
		b.StartTimer()
		p.visit(s.address("/runs/" + id + "?token=" + token))
		p.until("the page is usable", `window.usable`)
		b.StopTimer()
		painted = append(painted, eval[float64](b, p.ctx, `performance.getEntriesByName("first-contentful-paint")[0].startTime`))
		usable = append(usable, eval[float64](b, p.ctx, `window.usable`))
		server = append(server, processorTime(b, s.server.Process.Pid))
		tab = append(tab, processorTime(b, p.process()))
		leave()
		s.kill(syscall.SIGINT)
		b.StartTimer()
	}
	b.ReportMetric(0, "ns/op") // what counts is below
	b.ReportMetric(middle(painted), "painted-ms")
	b.ReportMetric(middle(usable), "usable-ms")
	b.ReportMetric(middle(server), "server-cpu-ms")
	b.ReportMetric(middle(tab), "tab-cpu-ms")
}

// openWatch looks at every frame whether all is there that one opens the page for: how
// the run stands, the night, the end of what was said; and then presses "Iterations" as
// a hand would, and looks for rows with their words. usable is when that was painted.
const openWatch = `{
	const has = (selector, least) => document.querySelectorAll(selector).length >= least;
	let pressed = false;
	const look = () => {
		const shown = document.querySelector(".head .chip")?.textContent === "exhausted" && has(".night .bars rect", 100)
			&& has(".talk .entry", 100) && document.querySelector(".talk").textContent.includes("Step 30 of iteration 10000");
		if (shown && !pressed) { pressed = true; document.getElementById("tab-iterations").click(); }
		if (pressed && has(".virtual .body [role=row]", 10) && document.querySelector(".virtual .body [role=row]").textContent.includes("10,000")) {
			setTimeout(() => { window.usable = performance.now(); });
		} else requestAnimationFrame(look);
	};
	requestAnimationFrame(look);
}`

// BenchmarkWebStreams is what a tab takes while 100,000 events of a live run reach it, at
// a pace at which none is left out, and while they come as fast as an agent can print.
// A hand opens and closes a menu in the meantime.
func BenchmarkWebStreams(b *testing.B) {
	for _, tt := range []struct {
		name string
		pace int // lines in a tenth of a second
	}{{"steady", 267}, {"flood", 1 << 20}} {
		b.Run(tt.name, func(b *testing.B) {
			var all []streamed
			for b.Loop() {
				all = append(all, stream(b, 100_000, tt.pace))
			}
			of := func(what func(streamed) float64) (list []float64) {
				for _, one := range all {
					list = append(list, what(one))
				}
				return list
			}
			b.ReportMetric(0, "ns/op") // what counts is below
			b.ReportMetric(slices.Max(of(func(s streamed) float64 { return s.peak })), "peak-MB")
			b.ReportMetric(slices.Max(of(func(s streamed) float64 { return s.heap })), "heap-MB")
			b.ReportMetric(slices.Max(of(func(s streamed) float64 { return s.nodes })), "nodes")
			b.ReportMetric(slices.Max(of(func(s streamed) float64 { return s.Task })), "longest-task-ms")
			b.ReportMetric(slices.Max(of(func(s streamed) float64 { return s.Click })), "slowest-click-ms")
			b.ReportMetric(slices.Min(of(func(s streamed) float64 { return float64(s.Clicks) })), "clicks")
			b.ReportMetric(middle(of(func(s streamed) float64 { return s.rate })), "events/s")
			b.ReportMetric(slices.Min(of(func(s streamed) float64 { return s.reached })), "reached-%")
			b.ReportMetric(middle(of(func(s streamed) float64 { return s.busy })), "tab-cpu-%")
		})
	}
}

// streamed is what was seen of a tab into which events streamed.
type streamed struct {
	peak  float64 // MB: what the tab's process has for itself and its share of the rest (PSS)
	heap  float64 // MB of JavaScript that are left when all is over and cleared
	nodes float64 // in the page
	busy  float64 // percent of a processor
	rate  float64 // events in a second

	reached float64 // percent of the events
	told
}

// told is what the page tells of itself.
type told struct {
	First, Last, Missed int64   // numbers of events
	Task                float64 // ms: the longest time in which nothing else could be done
	Click               float64 // ms: from the slowest click to the painting of what it did
	Clicks              int
}

// streamWatch counts what reaches the page, and how long the page is busy with it.
const streamWatch = `{
	const told = window.told = { First: 0, Last: 0, Missed: 0, Task: 0, Click: 0, Clicks: 0 };
	const listen = EventSource.prototype.addEventListener;
	EventSource.prototype.addEventListener = function (name, f) {
		return listen.call(this, name, (event) => {
			if (name === "entries") {
				const [, first, last] = /^{"first":(\d+),"last":(\d+)/.exec(event.data);
				told.First ||= Number(first);
				told.Last = Number(last);
			}
			if (name === "resync") { const { after, next } = JSON.parse(event.data); told.First ||= after + 1; told.Missed += next - after - 1; told.Last = next - 1; }
			f(event);
		});
	};
	new PerformanceObserver((list) => { for (const e of list.getEntries()) told.Task = Math.max(told.Task, e.duration); }).observe({ type: "longtask", buffered: true });
	addEventListener("click", (event) => {
		requestAnimationFrame(() => setTimeout(() => { told.Click = Math.max(told.Click, performance.now() - event.timeStamp); told.Clicks++; }));
	}, true);
}`

// stream has an agent print events to a page that is open.
func stream(b *testing.B, events, pace int) (seen streamed) {
	b.Helper()
	s := newSite(b)
	defer s.leave()
	lines := s.writeStream(events)
	begin := filepath.Join(s.root, "begin")
	s.detach("-p", "Talk", "-n", "1", "-a", "x", "--set", "agents.x.format=claude", "--set", fmt.Sprintf("agents.x.command=[%q, %q, %q]", "sh", "-c",
		fmt.Sprintf(`cat >/dev/null; until [ -e %s ]; do sleep 0.05; done; awk '{ print } NR %% %d == 0 { fflush(); system("sleep 0.1") }' %s; sleep 1`, begin, pace, lines)))
	s.serve()
	p, leave := s.measured(streamWatch)
	defer leave()
	p.visit(s.opening)
	p.until("the run", `document.querySelector(".row h3 a")`)
	p.visit(eval[string](b, p.ctx, `document.querySelector(".row h3 a").href`))
	p.until("it is live", `document.querySelector("#link")?.dataset.is === "on" && document.querySelector(".head .chip").innerText === "running"`)
	began, cpu := time.Now(), processorTime(b, p.process())
	if err := os.WriteFile(begin, nil, 0o600); err != nil {
		b.Fatal(err)
	}
	deadline := began.Add(5 * time.Minute)
	for !eval[bool](b, p.ctx, fmt.Sprintf(`told.Last - told.First >= %d && document.querySelector(".talk").textContent.includes("That was all.")`, events)) {
		if time.Now().After(deadline) {
			b.Fatalf("the page has not come to the end: %+v", eval[told](b, p.ctx, `told`))
		}
		seen.peak = max(seen.peak, memoryOf(b, p.process()))
		p.click(".menu > button")
		time.Sleep(300 * time.Millisecond)
	}
	took := time.Since(began).Seconds()
	seen.busy = (processorTime(b, p.process()) - cpu) / took / 10
	seen.told = eval[told](b, p.ctx, `told`)
	came := float64(seen.Last - seen.First + 1)
	seen.rate, seen.reached = came/took, 100*(1-float64(seen.Missed)/came)
	ask(p, heapprofiler.CollectGarbage, cdp.Empty{})
	figures := p.figures()
	seen.heap, seen.nodes = figures["JSHeapUsedSize"]/1e6, figures["Nodes"]
	return seen
}

// writeStream writes what claude prints: a word, a call of a tool, and what came of it,
// again and again. That is three events in two lines.
func (s *site) writeStream(events int) string {
	s.t.Helper()
	name := filepath.Join(s.root, "stream.jsonl")
	f, err := os.Create(name)
	if err != nil {
		s.t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, `{"type":"system","subtype":"init","session_id":"s","model":"opus","tools":[]}`)
	for i := range events/3 + 1 {
		fmt.Fprintf(w, `{"type":"assistant","session_id":"s","message":{"id":"m%d","role":"assistant","model":"opus","content":[{"type":"text","text":"Step %d: **reading** `+"`file%d.go`"+`, then\n\n- what calls it\n- what it calls\n"},{"type":"tool_use","id":"call-%d","name":"Bash","input":{"command":"go vet ./internal/part%d"}}]}}`+"\n", i, i, i, i, i)
		fmt.Fprintf(w, `{"type":"user","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"call-%d","content":%q}]}}`+"\n", i, strings.Repeat(fmt.Sprintf("shop/internal/part%d is as it was\n", i), 8))
	}
	fmt.Fprintln(w, `{"type":"assistant","session_id":"s","message":{"id":"m","role":"assistant","model":"opus","content":[{"type":"text","text":"That was all."}]}}`)
	fmt.Fprintln(w, `{"type":"result","subtype":"success","is_error":false,"result":"That was all.","session_id":"s"}`)
	if err := w.Flush(); err == nil {
		err = f.Close()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return name
}

// writeLongRun has the tests of package ledger write a run into the records of the site.
func (s *site) writeLongRun() (id string) {
	s.t.Helper()
	write := exec.Command("go", "test", "-count=1", "-timeout", "20m", "-run", "TestALongRunForTheBrowser", "./internal/ledger")
	write.Dir = "../.."
	write.Env = append(os.Environ(), "REFRAIN_LONG_RUN="+s.tree, "XDG_STATE_HOME="+filepath.Join(s.root, "home/.local/state"))
	if out, err := write.CombinedOutput(); err != nil {
		s.t.Fatalf("the test that writes a long run: %v\n%s", err, out)
	}
	if id = between(s.command("refrain", "status", "--json"), `"id": "`, `"`); !strings.HasPrefix(id, "loop_") {
		s.t.Fatalf("status names the run %q", id)
	}
	return id
}

// measured is a page in a browser of its own, with a script that watches it from its
// beginning. The browser does nothing but show it: what a test could ask of a page takes
// memory and time even when nobody asks.
func (s *site) measured(watch string) (p *tab, leave func()) {
	s.t.Helper()
	ctx, leave := newBrowser(s.t)
	p = &tab{t: s.t, ctx: ctx, site: s}
	p.do(chromedp.EmulateViewport(1440, 900))
	for _, disable := range []cdp.Command[cdp.Empty, cdp.Empty]{network.Disable, css.Disable, dom.Disable} {
		ask(p, disable, cdp.Empty{})
	}
	ask(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watch})
	ask(p, performance.Enable, performance.EnableParams{})
	return p, leave
}

func ask[P, R any](p *tab, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	got, err := chromedp.Call(p.ctx, command, params)
	if err != nil {
		p.t.Fatalf("%s: %v", command.Method, err)
	}
	return got
}

// visit goes to an address, and does not wait for anything.
func (p *tab) visit(url string) {
	p.t.Helper()
	ask(p, page.Navigate, page.NavigateParams{URL: url})
}

// click clicks in the middle of an element, as a hand does.
func (p *tab) click(selector string) {
	p.t.Helper()
	at := eval[[]float64](p.t, p.ctx, fmt.Sprintf(`(() => { const b = document.querySelector(%q).getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()`, selector))
	p.do(chromedp.MouseClickXY(at[0], at[1]))
}

// figures are what the browser says of the page.
func (p *tab) figures() map[string]float64 {
	p.t.Helper()
	all := map[string]float64{}
	for _, m := range ask(p, performance.GetMetrics, cdp.Empty{}).Metrics {
		all[m.Name] = m.Value
	}
	return all
}

// process is the one that shows the page: the largest of those that show anything.
func (p *tab) process() (pid int) {
	p.t.Helper()
	all, err := chromedp.CallBrowser(p.ctx, systeminfo.GetProcessInfo, cdp.Empty{})
	if err != nil {
		p.t.Fatal(err)
	}
	most := 0.0
	for _, one := range all.ProcessInfo {
		if one.Type != "renderer" {
			continue
		}
		if size := memoryOf(p.t, int(one.ID)); size > most {
			pid, most = int(one.ID), size
		}
	}
	if pid == 0 {
		p.t.Fatal("no process shows the page")
	}
	return pid
}

// memoryOf is what a process has for itself, and its share of what it has with others
// (PSS), in MB.
func memoryOf(t testing.TB, pid int) float64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		t.Fatal(err)
	}
	kb, err := strconv.ParseFloat(between(string(b), "\nPss:", "kB"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb * 1024 / 1e6
}

// processorTime is what a process has used, in milliseconds.
func processorTime(t testing.TB, pid int) float64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), ") ") // its name may have blanks
	fields := strings.Fields(rest)
	user, err := strconv.ParseFloat(fields[11], 64)
	if err != nil {
		t.Fatal(err)
	}
	system, err := strconv.ParseFloat(fields[12], 64)
	if err != nil {
		t.Fatal(err)
	}
	return (user + system) * 10 // Linux counts in hundredths of a second
}

func middle(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
