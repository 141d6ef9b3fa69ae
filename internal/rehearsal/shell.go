package rehearsal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// pipeWait is how long a command that has ended may keep its output open
// through a job it left in the background.
const pipeWait = 200 * time.Millisecond

// run runs a command, with the prompt on its stdin. It stays in the agent's
// process group: what ends the agent ends the command.
func run(f *values) act {
	command, check := f.some("run"), f.flag("check")
	return func(p *player) error {
		command := p.fill(command)
		cmd := exec.Command("sh", "-c", command)
		cmd.Stdin = strings.NewReader(p.prompt)
		result, err := p.bash(command, cmd)
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
		if git("diff", "--cached", "--quiet").Run() == nil {
			return nil
		}
		message := p.fill(message)
		args := append(identity(), "commit", "-m", message)
		made, err := p.bash(fmt.Sprintf("git commit -m %q", message), git(args...))
		if err != nil {
			return err
		}
		if made.Failed {
			return fmt.Errorf("git commit: %s: %s", ended(made), strings.TrimSpace(made.Output))
		}
		return nil
	}
}

func git(args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
	return cmd
}

// identity is a name to commit under, when the user has set none. Left to
// itself, git guesses one from the machine's name or refuses.
func identity() []string {
	for _, who := range []string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
		if git("-c", "user.useConfigOnly=true", "var", who).Run() != nil {
			return []string{"-c", "user.name=Rehearsal", "-c", "user.email=rehearsal@localhost"}
		}
	}
	return nil
}

// bash runs a command to its end, shown as a tool call. A command that fails
// is a result; one that cannot be started is an error.
func (p *player) bash(input string, cmd *exec.Cmd) (*loop.AgentToolResult, error) {
	id, err := p.call("Bash", input)
	if err != nil {
		return nil, err
	}
	output := new(tail)
	cmd.Stdout, cmd.Stderr = output, output
	cmd.WaitDelay = pipeWait
	var status *exec.ExitError
	err = cmd.Run()
	if err != nil && !errors.As(err, &status) && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, fmt.Errorf("run %q: %w", input, err)
	}
	result := &loop.AgentToolResult{ID: id, Name: "Bash", Output: output.String()}
	if code := cmd.ProcessState.ExitCode(); code >= 0 { // else a signal ended it
		result.Exit = &code
	}
	result.Failed = !cmd.ProcessState.Success()
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
		cmd := exec.Command("sh", "-c", command)
		cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = os.Stdout, os.Stderr, detached()
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("start daemon %q: %w", command, err)
		}
		if err := cmd.Process.Release(); err != nil {
			return fmt.Errorf("leave daemon %q: %w", command, err)
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
