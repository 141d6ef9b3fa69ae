package app

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/detect"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/lineup"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/proof"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/setting"
)

// newGates makes the runner's own checks from the settings. The diff is what a
// reviewer judges, and what it is told is in the room.
func newGates(a request.Assignment, used func(session string) loop.Usage, spent *spending, room string, diff func(context.Context) (string, error)) ([]proof.Gate, error) {
	var list []proof.Gate
	if !a.Config().Loop.Gates {
		return nil, nil
	}
	for _, g := range a.Config().Gates {
		made := proof.Gate{OnlyClaims: g.When == "claim", Pin: g.Pin, NoWorse: g.Require == "no_worse", Review: g.Agent != "", Dir: g.Dir, Line: g.Run, Retries: g.Retries}
		if g.Agent == "" {
			made.Gate = gate.Command(gate.Settings{Name: g.Name, Run: g.Run, Timeout: g.Timeout, MinTests: g.MinTests})
		} else {
			reviewer, err := newReviewer(a, g, used, spent, room)
			if err != nil {
				return nil, err
			}
			made.Gate = gate.Review(gate.ReviewSettings{Name: g.Name, Prompt: g.Prompt, Timeout: g.Timeout, Diff: diff, Ask: reviewer})
		}
		list = append(list, made)
	}
	for _, g := range a.Request.Extensions.Gates {
		list = append(list, proof.Gate{Gate: g})
	}
	return list, nil
}

// reviewers are the agents that gates ask.
func reviewers(c config.Config) []string {
	var names []string
	for _, g := range c.Gates {
		if g.Agent != "" {
			names = append(names, g.Agent)
		}
	}
	return names
}

// newReviewer asks an agent and gives what it says itself.
func newReviewer(a request.Assignment, g config.Gate, used func(session string) loop.Usage, spent *spending, room string) (func(context.Context, string, gate.Place) (string, error), error) {
	asked, err := lineup.Make(a, g.Agent, a.Config().Model, used)
	if err != nil {
		return nil, &request.UsageError{What: fmt.Sprintf("gate %s: agent %s: %v", g.Name, g.Agent, err), Hint: "see \"refrain agents\""}
	}
	return func(ctx context.Context, prompt string, p gate.Place) (string, error) {
		p.Env = slices.Concat(p.Env, a.Keys()) // it is an agent
		said, usage, err := review(ctx, asked, agent.Call{Prompt: prompt, HasPrompt: true, Confined: room != ""}, room, p)
		spent.add(usage)
		return said, err
	}, nil
}

// review runs one reviewer to its end, and gives its own words and what it used
// up.
func review(ctx context.Context, a agent.Agent, c agent.Call, room string, p gate.Place) (string, *loop.Usage, error) {
	file, err := promptFile(room, c.Prompt)
	if err != nil {
		return "", nil, err
	}
	defer os.Remove(file)
	c.PromptFile = file
	cmd, err := a.Command(c)
	if err != nil {
		return "", nil, err
	}
	decoder, ending := engine.Hiding(p.Hide, a.Decoder()), detect.Ending()
	var said []string
	hear := func(list []loop.Payload) {
		for _, one := range list {
			if text, ok := one.(*loop.AgentText); ok {
				said = append(said, text.Text)
			}
			ending.Hear(one)
		}
	}
	exit, err := p.Exec(ctx, proc.Spec{
		Argv: cmd.Argv, Role: proc.Reviewer, Dir: p.Dir, Env: engine.ChildEnv(p.Env, cmd), Stdin: strings.NewReader(cmd.Stdin),
		First: cmd.First, StdoutFile: cmd.StdoutFile,
		Stdout: proc.Sink{Line: engine.WholeLines(func(line []byte) { hear(decoder.Decode(line)) }, func() {}), Pause: func() {}},
		Stderr: proc.Sink{Raw: p.Log},
	})
	if err != nil {
		return "", nil, err
	}
	hear(decoder.Close(exit))
	ending.Hear(&loop.AgentExited{Exit: exit})
	var o loop.Outcome
	ending.Report(&o)
	if o.Result == loop.OK || ctx.Err() != nil {
		return strings.Join(said, "\n"), o.Usage, nil
	}
	why := string(o.Result)
	if o.Error != nil {
		why = o.Error.Message
	}
	return "", o.Usage, fmt.Errorf("the reviewer did not end well: %s", why)
}

// promptFile is for agents that read their prompt from a file. It lies in a folder that
// they can see; empty is the one for temporary files.
func promptFile(room, prompt string) (string, error) {
	f, err := os.CreateTemp(room, "refrain-review-*.md")
	if err != nil {
		return "", fmt.Errorf("write the reviewer's prompt: %w", err)
	}
	_, err = f.WriteString(prompt)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = os.Remove(f.Name()) // nobody else knows of it
		return "", fmt.Errorf("write the reviewer's prompt: %w", err)
	}
	return f.Name(), nil
}

// spending adds up what reviewers use, for it counts into the budget.
type spending struct {
	mu    sync.Mutex
	usage *loop.Usage
}

func (s *spending) add(u *loop.Usage) {
	if u == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := u.Plus(s.usage)
	s.usage = &sum
}

// take gives what was used since it was last asked for.
func (s *spending) take() *loop.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.usage
	s.usage = nil
	return u
}

// proofSettings is where and how claims are judged: in clean checkouts below dir,
// for who has these records. With no way to be done there is no claim, and the
// trouble of a clean checkout is spared.
func (j *Job) proofSettings(dir, records string) proof.Settings {
	c := j.Config()
	p := proof.Settings{
		Mode: c.Done.Proof, Baseline: c.Proof.Baseline, Tree: j.Tree, Dir: dir, Run: records, Below: c.Loop.Dir,
		Setup: shellLine(c.Proof.Setup), Copy: c.Proof.Copy, Tests: c.Done.Tests, Plans: j.Plans,
	}
	if c.Done.Require != "auto" {
		p.Require = loop.Level(c.Done.Require)
	}
	if !j.terms().CanBeDone() {
		p.Mode = "none"
	}
	return p
}

// shellLine is a command as one line for the shell.
func shellLine(c setting.Command) string {
	if c.Line != "" {
		return c.Line
	}
	var words []string
	for _, arg := range c.Argv {
		words = append(words, "'"+strings.ReplaceAll(arg, "'", `'\''`)+"'")
	}
	return strings.Join(words, " ")
}
