package rehearsal

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// run runs a command, with the prompt on its stdin.
func run(f *values) act {
	command, check := f.some("run"), f.flag("check")
	return func(p *player) error {
		command := p.fill(command)
		result, err := p.bash(command, program{argv: []string{"sh", "-c", command}, stdin: p.prompt})
		if err != nil {
			return err
		}
		if check && result.Failed {
			return fmt.Errorf("run %q: %s", command, ended(result))
		}
		return nil
	}
}

// commit commits the whole work tree. Nothing to commit is no failure, so that
// an iteration can be repeated.
func commit(f *values) act {
	message := f.some("commit")
	return func(p *player) error {
		add, err := p.bash("git add -A", git("add", "-A"))
		if err != nil {
			return err
		}
		if add.Failed {
			return fmt.Errorf("git add: %s: %s", ended(add), strings.TrimSpace(add.Output))
		}
		if p.quietly(git("diff", "--cached", "--quiet")) {
			return nil
		}
		message := p.fill(message)
		made, err := p.bash(fmt.Sprintf("git commit -m %q", message), git(append(p.identity(), "commit", "-m", message)...))
		if err != nil {
			return err
		}
		if made.Failed {
			return fmt.Errorf("git commit: %s: %s", ended(made), strings.TrimSpace(made.Output))
		}
		return nil
	}
}

// git is a command of git's, which is to speak English and ask nobody anything.
func git(args ...string) program {
	return program{argv: append([]string{"git"}, args...), env: []string{"LC_ALL=C", "GIT_TERMINAL_PROMPT=0"}}
}

// identity is a name to commit under, when the user has set none. Left to
// itself, git guesses one from the machine's name or refuses.
func (p *player) identity() []string {
	for _, who := range []string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
		if !p.quietly(git("-c", "user.useConfigOnly=true", "var", who)) {
			return []string{"-c", "user.name=Rehearsal", "-c", "user.email=rehearsal@localhost"}
		}
	}
	return nil
}

// quietly tells whether a command succeeds.
func (p *player) quietly(what program) bool {
	exit, err := p.run(what)
	return err == nil && exit != nil && *exit == 0
}

// bash runs a command to its end, shown as a tool call. A command that fails
// is a result; one that cannot be started is an error.
func (p *player) bash(input string, what program) (*loop.AgentToolResult, error) {
	id, err := p.call("Bash", input)
	if err != nil {
		return nil, err
	}
	output := new(tail)
	what.output = output
	exit, err := p.run(what)
	if gone := new(killed); errors.As(err, &gone) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("run %q: %w", input, err)
	}
	result := &loop.AgentToolResult{ID: id, Name: "Bash", Output: output.String(), Exit: exit, Failed: exit == nil || *exit != 0}
	return result, p.emit(result)
}

func ended(r *loop.AgentToolResult) string {
	if r.Exit == nil {
		return "ended by a signal"
	}
	return fmt.Sprintf("exit %d", *r.Exit)
}

// daemon starts a command that outlives the agent and holds its stdout.
func daemon(f *values) act {
	command := f.some("daemon")
	return func(p *player) error {
		command := p.fill(command)
		id, err := p.call("Bash", command)
		if err != nil {
			return err
		}
		if err := p.world.daemon(command); err != nil {
			return err
		}
		return p.emit(&loop.AgentToolResult{ID: id, Name: "Bash", Output: "left in the background"})
	}
}

// maxOutput is how much of a command's output is reported.
const maxOutput = 64 << 10

// tail keeps the end of what is written to it: that is where a test run says
// how it went.
type tail struct {
	kept bytes.Buffer
	cut  bool
}

func (t *tail) Write(b []byte) (int, error) {
	t.kept.Write(b)
	if more := t.kept.Len() - maxOutput; more > 0 {
		t.kept.Next(more)
		t.cut = true
	}
	return len(b), nil
}

func (t *tail) String() string {
	if t.cut {
		return "…" + t.kept.String()
	}
	return t.kept.String()
}
