package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/lineup"
	"github.com/refrain-loop/refrain/internal/request"
)

// prepare gets the run ready, in a work tree of its own if that was asked for.
func (o runOptions) prepare(ctx context.Context, sh *shell, req request.Request) (*app.Job, error) {
	ctx, ended := sh.untilSignal(ctx)
	defer ended()
	if o.worktree == nil || o.dryRun {
		return app.Prepare(ctx, sh.dir, req)
	}
	job, w, err := app.PrepareWorktree(ctx, sh.dir, *o.worktree, req)
	if err == nil {
		fmt.Fprintf(sh.err, "Working in %s on branch %s\n", w.Work, w.Branch)
	}
	return job, err
}

// choose asks which of several agents is meant, once, and remembers it in the
// user's own settings. Without a terminal there is nobody to ask.
func choose(sh *shell, choice *lineup.ChoiceError) ([]config.Flag, error) {
	if !sh.person() {
		return nil, choice
	}
	for i, name := range choice.Agents {
		fmt.Fprintf(sh.out, "  %d  %s\n", i+1, name)
	}
	fmt.Fprintf(sh.out, "Which agent? It will be remembered. [1-%d] ", len(choice.Agents))
	line, err := readLine(sh.in)
	if err != nil {
		return nil, choice
	}
	answer := strings.TrimSpace(line)
	for i, name := range choice.Agents {
		if answer != name && answer != strconv.Itoa(i+1) {
			continue
		}
		if path := config.UserFile(os.Getenv); path != "" {
			if err := remember(path, name); err != nil {
				fmt.Fprintf(sh.err, "WARNING: not remembered: %v\n", err)
			}
		}
		return []config.Flag{{Name: "--agent", Key: "agent", Value: name}}, nil
	}
	return nil, usage(fmt.Sprintf("%q is not one of them", answer), "choose one with -a NAME")
}

// remember puts the agent into the user's settings: in the place of one that is
// there, else at the top, where it belongs to no table.
func remember(path, name string) error {
	old, err := files.ReadFile(context.Background(), path, maxSettings)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return files.Replace(path, []byte(withAgent(string(old), name)), 0o600, files.NoSync)
}

func withAgent(settings, name string) string {
	line := fmt.Sprintf("agent = %q", name)
	top, tables := settings, ""
	if at := strings.Index("\n"+settings, "\n["); at >= 0 {
		top, tables = settings[:at], settings[at:]
	}
	if found := agentLine().FindStringIndex(top); found != nil {
		return top[:found[0]] + line + top[found[1]:] + tables
	}
	return line + "\n" + settings
}
