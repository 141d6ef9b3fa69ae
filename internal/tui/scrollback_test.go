package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
)

func blockOf(lines ...string) *block { return &block{text: strings.Join(lines, "\n")} }

func window(r *scrollback) string { return ansi.Strip(strings.Join(r.show(newPalette(false)), "|")) }

func numbered(grows bool, n int) *scrollback {
	r := &scrollback{grows: grows}
	for i := range n {
		r.add(blockOf(fmt.Sprint(i)))
	}
	r.lay(10, 3)
	return r
}

func TestARollThatGrowsIsFollowedUntilItIsScrolled(t *testing.T) {
	r := numbered(true, 5)
	if got := window(r); got != "2|3|4" {
		t.Errorf("at first %s", got)
	}
	r.add(blockOf("5"))
	r.lay(10, 3)
	if got := window(r); got != "3|4|5" || r.place() != atEnd {
		t.Errorf("after one more %s, %s", got, r.place())
	}
	r.move(-1)
	r.add(blockOf("6"))
	r.lay(10, 3)
	if got := window(r); got != "2|3|4" || r.place() != "50%" {
		t.Errorf("scrolled up, and one more: %s, %s", got, r.place())
	}
	r.move(100)
	r.add(blockOf("7"))
	r.lay(10, 3)
	if got := window(r); got != "5|6|7" {
		t.Errorf("back at the end, and one more: %s", got)
	}
	r = numbered(false, 5)
	if got := window(r); got != "0|1|2" {
		t.Errorf("one that does not grow begins with %s", got)
	}
}

func TestTheTopLineStaysWhenTheWidthChanges(t *testing.T) {
	r := &scrollback{grows: true}
	for i := range 20 {
		r.add(blockOf(fmt.Sprintf("line %d has some words", i)))
	}
	r.lay(40, 4)
	r.to(7)
	for _, width := range []int{12, 5, 23, 40} {
		r.lay(width, 4)
	}
	if got := window(r); !strings.HasPrefix(got, "line 7 ") {
		t.Errorf("after turning the window it shows %s", got)
	}
}

func TestWhatGoesAboveDoesNotMoveTheWindow(t *testing.T) {
	r := &scrollback{grows: true}
	for i := range maxKept {
		r.add(blockOf(fmt.Sprint(i)))
	}
	r.lay(10, 2)
	r.to(5000)
	before := window(r)
	for range 1000 {
		r.add(blockOf("more"))
	}
	r.lay(10, 2)
	if got := window(r); got != before || len(r.blocks) > maxKept {
		t.Errorf("the window shows %s instead of %s, of %d blocks", got, before, len(r.blocks))
	}
}

func tool(name, output string) *block {
	b := &block{call: &call{name: name}}
	b.call.finish(&loop.AgentToolResult{Output: output})
	return b
}

func TestFolding(t *testing.T) {
	r := &scrollback{grows: true}
	r.add(tool("one", "a\nb"))
	r.add(blockOf("between"))
	r.add(tool("two", "c\nd\ne\nf\ng"))
	r.lay(40, 4)
	if got := window(r); got != "▸ one  2 lines|between|▸ two  5 lines" {
		t.Fatalf("folded: %s", got)
	}
	r.toggle() // the last one in sight; its head stays in sight
	if got := window(r); got != "▾ two  5 lines|  c|  d|  e" || r.place() != "50%" {
		t.Errorf("unfolded: %s", got)
	}
	r.toggle()
	r.choose(-1)
	r.toggle()
	if got := window(r); got != "▾ one  2 lines|  a|  b|between" {
		t.Errorf("the other one unfolded: %s", got)
	}
	r.choose(-1) // there is none before it
	r.choose(1)
	if r.chosen != r.blocks[2] || !strings.Contains(window(r), "two") {
		t.Errorf("the next one is not chosen or not seen: %s", window(r))
	}
	r.toggleAll()
	if got := window(r); strings.Contains(got, "▾") {
		t.Errorf("not all folded: %s", got)
	}
	r.toggleAll()
	if n := r.total; n != 10 {
		t.Errorf("all unfolded: %d lines, want 10", n)
	}
}

func TestCallsSayHowTheyEnded(t *testing.T) {
	for _, tt := range []struct {
		result *loop.AgentToolResult
		want   string
	}{
		{nil, "▸ Bash  make  …"},
		{&loop.AgentToolResult{}, "▸ Bash  make"},
		{&loop.AgentToolResult{Output: "one"}, "▸ Bash  make  1 line"},
		{&loop.AgentToolResult{Output: "one\ntwo\n"}, "▸ Bash  make  2 lines"},
		{&loop.AgentToolResult{Exit: number(2)}, "▸ Bash  make  exit 2"},
		{&loop.AgentToolResult{Failed: true}, "▸ Bash  make  failed"},
		{&loop.AgentToolResult{Denied: true}, "▸ Bash  make  denied"},
	} {
		c := &call{name: "Bash", input: "make"}
		if tt.result != nil {
			c.finish(tt.result)
		}
		if got := c.lay(80)[0].text; got != tt.want {
			t.Errorf("%+v is shown as %q, want %q", tt.result, got, tt.want)
		}
	}
	c := &call{name: "Bash"}
	c.finish(&loop.AgentToolResult{Output: strings.Repeat("x\n", 1000) + "last"})
	c.open = true
	lines := c.lay(80)
	if n := len(lines); n != maxOutput+2 || lines[1].text != "  (601 lines before)" || lines[n-1].text != "  last" {
		t.Errorf("a long output is %d lines, from %q to %q", n, lines[1].text, lines[n-1].text)
	}
}

func TestResultsFindTheirCalls(t *testing.T) {
	m := (&world{}).shown(begin().in(1, 1,
		&loop.IterationStarted{},
		&loop.AgentTool{ID: "1", Name: "A"}, &loop.AgentTool{ID: "2", Name: "B"},
		&loop.AgentToolResult{ID: "2", Output: "x\ny"}, &loop.AgentToolResult{ID: "1", Output: "z"},
		&loop.AgentTool{Name: "C"}, &loop.AgentTool{Name: "D"},
		&loop.AgentToolResult{Name: "D", Exit: number(1)}, &loop.AgentToolResult{Output: "q"},
		&loop.AgentToolResult{ID: "9", Name: "E", Output: "nobody's"},
		&loop.AgentTool{Name: "F"},
	), 80, 24)
	wantShown(t, m, "▸ A  1 line  ", "▸ B  2 lines  ", "▸ C  1 line  ", "▸ D  exit 1  ", "▸ E  1 line  ", "▸ F  …  ")
	m.data.observe(loop.Event{Seq: 90, Iter: 1, Attempt: 1, Payload: &loop.IterationFinished{}})
	wantShown(t, m, "▸ F  no result  ")
}

// However a scrollback is added to, turned and scrolled, the window is full as long as
// there is something to fill it with.
func TestAWindowIsNeverEmptyForNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &scrollback{grows: rapid.Bool().Draw(t, "grows")}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				if got, want := len(r.show(newPalette(false))), min(r.total, r.height); r.width > 0 && got != want {
					t.Fatalf("%d lines are shown, want %d of %d from %d", got, want, r.total, r.top)
				}
			},
			"add": func(t *rapid.T) {
				r.add(blockOf(rapid.SliceOfN(rapid.StringMatching(`[a-z ]{0,30}`), 1, 4).Draw(t, "lines")...))
				r.lay(max(r.width, 1), r.height)
			},
			"call": func(t *rapid.T) {
				r.add(tool("t", rapid.StringMatching(`[a-z\n]{0,40}`).Draw(t, "output")))
				r.lay(max(r.width, 1), r.height)
			},
			"turn": func(t *rapid.T) {
				r.lay(rapid.IntRange(1, 40).Draw(t, "width"), rapid.IntRange(1, 10).Draw(t, "height"))
			},
			"move":   func(t *rapid.T) { r.move(rapid.IntRange(-20, 20).Draw(t, "by")) },
			"choose": func(t *rapid.T) { r.choose(rapid.SampledFrom([]int{-1, 1}).Draw(t, "by")) },
			"toggle": func(*rapid.T) { r.toggle() },
			"all":    func(*rapid.T) { r.toggleAll() },
			"search": func(t *rapid.T) { r.search(rapid.StringMatching(`[a-z]{0,2}`).Draw(t, "term")) },
			"next": func(*rapid.T) {
				if r.term != "" {
					r.next(1)
				}
			},
		})
	})
}

func TestCodeThatComesLineByLineIsOneBlock(t *testing.T) {
	d := newRunData(Options{})
	for _, said := range []string{"So:", "```go", "func f() {}", "# no heading", "```", "# Heading"} {
		d.observe(loop.Event{Payload: &loop.AgentText{Text: said}})
	}
	var got []string
	for _, b := range d.transcript.blocks {
		for _, l := range b.lay(40) {
			got = append(got, l.text)
		}
	}
	if want := []string{"So:", "  func f() {}", "  # no heading", "Heading"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A gate that fails in the work tree, in a clean checkout, for a claim and for the
// iteration is still one gate that failed. The log, which has no line for each gate, names
// it.
func TestAFailedGateIsToldOnce(t *testing.T) {
	s := begin()
	n := s.sum.Next()
	red := loop.Gate{Name: "test", Why: "2 of 12 tests", Where: loop.InWorkspace}
	clean := red
	clean.Where = loop.InClean
	const why = "gate test failed (2 of 12 tests)"
	s.in(n, 1, &loop.IterationStarted{Max: 20}, &loop.GateFinished{Gate: red}, &loop.GateFinished{Gate: clean},
		&loop.ClaimRefused{Kind: loop.ClaimDone, Text: "DONE", Why: why},
		&loop.IterationFinished{Outcome: loop.Outcome{
			Result: loop.OK, Gates: []loop.Gate{red}, Claim: &loop.Claim{Kind: loop.ClaimDone, Text: "DONE", Why: why},
		}, Verdict: loop.Verdict{Action: loop.Continue}})
	m := (&world{}).shown(s, 80, 30)
	told := screen(m)
	if i := strings.Index(told, "Safe to leave"); i >= 0 { // which says what keeps one from leaving
		told = told[:i]
	}
	if strings.Count(told, "2 of 12 tests") != 1 || !strings.Contains(told, "WARNING: Gates failed, red iterations: 1/5") {
		t.Errorf("the transcript is\n%s", told)
	}
	press(m, "5")
	wantShown(t, m, "Gates failed: test (2 of 12 tests), red iterations: 1/5")
}

// A claim is judged twice where a test was red before, and no two runs of a gate take
// the same time.
func TestAGateThatPassesOnceMoreIsToldOnce(t *testing.T) {
	s := begin()
	n := s.sum.Next()
	first := loop.Gate{Name: "test", OK: true, Tests: 12, Where: loop.InClean, Duration: 100}
	second := first
	second.Duration = 2300
	s.in(n, 1, &loop.IterationStarted{Max: 20}, &loop.GateFinished{Gate: first}, &loop.GateFinished{Gate: second})
	if told := screen((&world{}).shown(s, 80, 30)); strings.Count(told, "12 tests") != 1 {
		t.Errorf("the transcript is\n%s", told)
	}
}
