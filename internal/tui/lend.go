package tui

import (
	"cmp"
	"fmt"
	"io"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/text"
)

// takeOver gives the terminal to a command, for as long as it takes. The run may be
// another one afterwards; a command that fails has said why.
func (m *model) takeOver(start func() (*exec.Cmd, error)) tea.Cmd {
	cmd, err := start()
	if err != nil {
		m.dialog.say(bad, text.Line(err.Error()))
		return nil
	}
	var said strings.Builder
	cmd.Stderr = &said
	return m.lend(program{Cmd: cmd}, func(err error) tea.Msg {
		if err == nil {
			return again{said.String()}
		}
		why := text.Line(strings.TrimPrefix(strings.TrimSpace(said.String()), "refrain: "))
		return told{bad, cmp.Or(why, err.Error())}
	})
}

// review goes through what the run has changed, in place of the screen.
func (m *model) review() tea.Cmd {
	run := m.data.run
	switch {
	case !over(run):
		m.dialog.say(caution, "The run is alive: its changes are in the pane 3, and are reviewed when it is over.")
		return nil
	case m.elsewhere():
		return nil
	case m.opt.Review == nil:
		m.dialog.say(caution, fmt.Sprintf("Leave with q, then: refrain review %s", run.Name))
		return nil
	}
	cmd, err := m.opt.Review(run.Name)
	if err != nil {
		m.dialog.say(bad, text.Line(err.Error()))
		return nil
	}
	return m.lend(program{Cmd: cmd, read: true}, func(error) tea.Msg { return again{} }) // it has said what is wrong
}

// lend gives the terminal to a program, for as long as it takes.
func (m *model) lend(p program, then tea.ExecCallback) tea.Cmd {
	return func() tea.Msg {
		back := func() {}
		if m.opt.Lend != nil {
			back = m.opt.Lend()
		}
		return tea.Exec(&p, func(err error) tea.Msg {
			back() // the keys are the screen's again by now
			return then(err)
		})()
	}
}

// program is one that has the terminal in place of the screen.
type program struct {
	*exec.Cmd
	read bool // it begins on an empty screen, and its last words are to be read before ours comes back
}

func (p *program) SetStdin(in io.Reader) {
	if p.Stdin == nil {
		p.Stdin = in
	}
}

func (p *program) SetStdout(out io.Writer) { p.Stdout = out }

func (p *program) SetStderr(out io.Writer) {
	if p.Stderr == nil {
		p.Stderr = out
	}
}

func (p *program) Run() error {
	if !p.read {
		return p.Cmd.Run()
	}
	_, _ = fmt.Fprint(p.Stdout, ansi.EraseEntireScreen+ansi.CursorHomePosition)
	err := p.Cmd.Run()
	_, _ = fmt.Fprint(p.Stdout, "\nEnter goes back to the screen. ")
	for one := make([]byte, 1); one[0] != '\n' && one[0] != '\r'; {
		if _, end := p.Stdin.Read(one); end != nil {
			break
		}
	}
	return err
}

// edit opens the next prompt in an editor, in place of the screen.
func (m *model) edit() tea.Cmd {
	q := m.data.run.Asked
	if q == nil || q.Prompt == "" || m.opt.Edit == nil {
		m.dialog.say(caution, "There is no prompt to edit now.")
		return nil
	}
	cmd, err := m.opt.Edit(q.Prompt)
	if err != nil {
		m.dialog.say(bad, err.Error())
		return nil
	}
	return m.lend(program{Cmd: cmd}, edited)
}

// edited is how an editor ended.
func edited(err error) tea.Msg {
	if err != nil {
		return told{bad, fmt.Sprintf("The editor failed: %v", err)}
	}
	return told{good, "The prompt is as the editor left it. a goes on with it."}
}
