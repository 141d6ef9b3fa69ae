package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/charmbracelet/x/term"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/outside"
)

// asker puts the questions of an attended run to whoever sits at the terminal.
// The same questions can be answered from elsewhere, whoever is first.
type asker struct {
	sh      *shell
	control *app.Control
	once    sync.Once

	mu    sync.Mutex
	run   string    // its name; empty: its start says it
	asked *question // nil when nothing is asked
}

// question is one that is open until it is settled, here or elsewhere.
type question struct {
	*loop.RunAsked
	settled chan struct{} // closed then
}

// open is a context for what is shown for the question. The function that comes
// with it says that nothing is any more.
func (q *question) open() (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-q.settled:
			cancel()
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		cancel()
		wg.Wait()
	}
}

// keys are the short answers. Enter is what whoever only approves means.
var keys = map[string]string{
	"": "", "y": "", "c": "continue", "s": "skip", "r": "reboot", "q": "stop",
	"continue": "continue", "skip": "skip", "reboot": "reboot", "stop": "stop", "done": "done",
}

// help says what can be typed.
func help(asked *loop.RunAsked) string {
	if asked.Choices[0] == "done" {
		return "[Enter] it is done  [c]ontinue  [d]iff  [n]ote TEXT"
	}
	fresh := ""
	if slices.Contains(asked.Choices, "reboot") {
		fresh = "[r]eboot  "
	}
	return "[Enter] continue  [s]kip  [d]iff  [e]dit the prompt  [n]ote TEXT  " + fresh + "[q] stop"
}

// Observe notes what is asked, and lets the person answer.
func (a *asker) Observe(e loop.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch p := e.Payload.(type) {
	case *loop.RunStarted:
		a.run = p.Name
	case *loop.RunAsked:
		a.asked = &question{p, make(chan struct{})}
		dropTyped(a.sh.in) // it was not meant for this
		fmt.Fprintf(a.sh.out, "%s\n> ", help(p))
		a.once.Do(func() { go a.listen() })
	case *loop.RunAnswered, *loop.RunParked, *loop.RunFinished:
		if a.asked != nil {
			close(a.asked.settled)
		}
		a.asked = nil
	}
}

// listen reads what is typed, as long as the process lives: a read from a
// terminal cannot be called off. What is typed while nothing is asked is left
// alone. An end of input is only a key at a terminal.
func (a *asker) listen() {
	for {
		in := bufio.NewReader(a.sh.in)
		for {
			line, err := in.ReadString('\n')
			if err != nil && !errors.Is(err, io.EOF) {
				return
			}
			a.mu.Lock()
			asked := a.asked
			a.mu.Unlock()
			switch {
			case asked == nil:
			case err != nil:
				fmt.Fprintf(a.sh.out, "\nthat is not an answer\n%s\n> ", help(asked.RunAsked))
			case !a.answer(asked, strings.TrimSpace(line)):
				fmt.Fprintf(a.sh.out, "%s\n> ", help(asked.RunAsked))
			}
			if err != nil {
				break
			}
		}
	}
}

// answer does what was typed, and tells whether that settled the question.
func (a *asker) answer(asked *question, typed string) bool {
	word, rest, _ := strings.Cut(typed, " ")
	switch word {
	case "d", "diff":
		a.show(asked, "diff", a.run)
		return false
	case "e", "edit":
		if asked.Prompt == "" {
			fmt.Fprintln(a.sh.out, "there is no prompt to change")
			return false
		}
		a.edit(asked)
		return false
	case "n", "note":
		a.do(app.Command{Name: "note", Text: strings.TrimSpace(rest)})
		return false
	}
	said, ok := keys[strings.ToLower(typed)]
	if !ok {
		fmt.Fprintf(a.sh.out, "%q is not an answer\n", typed)
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
func (a *asker) show(asked *question, args ...string) {
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(a.sh.out, err)
		return
	}
	a.start(asked, append([]string{self}, append(args, "-C", a.sh.dir)...))
}

// edit opens the prompt in the person's editor.
func (a *asker) edit(asked *question) {
	editor := cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"), "vi")
	a.start(asked, append(strings.Fields(editor), asked.Prompt))
}

// start runs a program on the terminal, until it ends or the question is settled
// elsewhere, and leaves the terminal as it was.
func (a *asker) start(asked *question, argv []string) {
	ctx, cancel := asked.open()
	defer cancel()
	defer a.sh.lent.lend()()
	if f, ok := a.sh.in.(*os.File); ok {
		if before, err := term.GetState(f.Fd()); err == nil {
			defer func() { _ = term.Restore(f.Fd(), before) }()
		}
	}
	path, err := outside.Find(argv[0])
	if err != nil {
		fmt.Fprintln(a.sh.out, err)
		return
	}
	cmd := exec.CommandContext(ctx, path, argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.sh.in, bare(a.sh.out), bare(a.sh.err)
	var exit *exec.ExitError // it has said itself what is wrong
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(a.sh.out, err)
	}
}
