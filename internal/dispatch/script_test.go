package dispatch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/story"
)

func work() { os.Exit(Main(os.Args[1:], Backend{Dial: dialBook, Work: workBook, Desk: newDesk})) }

func TestMain(m *testing.M) {
	app.Helper()
	if self, err := os.Executable(); err == nil && strings.TrimSuffix(filepath.Base(self), ".exe") == "refrain-worker" {
		work() // whatever it is called: refrain becomes it under its own name
	}
	testscript.Main(m, map[string]func(){
		"refrain":        func() { os.Exit(cli.Main(os.Args[1:])) },
		"refrain-worker": work,
	})
}

// alone is a folder with refrain, and without its other program.
func alone(dir string) error {
	self, err := exec.LookPath("refrain")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.Link(self, filepath.Join(dir, filepath.Base(self)))
}

// One story per script: what a person types, and what they see.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("FLEET", env.WorkDir+"/fleet.json")
			if err := alone(filepath.Join(env.WorkDir, "alone")); err != nil {
				return err
			}
			return story.CleanHome(env)
		},
		Cmds:            story.Words,
		ContinueOnError: story.ToTheEnd(),
	})
}
