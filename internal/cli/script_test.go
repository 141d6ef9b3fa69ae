package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/story"
)

func TestMain(m *testing.M) {
	app.Helper()
	testscript.Main(m, map[string]func(){
		"refrain": func() { os.Exit(Main(os.Args[1:])) },
		"limit":   story.Limit,
		"browse":  story.Browse,
		"answer":  story.Answer,
		"knock":   story.Knock,
		"without": story.Without,

		"pretended": story.Docker,
	})
}

// One story per script: what a person types, and what they see.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			recorded, err := filepath.Abs("testdata/recorded")
			if err != nil {
				return err
			}
			env.Setenv("RECORDED", recorded)
			return story.CleanHome(env)
		},
		Cmds:            story.Words,
		Condition:       condition,
		ContinueOnError: story.ToTheEnd(),
	})
}
