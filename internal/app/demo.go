package app

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/proc"
)

// project is what the demo works on: a greeting, its failing test, and the
// script of the agent that mends it.
//
//go:embed demo/project
var project embed.FS

// NewDemo puts the demo's project into a new folder under the system's
// temporary one. It is a git repository where git is installed.
func NewDemo(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp("", "refrain-demo-")
	if err != nil {
		return "", fmt.Errorf("make the demo: %w", err)
	}
	files, err := fs.Sub(project, "demo/project")
	if err != nil {
		return "", fmt.Errorf("make the demo: %w", err)
	}
	if err := os.CopyFS(dir, files); err != nil {
		return "", fmt.Errorf("make the demo: %w", err)
	}
	if _, err := exec.LookPath("git"); err != nil {
		return dir, nil
	}
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"add", "--all"},
		{"-c", "user.name=Refrain demo", "-c", "user.email=demo@example.com", "-c", "commit.gpgsign=false", "commit", "--quiet", "--message", "a greeting with a failing test"},
	} {
		if err := git(ctx, dir, args); err != nil {
			return "", fmt.Errorf("make the demo: %w", err)
		}
	}
	return dir, nil
}

func git(ctx context.Context, dir string, args []string) error {
	var said strings.Builder
	exit, err := proc.Run(ctx, proc.Spec{
		Argv: append([]string{"git"}, args...), Dir: dir, Env: os.Environ(),
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
