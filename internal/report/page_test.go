package report

import (
	"html"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/stop"
	"github.com/refrain-loop/refrain/internal/view"
)

// attack is what an agent might say to do more than be read.
const attack = "</script><script>hacked=1</script></style><img src=x onerror=hacked=1>\"'><svg onload=hacked=1>" +
	"{{.}}&lt;b&gt;\x1b[31m\x00\x07\u202eevil\u202c\u2066 שלום \xff\xfe\r\n--> ]]> javascript:hacked=1 https://example.com/x"

// hostile is a run in which every text is the same.
func hostile(text string) *scene {
	s := begin(&loop.RunStarted{
		Name: text, Dir: text, Procedure: text, Version: text, Agent: text, Model: text, Promise: text, Branch: text, Prompt: text,
		Limits: loop.Limits{Iterations: 2}, Sandbox: &loop.Sandbox{Mode: text, Why: text, Open: []string{text}, Network: text},
	})
	s.texts = saying(strings.ReplaceAll(text, "\n", " "), 3)
	o := ok(time.Second)
	o.Summary, o.Person, o.BilledTo, o.Pinned = text, text, text, []string{text}
	o.ProgressBy = []loop.ProgressBy{loop.ProgressBy(text)}
	o.Error = &loop.AgentError{Kind: loop.ErrorKind(text), Message: text}
	o.Claim = &loop.Claim{Kind: loop.ClaimKind(text), Text: text, Why: text}
	o.Gates = []loop.Gate{{Name: text, Why: text, Where: loop.Place(text)}}
	o.Tests = &loop.Tests{Framework: text, Total: 1, Failed: 1, Failing: []string{text}}
	o.Changes = &loop.Changes{Modified: 1, Paths: []loop.PathChange{{Path: text, From: text, Change: text}}}
	o.Usage = &loop.Usage{CostUSD: 1, ContextPercent: 5}
	s.attempt(o, loop.Verdict{Action: loop.Stop, Rule: text, Why: text, Reason: loop.Reason(text)}, &loop.ClaimRefused{Kind: loop.ClaimKind(text), Text: text, Why: text})
	s.wait(text, text, time.Second)
	s.tell(&loop.Warning{Text: text, Hint: text}, &loop.SandboxRefused{What: text, Name: text, Key: text, Value: text, By: text})
	o.Result = loop.Result(text)
	s.attempt(o, goOn)
	s.finish(loop.Done, loop.Reason(text), text, true)
	s.run.Finished.Proof = &loop.Proof{
		Level: loop.LevelTestsChanged, Why: text, Tree: text, Place: loop.Place(text), Gates: []string{text}, Flaky: []string{text}, Files: []string{text}, Diff: "+" + text,
		Tests: &loop.ProofTests{Fixed: []string{text}, Added: []string{text}, Changed: []loop.TestChange{{Name: text, Why: text}}},
	}
	s.run.Finished.Signal, s.run.Finished.Unsaved = text, []string{text}
	return s
}

var (
	tag       = regexp.MustCompile(`<(/?[a-zA-Z!][^\s/>]*)`)
	handler   = regexp.MustCompile(`(?i)<[^>]*\s(on\w+|style|src|srcset|action|formaction|xlink:href)\s*=`)
	reference = regexp.MustCompile(`\shref="([^"]*)"`)
)

// tags counts the elements of a page, its own script aside.
func tags(page string) map[string]int {
	count := map[string]int{}
	for _, m := range tag.FindAllStringSubmatch(strings.Replace(page, script, "", 1), -1) {
		count[m[1]]++
	}
	return count
}

func TestTextStaysText(t *testing.T) {
	page := written(t, hostile(attack).data())
	tame := tags(written(t, hostile("words").data()))
	for name, n := range tags(page) {
		if tame[name] != n {
			t.Errorf("%d elements <%s>, and %d when nothing in it is hostile", n, name, tame[name])
		}
	}
	checkPage(t, page)
	if !strings.Contains(html.UnescapeString(page), "hacked=1") {
		t.Error("what the agent said is not on the page")
	}
}

// checkPage checks what holds for every page.
func checkPage(t *testing.T, page string) {
	t.Helper()
	page = strings.Replace(page, script, "", 1)
	page = strings.Replace(page, style, "", 1)
	// What stands between quotes is a value, whatever it looks like.
	if found := handler.FindString(regexp.MustCompile(`"[^"]*"`).ReplaceAllString(page, `""`)); found != "" {
		t.Errorf("the page has an attribute that acts or loads: %s", found)
	}
	ids := map[string]int{}
	for _, m := range regexp.MustCompile(`\sid="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		ids[m[1]]++
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("id %q is there %d times", id, n)
		}
	}
	for _, m := range reference.FindAllStringSubmatch(page, -1) {
		if to, ok := strings.CutPrefix(m[1], "#"); !ok || ids[to] == 0 {
			t.Errorf("a link leads to %q, which is not on the page", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`\saria-(?:labelledby|describedby)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if ids[m[1]] == 0 {
			t.Errorf("%q, which describes a drawing, is not on the page", m[1])
		}
	}
	for _, r := range html.UnescapeString(page) {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			t.Errorf("the page has the character %U", r)
			break
		}
	}
	if strings.Contains(page, "ZgotmplZ") || strings.Contains(page, "NaN") || strings.Contains(page, "Inf%") {
		t.Error("the page has a value that could not be written")
	}
}

func FuzzTextStaysText(f *testing.F) {
	f.Add(attack)
	f.Add("")
	f.Add("</title><base href=//x>")
	want := tags(written(f, hostile("words").data()))
	f.Fuzz(func(t *testing.T, text string) {
		page := written(t, hostile(text).data())
		checkPage(t, page)
		got := tags(page)
		for _, name := range []string{"script", "style", "svg", "img", "base", "meta", "link", "iframe", "a", "/script", "/style", "/title"} {
			// A text that is empty or all blanks takes its element along.
			if got[name] > want[name] {
				t.Errorf("%d elements <%s>, want at most %d", got[name], name, want[name])
			}
		}
	})
}

func died(s *scene) *scene {
	s.run.Died()
	return s
}

// absurd is a run whose numbers nobody checked.
func absurd() *scene {
	s := begin(&loop.RunStarted{Name: "run-1", Limits: loop.Limits{Iterations: 1, Time: -1, CostUSD: 1e-300, Tokens: math.MaxInt, Redline: -5}})
	for _, sign := range []int{1, -1} {
		o := ok(time.Duration(sign) * 1e6 * time.Hour)
		o.Tests = &loop.Tests{Passed: math.MaxInt32, Failed: sign * math.MaxInt32}
		o.Usage = &loop.Usage{Input: math.MaxInt32, CostUSD: 1e300, ContextPercent: sign * 1e6}
		o.Changes = &loop.Changes{Created: sign * 1000, LinesAdded: sign}
		s.attempt(o, goOn).after(-time.Hour)
	}
	return s
}

func TestPagesTell(t *testing.T) {
	failing := func() *scene {
		s := begin(&loop.RunStarted{Name: "run-3", Procedure: "run", Agent: "claude", Limits: loop.Limits{Iterations: 4, Failures: 3}})
		o := ok(time.Second)
		o.Result, o.Error = loop.Failed, &loop.AgentError{Kind: loop.ErrAgent, Message: "the model said no"}
		return s.attempt(o, goOn)
	}
	for _, tt := range []struct {
		name string
		data *Data
		want []string
		not  []string
	}{
		{"a night that ends well", night().data(), []string{
			"<h1>Done, proven</h1>", "kept its promise", "gates agreed in a clean checkout", "it had deleted 3 tests",
			"Looked like a claim", "34 of 60", "per proven change", "≈$", "redline 85%", "It waited 3 times",
			"80% of the cost budget is used", "done.promise", "refrain diff build-7", "paused <strong>35m00s", "rebooting <strong>1m30s",
			"not running", "internal/tide/harbour.go → internal/tide/station.go", `id="i9-2"`, `href="#i19"`,
		}, []string{"No tests were seen"}},
		{"a run that has not begun", new(Collector).Data(view.New(), time.Unix(0, 0).UTC()), []string{
			"<h1>Not started</h1>", "Nothing has happened yet", "No tests were seen", "No cost was told", "did not tell how full",
			"No iteration has ended yet", "No file was changed", "It never had to wait", "It had no limits",
		}, []string{"<svg class=\"marks\"", "What ended it"}},
		{"a claim that nobody proved", begin(&loop.RunStarted{Name: "run-1"}).attempt(ok(time.Second), goOn).finish(loop.Done, loop.ByPromise, "it said so", false).data(), []string{
			"<h1>Done, unproven</h1>", "Nothing proves it", "It said so", "nothing but the agent's word",
		}, []string{"per proven change"}},
		{"nothing broke", begin(&loop.RunStarted{Name: "run-1"}).attempt(ok(time.Second), goOn).prove(&loop.Proof{
			Level: loop.LevelKept, Why: "every gate passed before the run too", Place: loop.InClean, Tree: "3f2a91c0d2e4f5",
		}).data(), []string{
			"<h1>Done, nothing broke</h1>", "agreed in a clean checkout that nothing broke", "Every gate passed before the run too (tree 3f2a91c0d2e4)",
		}, []string{"do not hold"}},
		{"proven in the work tree", begin(&loop.RunStarted{Name: "run-1"}).attempt(ok(time.Second), goOn).prove(&loop.Proof{
			Level: loop.LevelProven, Why: "a test was red", Place: loop.InWorkspace, Tests: &loop.ProofTests{Fixed: []string{"TestAdd"}, Added: []string{"TestDiv"}},
		}).data(), []string{
			"<h1>Done, proven</h1>", "agreed in the work tree only.", "Fixed: TestAdd", "New tests that fail without the work: TestDiv",
		}, nil},
		{"tests changed", begin(&loop.RunStarted{Name: "run-1"}).attempt(ok(time.Second), goOn).prove(&loop.Proof{
			Level: loop.LevelTestsChanged, Why: "a test does not hold", Diff: strings.Repeat("+<b>new</b>\n", maxDiff+2), Flaky: []string{"e2e"},
			Tests: &loop.ProofTests{Changed: []loop.TestChange{{Name: "TestAdd", What: loop.TestWeakened, Why: "sums round"}}},
		}).data(), []string{
			"<h1>Done, tests changed</h1>", "with changed tests", "Changed tests",
			"TestAdd passes now, but its old version fails: sums round", "+<b>new</b>", "And 2 more lines: refrain diff run-1", "Flaky, red and green on one tree: e2e",
			"3 files", // not the nine of all its attempts
		}, []string{"9 files"}},
		{"a limit", failing().finish(loop.Exhausted, loop.ByIterations, "4 of 4 iterations", false).data(), []string{
			"<h1>Exhausted</h1>", "refrain resume run-3 -n 8", "loop.max_iterations", `<tr class="ended">`, "the model said no",
		}, nil},
		{"failures", failing().finish(loop.Aborted, loop.ByFailures, "3 failures in a row", false).data(), []string{
			"<h1>Aborted</h1>", "refrain resume run-3<", "stop.failures", "The longest took 1.0s",
		}, nil},
		{"numbers that cannot be", absurd().data(), []string{"$", "Iteration 2"}, nil},
		{"a run under way", failing().data(), []string{"<h1>Running, iteration 1 of 4</h1>", "Nothing is proven done yet", "What can end it", "refrain logs -f run-3"}, []string{"What ended it"}},
		{
			"going round in circles", failing().tell(&loop.RunRule{Verdict: loop.Verdict{Rule: "repeats"}}).finish(loop.Aborted, loop.ByNoProgress, "the same diff 4 times", false).data(),
			[]string{"stop.repeats", "the same diff 4 times"},
			[]string{`<tr class="ended">`},
		},
		{"a pause", failing().tell(&loop.RunPaused{}).data(), []string{"<h1>Paused, iteration 1 of 4</h1>", "refrain resume run-3", "end the pause"}, nil},
		{"a crash", died(failing()).data(), []string{"<h1>Crashed</h1>", "the runner died", "refrain resume run-3"}, nil},
		{"a long run", marathon(5000).data(), []string{
			"each bar stands for up to 21", "The last 500 are listed", "4,050 more went by without news", "took on average", "you asked for it",
		}, []string{`id="i4490"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page := written(t, tt.data)
			checkPage(t, page)
			text := html.UnescapeString(page)
			for _, want := range tt.want {
				if !strings.Contains(strings.ToLower(text), strings.ToLower(want)) {
					t.Errorf("the page does not have %q", want)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(text, not) {
					t.Errorf("the page has %q", not)
				}
			}
		})
	}
}

func TestEveryChartCanBeRead(t *testing.T) {
	for _, c := range charts(night().data()) {
		if c.Says == "" || c.Title == "" || len(c.Bars) < 30 || len(c.Legend) == 0 || len(c.Below) < 2 || len(c.Left) < 2 {
			t.Errorf("chart %s lacks something: %d bars, %d in the legend, says %q", c.ID, len(c.Bars), len(c.Legend), c.Says)
		}
		if len(c.Rows) != 35 || len(c.Hits) != 35 {
			t.Errorf("chart %s has %d rows and %d columns, want one for each of 35 attempts", c.ID, len(c.Rows), len(c.Hits))
		}
		for _, row := range c.Rows {
			if len(row) != len(c.Heads) {
				t.Errorf("chart %s has a row of %d cells under %d heads", c.ID, len(row), len(c.Heads))
			}
		}
	}
}

func TestThePolicyIsOfThisPage(t *testing.T) {
	page := written(t, night().data())
	for _, want := range []string{"default-src 'none'", fingerprint(style), fingerprint(script), "<style>" + style + "</style>", "<script>" + script + "</script>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %.60q", want)
		}
	}
	for _, word := range []string{"http://", "https://", "@import", "url("} {
		if strings.Contains(strings.ReplaceAll(page, "http-equiv", ""), word) {
			t.Errorf("the page has %q", word)
		}
	}
}

// A threshold that no rule blames would never be shown as what ended a run.
func TestEveryThresholdEndsRuns(t *testing.T) {
	for _, s := range settings {
		if !slices.ContainsFunc(stop.Ends(), func(e stop.End) bool { return e.Key == s.key }) {
			t.Errorf("no rule blames %s", s.key)
		}
	}
}
