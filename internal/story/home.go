// Package story is what tests share: the words that scripts have beyond
// testscript's own, and the world in which tests are told.
//
// It is for tests alone, and knows nothing of the program but its words: the tests
// of every package above may use it.
package story

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// CleanHome gives a script a world of its own: a work tree whatever lies above
// it, no settings of the user's, a git identity, and children that end without
// the race detector's pause.
func CleanHome(env *testscript.Env) error {
	env.Setenv("HOME", env.WorkDir+"/home")
	env.Setenv("XDG_CONFIG_HOME", env.WorkDir+"/home/.config")
	// A file of its own, and not /dev/null: a "git config --global" in a script
	// would put a real file in the place of that, where it may.
	env.Setenv("GIT_CONFIG_GLOBAL", env.WorkDir+"/home/.gitconfig")
	env.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env.Setenv("GIT_"+who+"_NAME", "Test")
		env.Setenv("GIT_"+who+"_EMAIL", "test@example.com")
	}
	env.Setenv("GORACE", "atexit_sleep_ms=0")
	if cache, err := os.UserCacheDir(); err == nil && os.Getenv("GOCACHE") == "" {
		env.Setenv("GOCACHE", filepath.Join(cache, "go-build")) // the demo runs Go's own tests
	}
	env.Setenv("TZ", "UTC")
	// What a script writes is its own. Those about trust unset it.
	env.Setenv("REFRAIN_TRUST_FOLDERS", fmt.Sprintf("[%q]", env.WorkDir))
	// Those about the sandbox set it to another.
	env.Setenv("REFRAIN_SANDBOX_MODE", "none")
	env.Values[signalled{}] = new(*exec.Cmd)
	for _, folder := range []string{"home/.config", "home/.claude", "home/.codex", ".refrain"} {
		if err := os.MkdirAll(filepath.Join(env.WorkDir, folder), 0o700); err != nil {
			return err
		}
	}
	// Somebody has signed in, so that no stand-in for an agent is asked about it.
	for _, file := range []string{"home/.claude/.credentials.json", "home/.codex/auth.json"} {
		if err := os.WriteFile(filepath.Join(env.WorkDir, file), []byte("{}"), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// ToTheEnd tells whether a story goes on after a line that is red: who broke
// something on purpose wants to know every line that notices.
func ToTheEnd() bool { return os.Getenv("STORY_TO_THE_END") != "" }
