package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/loop"
)

// asker puts the questions of an attended run to whoever sits at the terminal.
// The same questions can be answered from elsewhere, whoever is first.
type asker struct {
	sh      *shell
	control *app.Control

	mu    sync.Mutex
	run   string
	asked *loop.RunAsked // nil when nothing is asked
	once  sync.Once
}

func newAsker(sh *shell, control *app.Control) *asker {
	return &asker{sh: sh, control: control}
}

// keys are the short answers.
var keys = map[string]string{
	"": "", "c": "continue", "y": "continue", "s": "skip", "r": "reboot", "q": "stop",
	"continue": "continue", "skip": "skip", "reboot": "reboot", "stop": "stop",
}

const askHelp = "[c]ontinue  [s]kip  [d]iff  [e]dit the prompt  [n]ote TEXT  [r]eboot  [q] stop  (Enter is continue)"

// Observe notes what is asked, and lets the person answer.
func (a *asker) Observe(e loop.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch p := e.Payload.(type) {
	case *loop.RunStarted:
		a.run = p.Name
	case *loop.RunAsked:
		a.asked = p
		fmt.Fprintf(a.sh.out, "%s\n> ", askHelp)
		a.once.Do(func() { go a.listen() })
	case *loop.RunAnswered, *loop.RunFinished:
		a.asked = nil
	}
}

// listen reads what is typed, as long as the process lives: a read from a
// terminal cannot be called off. What is typed while nothing is asked is left
// alone.
func (a *asker) listen() {
	for in := bufio.NewScanner(a.sh.in); in.Scan(); {
		a.mu.Lock()
		asked := a.asked
		a.mu.Unlock()
		if asked != nil && !a.answer(asked, strings.TrimSpace(in.Text())) {
			fmt.Fprintf(a.sh.out, "%s\n> ", askHelp)
		}
	}
}

// answer does what was typed, and tells whether that settled the question.
func (a *asker) answer(asked *loop.RunAsked, typed string) bool {
	word, rest, _ := strings.Cut(typed, " ")
	switch word {
	case "d", "diff":
		a.show("diff", a.run)
		return false
	case "e", "edit":
		if asked.Prompt == "" {
			fmt.Fprintln(a.sh.out, "there is no prompt to change")
			return false
		}
		a.edit(asked.Prompt)
		return false
	case "n", "note":
		a.do(app.Command{Name: "note", Text: strings.TrimSpace(rest)})
		return false
	}
	said, ok := keys[strings.ToLower(typed)]
	if !ok {
		fmt.Fprintf(a.sh.out, "%q is no answer\n", typed)
		return false
	}
	return a.do(app.Command{Name: "approve", Text: said})
}

// do gives a command to the run and says why it was not taken.
func (a *asker) do(c app.Command) bool {
	answer, err := a.control.Do(context.Background(), c)
	switch {
	case err != nil:
		fmt.Fprintln(a.sh.out, err)
	case !answer.OK || c.Name == "note":
		fmt.Fprintln(a.sh.out, answer.Effect)
	}
	return err == nil && answer.OK
}

// show runs one of our own commands, for it shows best what it shows.
func (a *asker) show(args ...string) {
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(a.sh.out, err)
		return
	}
	a.start(exec.Command(self, append(args, "-C", a.sh.dir)...))
}

// edit opens a file in the person's editor.
func (a *asker) edit(file string) {
	editor := os.Getenv("VISUAL")
	if editor == "" {
		editor = os.Getenv("EDITOR")
	}
	if editor == "" {
		editor = "vi"
	}
	words := strings.Fields(editor)
	a.start(exec.Command(words[0], append(words[1:], file)...))
}

func (a *asker) start(cmd *exec.Cmd) {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.sh.in, a.sh.out, a.sh.err
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(a.sh.out, err)
	}
}

// person tells whether somebody may be sitting there.
func (sh *shell) person() bool {
	return isTerminal(sh.in) && isTerminal(sh.out)
}
