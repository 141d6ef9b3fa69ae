package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/cli"
)

func TestMain(m *testing.M) {
	app.Helper()
	testscript.Main(m, map[string]func(){
		"refrain": func() { os.Exit(cli.Main(os.Args[1:])) },
	})
}

func TestStories(t *testing.T) {
	for _, system := range Systems {
		t.Run(system, func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir:                 "testdata/" + system,
				RequireExplicitExec: true,
				RequireUniqueNames:  true,
				Setup:               emptyHome,
				Cmds:                words,
			})
		})
	}
}

// emptyHome gives a story a world of its own: a work tree whatever lies above
// it, no settings of the user's, a git identity, and children that end without
// the race detector's pause.
func emptyHome(env *testscript.Env) error {
	env.Setenv("HOME", env.WorkDir+"/home")
	env.Setenv("XDG_CONFIG_HOME", env.WorkDir+"/home/.config")
	env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	env.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env.Setenv("GIT_"+who+"_NAME", "Test")
		env.Setenv("GIT_"+who+"_EMAIL", "test@example.com")
	}
	env.Setenv("GORACE", "atexit_sleep_ms=0")
	env.Setenv("TZ", "UTC")
	env.Values[signalled{}] = new(*exec.Cmd)
	for _, folder := range []string{"home/.config", ".refrain"} {
		if err := os.MkdirAll(filepath.Join(env.WorkDir, folder), 0o700); err != nil {
			return err
		}
	}
	return nil
}
