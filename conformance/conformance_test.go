package conformance

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/story"
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
				Setup:               story.CleanHome,
				Cmds:                story.Words,
				ContinueOnError:     story.ToTheEnd(),
			})
		})
	}
}
