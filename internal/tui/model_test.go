package tui

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestScreensLookAsTheyShould(t *testing.T) {
	live := func() *story { return begin().worked(6).worked(2).working() }
	waiting := func() *story {
		s := begin().worked(1)
		return s.tell(&loop.RunWaiting{Rule: "limit", Why: "usage limit (five_hour)", Agent: "claude", For: loop.Millis(12 * time.Minute), Until: s.now.Add(12 * time.Minute)})
	}
	asking := func() *story {
		s := begin().worked(1)
		return s.tell(&loop.RunAsked{Question: "attended: run iteration 2?", Choices: []string{"continue", "skip", "reboot", "stop"}, Default: "continue", Until: s.now.Add(90 * time.Second), Prompt: "next-prompt.md"})
	}
	const diff = "diff --git a/greet.go b/greet.go\n--- a/greet.go\n+++ b/greet.go\n@@ -1,2 +1,2 @@\n package greet\n-var x = 1\n+var x = 2\n"
	for _, tt := range []struct {
		name          string
		story         *story
		width, height int
		keys          []string
	}{
		{"live-120x40", live(), 120, 40, nil},
		{"list-120x40", live(), 120, 40, []string{"2", "k"}},
		{"gates-120x40", live(), 120, 40, []string{"4"}},
		{"prompt-120x40", live(), 120, 40, []string{"6"}},
		{"runs-120x40", live(), 120, 40, []string{"L"}},
		{"tasks-80x24", live(), 80, 24, []string{"2"}},
		{"live-200x50", live(), 200, 50, nil},
		{"changes-200x50", live(), 200, 50, []string{"d"}},
		{"live-100x30", live(), 100, 30, nil},
		{"live-80x24", live(), 80, 24, nil},
		{"live-45x12", live(), 45, 12, nil},
		{"live-40x10", live(), 40, 10, nil},
		{"unfolded-80x24", live(), 80, 24, []string{"left", "left", "left", "enter"}},
		{"iterations-80x24", live(), 80, 24, []string{"2"}},
		{"iterations-40x10", live(), 40, 10, []string{"2", "up"}},
		{"opened-80x24", live(), 80, 24, []string{"2", "up", "enter"}},
		{"changes-80x24", live(), 80, 24, []string{"d"}},
		{"gates-80x24", live(), 80, 24, []string{"4"}},
		{"log-80x24", live(), 80, 24, []string{"5"}},
		{"help-80x24", live(), 80, 24, []string{"?"}},
		{"waiting-80x24", waiting(), 80, 24, nil},
		{"asking-80x24", asking(), 80, 24, nil},
		{"asking-45x12", asking(), 45, 12, nil},
		{"done-80x24", begin().worked(3).worked(0).done(), 80, 24, nil},
		{"new-80x24", &story{now: time.Date(2026, 11, 3, 10, 0, 0, 0, time.Local)}, 80, 24, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := &world{diff: diff}
			if strings.HasSuffix(tt.name, "120x40") || strings.HasSuffix(tt.name, "200x50") || strings.HasPrefix(tt.name, "tasks") {
				w.around = true
			}
			m := w.shown(tt.story, tt.width, tt.height)
			do(m, redraw{})
			press(m, tt.keys...)
			wantGolden(t, tt.name, screen(m)+"\n")
		})
	}
}

func TestAnOldTerminalIsSentNothingButASCII(t *testing.T) {
	s := begin().worked(6).worked(2).working().in(3, 1, &loop.AgentText{Text: "Zoë says 日本語 …"})
	m := (&world{}).shown(s, 80, 24, func(o *Options) { o.Unicode = false })
	for _, keys := range [][]string{nil, {"2"}, {"3"}, {"4"}, {"5"}, {"?"}} {
		press(m, keys...)
		for _, r := range screen(m) {
			if r > unicode.MaxASCII {
				t.Fatalf("after %v the screen has %q:\n%s", keys, r, screen(m))
			}
		}
	}
	press(m, "1")
	wantShown(t, m, "Zo? says ?????? .", "> Bash  make all && make check  .")
}

func TestWithoutColourThereIsNone(t *testing.T) {
	m := (&world{}).shown(begin().worked(6).worked(2).working(), 80, 24)
	for _, keys := range []string{"1", "2", "4", "5", "?"} {
		press(m, keys)
		if colours.MatchString(m.View().Content) {
			t.Errorf("pane %s has a colour: %q", keys, m.View().Content)
		}
	}
	if m := (&world{}).shown(begin().working(), 80, 24, func(o *Options) { o.Color = true }); !colours.MatchString(m.View().Content) {
		t.Errorf("with colour there is none: %q", m.View().Content)
	}
}

// Whatever comes, and whatever the size: as many lines as the terminal has, none
// of them too long, and nothing that a terminal would obey.
func TestNoScreenIsEverBroken(t *testing.T) {
	hostile := rapid.SampledFrom([]string{
		"plain", "", "\x1b[31mred\x1b[0m\x1b[2J", "\a\b\r\nnext\ttab", "日本語のとても長い文章です。日本語のとても長い文章です。", "\u202eturned\u2066", "👨‍👩‍👧‍👦 é̂", "a\x00b\xff\xfe",
		strings.Repeat("long ", 100), strings.Repeat("x", 500), "\x1b]0;title\a", "one\ntwo\nthree",
	})
	keys := rapid.SampledFrom([]string{"1", "2", "3", "4", "5", "6", "L", "B", "+", "tab", "up", "down", "j", "k", "pgup", "left", "enter", "x", "?", "esc", "s", "n", "/", "g", "G", "q", "a", "z"})
	rapid.Check(t, func(t *rapid.T) {
		text := func() string { return hostile.Draw(t, "text") }
		s := begin()
		s.events[0].Payload.(*loop.RunStarted).Name = "build-7 " + text()
		for range rapid.IntRange(0, 3).Draw(t, "iterations") {
			n := s.sum.Next()
			s.in(n, 1, &loop.IterationStarted{}, &loop.AgentText{Text: text()}, &loop.AgentTool{Name: text(), Input: text()},
				&loop.AgentToolResult{Name: text(), Output: text()}, &loop.AgentRetry{Error: &loop.AgentError{Message: text()}},
				&loop.GateStarted{Name: text()}, &loop.GateFinished{Gate: loop.Gate{Name: text(), Why: text()}},
				&loop.Warning{Text: text()}, &loop.ClaimRefused{Why: text()})
			if rapid.Bool().Draw(t, "finished") {
				s.in(n, 1, &loop.IterationFinished{Outcome: loop.Outcome{
					Result: loop.Result(text()), Said: loop.Said{Summary: text()}, Error: &loop.AgentError{Message: text()},
					Gates: []loop.Gate{{Name: text(), Why: text()}}, Tests: &loop.Tests{Passed: 2, Failed: 1, Framework: text(), Failing: []string{text()}},
				}})
			}
		}
		switch rapid.IntRange(0, 3).Draw(t, "then") {
		case 0:
			s.tell(&loop.RunWaiting{Why: text(), Until: s.now.Add(time.Hour)})
		case 1:
			s.tell(&loop.RunAsked{Question: text(), Choices: []string{"continue", "stop"}, Default: text(), Until: s.now.Add(time.Hour)})
		case 2:
			s.tell(&loop.RunFinished{State: loop.Aborted, Why: text()})
		}
		width, height := rapid.IntRange(1, 130).Draw(t, "width"), rapid.IntRange(1, 40).Draw(t, "height")
		w := &world{diff: "+" + text() + "\n" + text(), around: rapid.Bool().Draw(t, "around"), said: text()}
		if rapid.Bool().Draw(t, "refuse") {
			w.refuse = text() + "!"
		}
		m := w.shown(s, width, height)
		whole(t, m, width, height)
		for range rapid.IntRange(1, 8).Draw(t, "keys") {
			press(m, keys.Draw(t, "key"))
			do(m, tea.PasteMsg{Content: text()})
			do(m, redraw{})
			do(m, tea.MouseClickMsg{X: rapid.IntRange(0, width-1).Draw(t, "x"), Y: rapid.IntRange(0, height-1).Draw(t, "y")})
			whole(t, m, width, height)
		}
		width, height = rapid.IntRange(1, 130).Draw(t, "new width"), rapid.IntRange(1, 40).Draw(t, "new height")
		do(m, tea.WindowSizeMsg{Width: width, Height: height})
		whole(t, m, width, height)
	})
}

var (
	styles  = regexp.MustCompile(`\x1b\[[0-9;]*m`)
	colours = regexp.MustCompile(`\x1b\[([0-9]+;)*[349][0-7](;[0-9]+)*m`)
)

func whole(t *rapid.T, m *model, width, height int) {
	lines := strings.Split(m.View().Content, "\n")
	if len(lines) != height {
		t.Fatalf("%d×%d: %d lines:\n%s", width, height, len(lines), screen(m))
	}
	for _, l := range lines {
		if n := ansi.StringWidth(l); n > width {
			t.Fatalf("%d×%d: a line is %d wide: %q", width, height, n, l)
		}
		for _, r := range ansi.Strip(l) {
			if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("%d×%d: a line has %q: %q", width, height, r, l)
			}
		}
		if rest := styles.ReplaceAllString(l, ""); strings.Contains(rest, "\x1b") {
			t.Fatalf("a line has an escape that is no style: %q", l)
		}
	}
}

func TestOfALongRunTheLatestIsKept(t *testing.T) {
	s := begin()
	s.in(1, 1, &loop.IterationStarted{})
	m := (&world{}).shown(s, 80, 24)
	for i := range 20_000 {
		m.data.observe(loop.Event{Seq: int64(i + 10), Time: s.now, Iter: 1, Attempt: 1, Payload: &loop.AgentText{Text: fmt.Sprintf("line %d", i)}})
	}
	if n := len(m.data.transcript.blocks); n > maxKept {
		t.Errorf("%d blocks are kept, more than %d", n, maxKept)
	}
	wantShown(t, m, "line 19999", "following")
}

func TestOneHugeTextIsKeptAndDropped(t *testing.T) {
	m := (&world{}).shown(begin(), 80, 24)
	m.data.observe(loop.Event{Seq: 2, Payload: &loop.AgentText{Text: strings.Repeat("word ", 1_000_000)}})
	if n := len(m.data.transcript.blocks); n != 1 {
		t.Errorf("%d blocks, want the huge one alone", n)
	}
	m.data.observe(loop.Event{Seq: 3, Payload: &loop.AgentText{Text: "after it"}})
	if n := len(m.data.transcript.blocks); n != 1 {
		t.Errorf("%d blocks, want the small one alone", n)
	}
	wantShown(t, m, "after it")
}

func TestAFactIsSetOffByItsKind(t *testing.T) {
	b := newRunData(Options{})
	for _, p := range []loop.Payload{
		&loop.RunStarted{Name: "build-7", Procedure: "build", Limits: loop.Limits{Iterations: 3}},
		&loop.AgentText{Text: "WARNING: I only say so"},
		&loop.ClaimRefused{Why: "tests [1] fail"},
		&loop.Warning{Text: "the disk is nearly full"},
		&loop.RunPaused{},
		&loop.RunFinished{State: loop.Aborted, Reason: loop.ByHook, Why: "so"},
		&loop.RunFinished{State: loop.Done, Reason: loop.ByGates},
	} {
		b.observe(loop.Event{Payload: p})
	}
	var got []span
	for _, x := range b.log.blocks {
		_, said, _ := strings.Cut(x.text, " ") // behind its time
		got = append(got, span{said, x.style})
	}
	want := []span{
		{"Starting build-7 (max 3 iterations)", faint},
		{"Claim refused: tests [1] fail", caution},
		{"WARNING: the disk is nearly full", caution},
		{"Paused. Go on with: refrain resume build-7", faint},
		{"ERROR: Aborting (hook): so (0 iterations completed, total: 0s)", bad},
		{"Done: all gates pass (claimed, unproven) after 0 iterations (total: 0s)", good},
	}
	if !slices.Equal(got, want) {
		t.Errorf("the log is\n%v, want\n%v", got, want)
	}
}
