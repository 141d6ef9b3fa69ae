package tui

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// keyGroup is keys that belong together.
type keyGroup struct {
	name string
	keys []keyAct
}

// keyAct is what some keys do. Its binding is also its line in the help, if it has
// one.
type keyAct struct {
	key.Binding
	do func(m *model, key string) tea.Cmd
}

func on(keys, shown, does string, do func(m *model, key string) tea.Cmd) keyAct {
	return keyAct{key.NewBinding(key.WithKeys(strings.Fields(keys)...), key.WithHelp(shown, does)), do}
}

// keyGroups is every key. The help shows the same list.
func keyGroups() []keyGroup {
	return []keyGroup{
		{"The run", []keyAct{
			on("p", "p", "pause after this iteration, or go on", sends((*model).pauseOrGoOn)),
			on("c", "c", "go on at once: cut a wait short", sends(always(control.Resume))),
			on("s", "s", "stop after this iteration", sure("Stop after this iteration?", control.Stop)),
			on("S", "S", "stop now: the agent is ended", sure("Stop now, and end the agent?", control.StopNow)),
			on("K", "K", "skip: end the agent, go on with the next iteration", sure("Skip: end the agent and go on with the next iteration?", control.Skip)),
			on("r", "r", "reboot: a fresh session after this iteration", sure("Reboot: give up the agent's session after this iteration?", control.Reboot)),
			on("t", "t", "tell the next agent something: a note", func(m *model, _ string) tea.Cmd { return m.note() }),
			on("+", "+", "raise a limit; of a run that is over: and resume it", func(m *model, _ string) tea.Cmd { return m.raise() }),
			on("R", "R", "resume a run that is over", func(m *model, _ string) tea.Cmd { return m.resume() }),
			on("v", "v", "review what a run that is over has changed", func(m *model, _ string) tea.Cmd { return m.review() }),
			on("B", "B", "back: put the files back to the chosen iteration", func(m *model, _ string) tea.Cmd { return m.rollBack() }),
			on("a", "a", "approve: answer what the run asks", sends(always(control.Approve))),
			on("e", "e", "edit the next prompt, when it is offered", func(m *model, _ string) tea.Cmd { return m.edit() }),
		}},
		{"The screen", []keyAct{
			on("tab shift+tab 1 2 3 4 5 6", "Tab 1-6", "the panes", func(m *model, key string) tea.Cmd { return m.panes.turn(m.panes.named(key)) }),
			on("up down j k pgup pgdown ctrl+b ctrl+f ctrl+u ctrl+d", "j k ↑ ↓ Pg", "scroll; in the list: choose an iteration", scroll),
			on("g G home end", "g G", "to the start, to the end (and follow it)", scroll),
			on("left h", "h l ← →", "choose a tool call; in the changes: another iteration", func(m *model, _ string) tea.Cmd { return m.panes.sideways(-1) }),
			on("right l", "", "", func(m *model, _ string) tea.Cmd { return m.panes.sideways(1) }),
			on("enter space", "Enter Space", "unfold it; in the list: open its transcript", func(m *model, _ string) tea.Cmd { return m.panes.enter() }),
			on("x", "x", "fold or unfold all tool calls", func(m *model, _ string) tea.Cmd {
				if page := m.panes.page(); page != nil {
					page.toggleAll()
				}
				return nil
			}),
			on("d", "d", "changes of the chosen iteration", func(m *model, _ string) tea.Cmd { return m.panes.turn(changesPane) }),
			on("/", "/", "search; then n and N: next, previous", func(m *model, _ string) tea.Cmd {
				return m.dialog.ask("/", func(term string) tea.Cmd { m.panes.search(term); return nil })
			}),
			on("m", "m", "mouse on or off (on: select text with Shift)", func(m *model, _ string) tea.Cmd { m.mouse = !m.mouse; return nil }),
			on("L", "L", "all live runs, to switch between", func(m *model, _ string) tea.Cmd { return m.listRuns() }),
			on("esc", "Esc", "back: from a search, an opened iteration, this help", func(m *model, _ string) tea.Cmd { m.panes.back(); return nil }),
			on("?", "?", "this help", func(m *model, _ string) tea.Cmd { m.panes.toggleHelp(); return nil }),
			on("q", "q", "leave: the run goes on", func(m *model, _ string) tea.Cmd { return m.leave() }),
			on("ctrl+c", "", "", func(m *model, _ string) tea.Cmd { return m.interrupt() }),
			on("ctrl+z", "", "", func(*model, string) tea.Cmd { return tea.Suspend }),
		}},
	}
}

// toggleHelp shows every key, or no longer does.
func (p *panes) toggleHelp() {
	if p.help != nil {
		p.help = nil
		return
	}
	p.help = &scrollback{}
	for i, g := range keyGroups() {
		if i > 0 {
			p.help.add(&block{})
		}
		p.help.add(&block{text: g.name, style: heading})
		for _, k := range g.keys {
			if h := k.Help(); h.Key != "" {
				p.help.add(&block{text: "  " + pad(h.Key, 15) + h.Desc, indent: strings.Repeat(" ", 17)})
			}
		}
	}
}

// press does what a key stands for: in the dialog, as an answer to what the run
// asks, in a search, or else always.
func (m *model) press(msg tea.KeyPressMsg) tea.Cmd {
	if cmd, taken := m.dialog.press(msg); taken {
		return cmd
	}
	name := msg.String()
	if m.runs != nil {
		return m.runs.press(m, name)
	}
	for _, c := range m.choices() {
		if c.key == name {
			return m.send(control.Command{Command: control.Approve, Text: c.answer, Question: m.data.run.Asked.Question})
		}
	}
	if m.panes.searching() && (name == "n" || name == "N") {
		m.panes.again(name)
		return nil
	}
	for _, g := range keyGroups() {
		for _, k := range g.keys {
			if key.Matches(msg, k.Binding) {
				return k.do(m, name)
			}
		}
	}
	return nil
}

// named is the pane that a key opens.
func (p *panes) named(key string) pane {
	n := pane(len(paneNames))
	switch key {
	case "tab":
		return (p.open + 1) % n
	case "shift+tab":
		return (p.open + n - 1) % n
	}
	return pane(key[0] - '1')
}

// scroll moves in the pane.
func scroll(m *model, key string) tea.Cmd {
	page, all := max(m.frame().body.height-1, 1), maxKept*100
	m.panes.move(map[string]int{
		"up": -1, "down": 1, "k": -1, "j": 1, "pgup": -page, "pgdown": page, "ctrl+b": -page, "ctrl+f": page,
		"ctrl+u": -page / 2, "ctrl+d": page / 2, "home": -all, "end": all, "g": -all, "G": all,
	}[key])
	return m.panes.follow()
}

// sends gives the run a command.
func sends(command func(*model) string) func(*model, string) tea.Cmd {
	return func(m *model, _ string) tea.Cmd { return m.send(control.Command{Command: command(m)}) }
}

func always(command string) func(*model) string { return func(*model) string { return command } }

func (m *model) pauseOrGoOn() string {
	if m.data.holds() {
		return control.Resume
	}
	return control.Pause
}

// sure asks before a command that cannot be taken back, if it could be sent.
func sure(text, command string) func(*model, string) tea.Cmd {
	return func(m *model, _ string) tea.Cmd {
		if m.deaf() {
			return nil
		}
		yes := func() tea.Cmd { return m.send(control.Command{Command: command}) }
		m.dialog.question = &question{text: text, keys: "y/n", answers: map[string]func() tea.Cmd{"y": yes, "Y": yes}}
		return nil
	}
}

// note has a note typed for the next agent.
func (m *model) note() tea.Cmd {
	if m.deaf() {
		return nil
	}
	return m.dialog.ask("note: ", func(text string) tea.Cmd {
		if text == "" {
			return nil
		}
		return m.send(control.Command{Command: control.Note, Text: text})
	})
}

// limits are what can be raised, by the short words that people type.
var limits = map[string]string{
	"iterations": "loop.max_iterations", "time": "loop.max_time", "cost": "budget.cost_usd", "tokens": "budget.tokens", "wait": "limits.max_wait",
}

// raise has a new limit typed: a number of iterations, or which limit it is and its
// value.
func (m *model) raise() tea.Cmd {
	again := over(m.data.run) && m.data.run.State != loop.Done && m.opt.Resume != nil
	if !again && m.deaf() {
		return nil
	}
	return m.dialog.ask("new limit (20, cost=5, time=8h): ", func(typed string) tea.Cmd {
		if typed == "" {
			return nil
		}
		name, value, ok := strings.Cut(typed, "=")
		if !ok {
			name, value = "iterations", typed
		}
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		key := cmp.Or(limits[name], name)
		if again { // with the new limit it can go on
			return m.takeOver(func() (*exec.Cmd, error) { return m.opt.Resume(m.data.run.Name, key+"="+value) })
		}
		return m.send(control.Command{Command: control.Raise, Key: key, Value: value})
	})
}

// resume goes on with a run that is over, in place of the screen.
func (m *model) resume() tea.Cmd {
	run := m.data.run
	switch {
	case !over(run):
		m.dialog.say(caution, "The run is alive. p goes on with one that is paused, c cuts a wait short.")
		return nil
	case run.State == loop.Done:
		m.dialog.say(caution, "The run is done: there is nothing to go on with.")
		return nil
	case m.elsewhere():
		return nil
	case m.opt.Resume == nil:
		m.dialog.say(caution, fmt.Sprintf("Leave with q, then: refrain resume %s", run.Name))
		return nil
	}
	return m.takeOver(func() (*exec.Cmd, error) { return m.opt.Resume(run.Name) })
}

// rollBack asks, and puts the files back as they were after the chosen iteration.
func (m *model) rollBack() tea.Cmd {
	r, ok := m.panes.wanted()
	switch {
	case !over(m.data.run):
		m.dialog.say(caution, "The run is alive: stop it before its files are put back.")
		return nil
	case m.elsewhere():
		return nil
	case !ok || m.work.rollBack == nil:
		m.dialog.say(caution, "There is nothing to put back here.")
		return nil
	}
	name := m.data.run.Name
	to := func(iteration int) func() tea.Cmd {
		return func() tea.Cmd {
			m.dialog.say(faint, "putting the files back…")
			return m.work.inBackground(func() tea.Msg {
				said, err := m.work.rollBack(name, iteration)
				if err != nil {
					return told{bad, text.Line(err.Error())}
				}
				return told{good, text.Line(said)}
			})
		}
	}
	m.dialog.question = &question{
		text: fmt.Sprintf("Put the files back as they were at iteration %d?", r.iter), keys: "a after it  b before it  n",
		answers: map[string]func() tea.Cmd{"a": to(r.iter), "b": to(r.iter - 1)},
	}
	return nil
}

// send gives the run a command. The answer comes when it is taken, for the
// screen shows by itself when it has taken effect.
func (m *model) send(c control.Command) tea.Cmd {
	if m.deaf() {
		return nil
	}
	c.NoWait = true
	m.dialog.say(faint, c.Command+"…")
	do := m.work.do
	return m.work.inBackground(func() tea.Msg {
		answer, err := do(c)
		return cameOf(c.Command, answer, err)
	})
}

// told is what a person is told of something that has ended by now.
type told struct {
	style style
	text  string
}

// cameOf is what came of a command.
func cameOf(command string, answer control.Answer, err error) told {
	var refused *control.Refused
	switch {
	case errors.As(err, &refused):
		return told{caution, fmt.Sprintf("Refused %s: %s", text.Words(command), refused.Why)}
	case errors.Is(err, control.ErrNobody):
		return told{caution, "Nobody answers: the run has just ended, or its socket is gone."}
	case err != nil:
		return told{bad, fmt.Sprintf("Could not send %s: %v", text.Words(command), err)}
	case !answer.OK:
		return told{caution, fmt.Sprintf("Refused %s: %s", text.Words(command), answer.Why)}
	}
	return told{good, text.Sentence(text.Line(answer.Effect))}
}

// deaf tells whether nobody would hear a command, and says so on the screen.
func (m *model) deaf() bool {
	switch run := m.data.run; {
	case run.State == loop.Done, run.Away != nil && run.Away.Over:
		m.dialog.say(caution, "The run is over.")
	case over(run):
		m.dialog.say(caution, fmt.Sprintf("The run is over. refrain resume %s goes on with it.", run.Name))
	case m.work.do == nil:
		m.dialog.say(caution, "This run takes no commands.")
	default:
		return false
	}
	return true
}

// over tells whether nobody goes on with a run by himself.
func over(run *view.Run) bool { return run.State.Ended() && !run.Away.Rests(run.State) }

// elsewhere says of a run whose files are elsewhere what can be done with it, and tells
// whether it is one.
func (m *model) elsewhere() bool {
	run := m.data.run
	if run.Away == nil {
		return false
	}
	m.dialog.say(caution, "Its files are elsewhere. Leave with q, then: "+text.Line(run.Next()[0].Command))
	return true
}

// leave goes out of the help, or closes the screen. The run goes on.
func (m *model) leave() tea.Cmd {
	if m.panes.help != nil {
		m.panes.help = nil
		return nil
	}
	return tea.Quit
}

// interrupt does what Ctrl+C does elsewhere: it asks a run that was started for this
// screen to stop, and leaves any other alone.
func (m *model) interrupt() tea.Cmd {
	m.dialog.question = nil
	if m.opt.Interrupt == nil || m.data.run.State.Ended() {
		return tea.Quit
	}
	m.leaving = true
	interrupt := m.opt.Interrupt
	return func() tea.Msg {
		interrupt()
		return redraw{}
	}
}

// hints are the keys that matter most now.
func (m *model) hints() []hint {
	usual := m.usual()
	switch {
	case m.runs != nil:
		return []hint{{"Enter", "watch it", 1}, {"Esc", "back", 0}}
	case m.panes.help != nil:
		return []hint{{"Esc", "back", 0}}
	case m.panes.searching():
		return []hint{{"n", "next", 1}, {"N", "previous", 2}, {"Esc", "ends the search", 0}, {"?", "help", 3}}
	case m.panes.open == iterationsPane:
		return slices.Insert(usual, 0, hint{"Enter", "transcript", 2})
	case m.panes.open == transcriptPane && m.panes.past != nil:
		return slices.Insert(usual, 0, hint{"Esc", "back", 0})
	case m.panes.open == transcriptPane:
		return append(usual, hint{"← → Enter", "tool calls", 9})
	}
	return usual
}

// usual is the keys that do the same in every pane.
func (m *model) usual() []hint {
	if run := m.data.run; over(run) && run.Away != nil {
		return []hint{{"L", "runs", 5}, {"d", "diff", 6}, {"/", "search", 7}, {"?", "help", 0}, {"q", "leave", 1}}
	}
	if over(m.data.run) {
		resume := "resume"
		if m.data.run.State == loop.Done {
			resume = ""
		}
		return []hint{{"R", resume, 3}, {"v", "review", 2}, {"B", "put files back", 4}, {"L", "runs", 5}, {"d", "diff", 6}, {"/", "search", 7}, {"?", "help", 0}, {"q", "leave", 1}}
	}
	pause := "pause"
	if m.data.holds() {
		pause = "go on"
	}
	list := []hint{
		{"p", pause, 2},
		{"s", "stop", 3},
		{"t", "tell", 4},
		{"K", "skip", 6},
		{"+", "raise", 9},
		{"L", "runs", 5},
		{"d", "diff", 7},
		{"/", "search", 8},
		{"?", "help", 0},
		{"q", "leave", 1},
	}
	return slices.DeleteFunc(list, func(h hint) bool { // it stands in the line above
		return slices.ContainsFunc(m.choices(), func(c choice) bool { return c.key == h.key })
	})
}
