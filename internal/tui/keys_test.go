package tui

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/loop"
)

func TestKeysSteerTheRun(t *testing.T) {
	paused := func() *story { return begin().worked(1).tell(&loop.RunPaused{}) }
	pausing := func() *story { return begin().working().tell(&loop.CommandReceived{Command: "pause"}) }
	asked := func() *story {
		return begin().worked(1).tell(&loop.RunAsked{Question: "run iteration 2?", Choices: []string{"continue", "skip", "reboot", "stop"}})
	}
	live := func() *story { return begin().worked(1).working() }
	for _, tt := range []struct {
		name  string
		story *story
		keys  string
		want  string // commands and their texts
	}{
		{"p pauses", live(), "p", "pause"},
		{"p goes on with a paused run", paused(), "p", "resume"},
		{"p takes back a pause that is to come", pausing(), "p", "resume"},
		{"c cuts a wait short", live(), "c", "resume"},
		{"s asks first", live(), "s", ""},
		{"s and y stops after the iteration", live(), "s y", "stop"},
		{"S and y stops now", live(), "S y", "stop_now"},
		{"S and n does not", live(), "S n", ""},
		{"S and Esc does not", live(), "S esc", ""},
		{"S and another key does not", live(), "S K", ""},
		{"K and y skips", live(), "K y", "skip"},
		{"k scrolls", live(), "k y j", ""},
		{"r and y reboots", live(), "r y", "reboot"},
		{"t sends a note", live(), "t h i enter", "note:hi"},
		{"an empty note is none", live(), "t space enter", ""},
		{"Esc gives a note up", live(), "t h i esc", ""},
		{"a approves", live(), "a", "approve"},
		{"a answers with the first choice", asked(), "a", "approve:continue"},
		{"c answers a question", begin().tell(&loop.RunAsked{Choices: []string{"done", "continue"}}), "c", "approve:continue"},
		{"a approves that a run is done", begin().tell(&loop.RunAsked{Choices: []string{"done", "continue"}}), "a", "approve:done"},
		{"K answers a question", asked(), "K", "approve:skip"},
		{"r answers a question", asked(), "r", "approve:reboot"},
		{"s answers a question", asked(), "s", "approve:stop"},
		{"keys of the screen send nothing", live(), "1 2 3 4 5 6 tab d / x enter g G ? esc m j k h l n N", ""},
		{"a run that is over hears nothing", begin().worked(0).done(), "p s y K t a + 9 enter", ""},
		{"+ and a number raise the iterations", live(), "+ 4 0 enter", "raise:loop.max_iterations=40"},
		{"+ and a short word raise that", live(), "+ c o s t = 5 enter", "raise:budget.cost_usd=5"},
		{"+ and nothing raise nothing", live(), "+ enter", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := &world{}
			m := w.shown(tt.story, 80, 24)
			press(m, strings.Fields(tt.keys)...)
			var got []string
			for _, c := range w.sent {
				if !c.NoWait {
					t.Errorf("%s waits for its effect, and the screen with it", c.Command)
				}
				got = append(got, strings.Trim(c.Command+":"+c.Text+c.Key+"="+c.Value, ":="))
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("keys %q send %q, want %q", tt.keys, s, tt.want)
			}
		})
	}
}

func TestTheStatusLineSaysWhatCameOfAKey(t *testing.T) {
	w := &world{}
	m := w.shown(begin().working(), 80, 24)
	press(m, "p")
	if got := footer(m); got != "As you wish" {
		t.Errorf("after p: %q", got)
	}
	w.refuse = "the run is paused already"
	press(m, "p")
	if got := footer(m); got != "Refused pause: the run is paused already" {
		t.Errorf("after a refusal: %q", got)
	}
	w.story.after(noticeTime)
	if got := footer(m); !strings.HasPrefix(got, "p pause") {
		t.Errorf("after a while: %q", got)
	}
	press(m, "S")
	if got := footer(m); got != "Stop now, and end the agent?  y/n" {
		t.Errorf("after S: %q", got)
	}
	press(m, "n", "down")
	if got := footer(m); !strings.HasPrefix(got, "p pause") {
		t.Errorf("after another key: %q", got)
	}
	for _, tt := range []struct {
		got  told
		want string
	}{
		{cameOf("", control.Answer{}, fmt.Errorf("send: %w", control.ErrNobody)), "Nobody answers: the run has just ended, or its socket is gone."},
		{cameOf("stop_now", control.Answer{}, errors.New("no route")), "Could not send stop now: no route"},
		{cameOf("skip", control.Answer{Why: "nothing runs"}, nil), "Refused skip: nothing runs"},
	} {
		do(m, tt.got)
		if got := footer(m); got != tt.want {
			t.Errorf("footer %q, want %q", got, tt.want)
		}
	}
}

func TestARunThatTakesNoCommandsSaysSo(t *testing.T) {
	m := (&world{}).shown(begin().working(), 80, 24, func(o *Options) { o.Do = nil })
	press(m, "K")
	if got := footer(m); got != "This run takes no commands." {
		t.Errorf("footer %q", got)
	}
	m = (&world{}).shown(begin().tell(&loop.RunFinished{State: loop.Aborted}), 80, 24)
	press(m, "t")
	if got := footer(m); got != "The run is over. refrain resume build-7 goes on with it." {
		t.Errorf("footer %q", got)
	}
}

func TestLeaving(t *testing.T) {
	interrupts := 0
	ours := func(o *Options) { o.Interrupt = func() { interrupts++ } }

	m := (&world{}).shown(begin().working(), 80, 24)
	press(m, "q")
	if m.dialog.said.text != "QUIT" {
		t.Error("q does not leave a run of somebody else's")
	}
	w := &world{}
	m = w.shown(begin().working(), 80, 24, ours)
	press(m, "q")
	if m.dialog.said.text != "QUIT" || interrupts > 0 || len(w.sent) > 0 {
		t.Errorf("q does not leave the run alone: %q, %d interrupts, sent %v", m.dialog.said.text, interrupts, w.sent)
	}
	m = w.shown(begin().working(), 80, 24, ours)
	press(m, "ctrl+c")
	do(m, redraw{})
	if m.dialog.said.text == "QUIT" {
		t.Error("the screen closed before the run has ended")
	}
	m.data.observe(loop.Event{Seq: 99, Payload: &loop.RunFinished{State: loop.Stopped}})
	do(m, redraw{})
	if m.dialog.said.text != "QUIT" {
		t.Error("the screen did not close with the run")
	}

	interrupts = 0
	m = w.shown(begin().working(), 80, 24, ours)
	press(m, "S", "ctrl+c", "ctrl+c")
	if interrupts != 2 || m.dialog.said.text == "QUIT" {
		t.Errorf("Ctrl+C twice: %d interrupts, %q", interrupts, m.dialog.said.text)
	}
	m = w.shown(begin().worked(0).done(), 80, 24, ours)
	press(m, "q")
	if m.dialog.said.text != "QUIT" {
		t.Error("q does not leave a run that is over")
	}
	m = (&world{}).shown(begin().working(), 80, 24)
	press(m, "ctrl+c")
	if m.dialog.said.text != "QUIT" {
		t.Error("Ctrl+C does not leave a run of somebody else's")
	}
}

func TestPanes(t *testing.T) {
	w := &world{diff: "diff --git a/x b/x\n@@ -1 +1 @@\n+new\n"}
	m := w.shown(begin().worked(6).worked(2).working(), 80, 24)
	var seen []pane
	for range paneNames {
		press(m, "tab")
		seen = append(seen, m.panes.open)
	}
	if want := []pane{1, 2, 3, 4, 5, 0}; !slices.Equal(seen, want) {
		t.Errorf("Tab goes through %v, want %v", seen, want)
	}
	press(m, "shift+tab")
	if m.panes.open != promptPane {
		t.Errorf("Shift+Tab goes to %v", m.panes.open)
	}
	press(m, "2", "up", "up", "d")
	wantShown(t, m, "Iteration 1  1 file, +1 −0", "+new")
	press(m, "right")
	wantShown(t, m, "Iteration 2  1 file")
	press(m, "?")
	wantShown(t, m, "pause after this iteration")
	press(m, "q")
	wantHidden(t, m, "pause after this iteration")
	if m.dialog.said.text == "QUIT" {
		t.Error("q in the help leaves the screen")
	}
}

func TestTheChangesFollowTheRun(t *testing.T) {
	w := &world{failing: errTest}
	s := begin().worked(6)
	m := w.shown(s, 80, 24)
	press(m, "3")
	wantShown(t, m, "Iteration 1", "no such checkpoint")
	w.failing, w.diff = nil, "+second\n"
	n := len(s.events)
	s.worked(2)
	for _, e := range s.events[n:] {
		m.data.observe(e)
	}
	do(m, redraw{})
	wantShown(t, m, "Iteration 2", "+second")
	do(m, diffRead{iter: 1, attempt: 1, text: "+late\n"})
	wantHidden(t, m, "+late")

	w.diff = ""
	m = w.shown(s, 80, 24)
	press(m, "3")
	wantShown(t, m, "It changed nothing.")
	m = w.shown(begin().working(), 80, 24)
	press(m, "3")
	wantShown(t, m, "No iteration has ended yet")
	w.diff = strings.Repeat("+"+strings.Repeat("x", 100)+"\n", 20_000)
	m = w.shown(s, 80, 24)
	press(m, "3", "G")
	wantShown(t, m, "lines more: refrain diff build-7/2)")
}

func TestAnOpenedIterationIsLeftAgain(t *testing.T) {
	w := &world{}
	m := w.shown(begin().worked(6).worked(2).working(), 80, 24)
	press(m, "2", "up", "up", "enter")
	wantShown(t, m, "Iteration 1/20", "Iteration 1/20 completed", "iteration 1")
	wantHidden(t, m, "Iteration 2/20")
	wantHidden(t, m, "Starting build-7")
	press(m, "esc")
	if m.panes.open != iterationsPane || m.panes.past != nil {
		t.Errorf("Esc goes to pane %v", m.panes.open)
	}
	press(m, "enter", "1")
	wantShown(t, m, "Now the second part.")
	press(m, "2", "G", "enter")
	if m.panes.past != nil || m.panes.open != transcriptPane {
		t.Error("the iteration under way is not the live transcript")
	}
	w.story.events = slices.DeleteFunc(w.story.events, func(e loop.Event) bool { return !e.Type().Kept() })
	press(m, "2", "g", "enter")
	wantShown(t, m, "Iteration 1/20 completed", "no longer kept")
	do(m, pastRead{of: row{iter: 1, attempt: 1}, err: errTest})
	if got := footer(m); got != "Could not read iteration 1: no such checkpoint" {
		t.Errorf("footer %q", got)
	}
}

func TestASearch(t *testing.T) {
	m := (&world{}).shown(begin().worked(6).worked(2).working(), 80, 12)
	press(m, "/")
	write(m, "FAIL: testa")
	press(m, "enter")
	wantShown(t, m, "--- FAIL: TestA", `"FAIL: testa": 2 of 2 · n next · N previous · Esc ends`)
	press(m, "n")
	wantShown(t, m, "1 of 2")
	press(m, "n")
	wantShown(t, m, "2 of 2")
	press(m, "N")
	wantShown(t, m, "1 of 2")
	press(m, "down", "esc", "n", "t")
	if m.dialog.input == nil {
		t.Error("after the search, t does not begin a note")
	}
	press(m, "esc", "/")
	write(m, "nowhere")
	press(m, "enter")
	if got := footer(m); got != `"nowhere" is nowhere in here.` {
		t.Errorf("footer %q", got)
	}
	press(m, "2", "/")
	write(m, "second part")
	press(m, "enter")
	if m.panes.open != transcriptPane {
		t.Error("a search in the list does not look in the transcript")
	}
}

func TestTyping(t *testing.T) {
	for _, tt := range []struct{ keys, want string }{
		{"a b c", "abc"},
		{"a b left c", "acb"},
		{"a b backspace c", "ac"},
		{"backspace a", "a"},
		{"a b home c end d", "cabd"},
		{"a b left delete c", "ac"},
		{"a space b ctrl+w c", "a c"},
		{"a b ctrl+u c", "c"},
		{"left right a", "a"},
	} {
		w := &world{}
		m := w.shown(begin().working(), 80, 24)
		press(m, append(append([]string{"t"}, strings.Fields(tt.keys)...), "enter")...)
		if len(w.sent) != 1 || w.sent[0].Text != tt.want {
			t.Errorf("keys %q type %v, want %q", tt.keys, w.sent, tt.want)
		}
	}
	w := &world{}
	m := w.shown(begin().working(), 40, 10)
	press(m, "t")
	do(m, tea.PasteMsg{Content: "two\nlines " + strings.Repeat("x", 2*maxTyped)})
	if got := footer(m); !strings.HasPrefix(got, "note: xxx") {
		t.Errorf("a long text hides its field: %q", got)
	}
	press(m, "home")
	if got := footer(m); !strings.HasPrefix(got, "note: two lines xxx") {
		t.Errorf("its start is not in sight: %q", got)
	}
	press(m, "enter")
	if n := len(w.sent[0].Text); n != maxTyped {
		t.Errorf("%d characters were taken", n)
	}
}

func TestThePromptCanBeEditedWhenItIsOffered(t *testing.T) {
	var opened string
	edit := func(o *Options) {
		o.Edit = func(file string) (*exec.Cmd, error) { opened = file; return nil, errTest }
	}
	asked := begin().tell(&loop.RunAsked{Question: "go?", Choices: []string{"continue"}, Prompt: "/run/next-prompt.md"})
	m := (&world{}).shown(asked, 80, 24, edit)
	wantShown(t, m, "e edit the prompt")
	press(m, "e")
	if opened != "/run/next-prompt.md" || footer(m) != "no such checkpoint" {
		t.Errorf("opened %q, footer %q", opened, footer(m))
	}
	do(m, edited(nil))
	wantShown(t, m, "The prompt is as the editor left it.")
	m = (&world{}).shown(begin().working(), 80, 24, edit)
	press(m, "e")
	wantShown(t, m, "There is no prompt to edit now.")
}

func TestTwoPanesStandSideBySide(t *testing.T) {
	w := &world{around: true}
	m := w.shown(begin().worked(6).worked(2).working(), 120, 40)
	do(m, redraw{})
	wantShown(t, m, "Tasks 1/3", "▸ Refuse names", "2 Iterations", "Now the second part.")
	press(m, "2", "k", "k")
	wantShown(t, m, "iteration 1", "Iteration 1: I look")
	wantHidden(t, m, "Now the second part.")
	press(m, "4")
	wantShown(t, m, "Output of test", `want "hello"`, "2 Iterations")
	press(m, "6")
	wantShown(t, m, "Mend greet, and run go test.")
	press(m, "1", "1")
	wantShown(t, m, "Now the second part.")

	do(m, tea.WindowSizeMsg{Width: 99, Height: 40})
	wantHidden(t, m, "Tasks 1/3")
	press(m, "2")
	wantShown(t, m, "Tasks 1/3", "claim refused")
}

func TestTheMouseChooses(t *testing.T) {
	find := func(m *model, text string) tea.MouseClickMsg {
		for y, l := range strings.Split(screen(m), "\n") {
			if i := strings.Index(l, text); i >= 0 {
				return tea.MouseClickMsg{X: len([]rune(l[:i])), Y: y}
			}
		}
		t.Fatalf("%q is nowhere:\n%s", text, screen(m))
		return tea.MouseClickMsg{}
	}
	for _, width := range []int{80, 120} {
		w := &world{around: true, diff: "+new\n"}
		m := w.shown(begin().worked(6).worked(2).working(), width, 40)
		do(m, redraw{})
		do(m, find(m, "3 Changes"))
		wantShown(t, m, "+new")
		if do(m, find(m, "1 Transcript")); m.panes.open != transcriptPane {
			t.Errorf("at %d a click on its name does not open the transcript", width)
		}
		do(m, find(m, "▸ Bash  make all"))
		wantShown(t, m, "(no result yet)")
		press(m, "2")
		do(m, find(m, "1  ok "))
		if r, _ := m.panes.chosenRow(); r.iter != 1 {
			t.Errorf("at %d a click chooses iteration %d", width, r.iter)
		}
		do(m, find(m, "1  ok "))
		if m.panes.past == nil || m.panes.past.of.iter != 1 || m.panes.open != transcriptPane {
			t.Errorf("at %d a second click does not open the iteration", width)
		}
	}
}

func TestTheWheelMovesWhatItIsOver(t *testing.T) {
	s := begin()
	for range 8 {
		s.worked(6)
	}
	m := (&world{}).shown(s.working(), 120, 24)
	roll := func(x int) { do(m, tea.MouseWheelMsg{X: x, Y: 9, Button: tea.MouseWheelUp}) }
	roll(100)
	if !m.data.transcript.moved || m.panes.table.chosen != (attempt{}) {
		t.Errorf("over the transcript: %v, %v", m.data.transcript.moved, m.panes.table.chosen)
	}
	roll(5)
	if want := (attempt{6, 1}); m.panes.table.chosen != want {
		t.Errorf("over the list: %v is chosen, want %v", m.panes.table.chosen, want)
	}
}

func TestTheListOfRuns(t *testing.T) {
	w := &world{around: true}
	m := w.shown(begin().working(), 80, 24)
	press(m, "L")
	wantShown(t, m, "Live runs", "/w/proj-v", "▸ build-7")
	press(m, "enter")
	if len(w.chosen) > 0 || m.runs != nil {
		t.Error("the run on the screen is gone to once more")
	}
	press(m, "L", "k", "enter")
	if len(w.chosen) != 1 || w.chosen[0].Name != "run-3" || m.dialog.said.text != "QUIT" {
		t.Errorf("went to %v, %q", w.chosen, m.dialog.said.text)
	}
	m = w.shown(begin().working(), 80, 24, func(o *Options) { o.Switch = nil })
	press(m, "L", "k", "enter")
	if got := footer(m); !strings.HasPrefix(got, "This screen drives its run.") {
		t.Errorf("footer %q", got)
	}
}

func TestARunThatIsOverCanGoOnOrBack(t *testing.T) {
	w := &world{around: true}
	m := w.shown(begin().worked(1).worked(1).tell(&loop.RunFinished{State: loop.Aborted}), 80, 24)
	press(m, "2", "k", "B")
	wantShown(t, m, "Put the files back as they were at iteration 1?  a after it  b before it  n")
	press(m, "n")
	if len(w.back) > 0 {
		t.Error("n puts files back")
	}
	press(m, "B", "a", "B", "b")
	if !slices.Equal(w.back, []int{1, 0}) || footer(m) != "2 files are as they were" {
		t.Errorf("put back %v, %q", w.back, footer(m))
	}
	resumed := ""
	m = w.shown(begin().worked(1).tell(&loop.RunFinished{State: loop.Aborted}), 80, 24, func(o *Options) {
		o.Resume = func(run string, _ ...string) (*exec.Cmd, error) { resumed = run; return nil, errTest }
	})
	press(m, "R")
	if resumed != "build-7" || footer(m) != errTest.Error() {
		t.Errorf("resumed %q, %q", resumed, footer(m))
	}
	m = w.shown(begin().working(), 80, 24)
	press(m, "B")
	wantShown(t, m, "The run is alive: stop it")
	press(m, "R")
	wantShown(t, m, "The run is alive. p goes on")
}

func TestWhatAGateSaysIsToldOnce(t *testing.T) {
	red := loop.Gate{Name: "test", Why: "1 of 3 tests"}
	clean := red
	clean.Where = loop.InClean
	m := (&world{}).shown(begin().in(1, 1, &loop.IterationStarted{}, &loop.GateFinished{Gate: red}, &loop.GateFinished{Gate: clean}, &loop.ClaimRefused{Kind: loop.ClaimDone, Why: "gate test failed (1 of 3 tests)"}), 80, 24)
	if got := strings.Count(screen(m), "1 of 3 tests"); got != 1 {
		t.Errorf("told %d times:\n%s", got, screen(m))
	}
	wantShown(t, m, "Claim refused")
}
