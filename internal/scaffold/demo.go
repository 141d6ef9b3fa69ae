package scaffold

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/proc"
)

// projects are what the demo works on: a greeting, its failing tests, and the
// script of the agent that mends it. The one in Go needs Go to be tested, the
// other a shell. Go's own files have another ending here, so that they are not
// taken for ours.
//
//go:embed demo
var projects embed.FS

// NewDemo puts the demo's project into a new folder under the system's
// temporary one. It is a git repository where git is installed.
func NewDemo(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp("", "refrain-demo-")
	if err != nil {
		return "", fmt.Errorf("make the demo: %w", err)
	}
	kind := "shell"
	if _, err := exec.LookPath("go"); err == nil {
		kind = "go"
	}
	for _, part := range []string{"common", kind} {
		if err := unpack(dir, "demo/"+part); err != nil {
			return "", fmt.Errorf("make the demo: %w", err)
		}
	}
	if _, err := exec.LookPath("git"); err != nil {
		return dir, nil
	}
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"add", "--all"},
		{"-c", "user.name=Refrain demo", "-c", "user.email=demo@example.com", "-c", "commit.gpgsign=false", "commit", "--quiet", "--message", "a greeting with failing tests"},
	} {
		if err := runGit(ctx, dir, args); err != nil {
			return "", fmt.Errorf("make the demo: %w", err)
		}
	}
	return dir, nil
}

// unpack writes one of the folders out, with the endings that its files have in
// a real project.
func unpack(dir, part string) error {
	entries, err := projects.ReadDir(part)
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := projects.ReadFile(part + "/" + e.Name())
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(e.Name(), ".txt")
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func runGit(ctx context.Context, dir string, args []string) error {
	var said strings.Builder
	exit, err := proc.Run(ctx, proc.Spec{
		Argv: append([]string{"git"}, args...), Dir: dir, Env: proc.Environ(),
		Stderr: proc.Sink{Raw: &said},
	})
	if err != nil {
		return err
	}
	if !exit.Zero() {
		return fmt.Errorf("git %s in %s: %s", args[0], filepath.Base(dir), strings.TrimSpace(said.String()))
	}
	return nil
}
