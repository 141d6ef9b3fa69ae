package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	fences "github.com/refrain-loop/refrain/internal/fence" // fence is a word of the docs here
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/story"
)

// kinds are what a story about the sandbox is told in. It is told in none as well:
// what does not need a sandbox holds without one, and what a sandbox refuses works
// without, or it would be refused for another reason.
var kinds = []fences.Kind{fences.None, fences.Landlock, fences.Namespaces}

// lacks is why this machine has no sandbox of a kind; nil: it has.
var lacks = func() map[fences.Kind]func() error {
	tried := map[fences.Kind]func() error{fences.None: func() error { return nil }}
	for _, kind := range kinds[1:] {
		tried[kind] = sync.OnceValue(func() error { return proc.TryFence(context.Background(), kind) })
	}
	return tried
}()

// One story per script, each told in every kind of sandbox that this machine has. A
// script finds the kind in $SANDBOX.
func TestSandboxScripts(t *testing.T) {
	for _, kind := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			if err := lacks[kind](); err != nil {
				t.Skip("this machine has no such sandbox: ", err)
			}
			testscript.Run(t, testscript.Params{
				Dir:                 "testdata/sandbox",
				WorkdirRoot:         roomBeside(t),
				RequireExplicitExec: true,
				RequireUniqueNames:  true,
				Setup: func(env *testscript.Env) error {
					env.Setenv("SANDBOX", string(kind))
					return furnish(env)
				},
				Cmds:            story.Words,
				Condition:       func(cond string) (bool, error) { return within(kind, cond) },
				ContinueOnError: story.ToTheEnd(),
			})
		})
	}
}

// within is what those stories can ask beyond others: [within:KIND], what it is told in.
func within(kind fences.Kind, cond string) (bool, error) {
	if name, ok := strings.CutPrefix(cond, "within:"); ok {
		if _, known := lacks[fences.Kind(name)]; !known {
			return false, fmt.Errorf("there is no sandbox %q", name)
		}
		return kind == fences.Kind(name), nil
	}
	return condition(cond)
}

// condition is what all stories can ask here: [sandbox:KIND], what this machine has.
func condition(cond string) (bool, error) {
	name, ok := strings.CutPrefix(cond, "sandbox:")
	if !ok {
		return story.Condition(cond)
	}
	lack, known := lacks[fences.Kind(name)]
	if !known {
		return false, fmt.Errorf("there is no sandbox %q", name)
	}
	return lack() == nil, nil
}

// roomBeside is a folder that is not below /tmp, which programs in a sandbox have of
// their own: the home of a story would not be there.
func roomBeside(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("there is no folder for stories that is not below /tmp: ", err)
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		t.Skip("there is no folder for stories that is not below /tmp: ", err)
	}
	root, err := os.MkdirTemp(cache, "refrain-")
	if err != nil {
		t.Skip("there is no folder for stories that is not below /tmp: ", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	return root
}

// furnish gives a story a home with what people have in theirs.
func furnish(env *testscript.Env) error {
	if err := story.CleanHome(env); err != nil {
		return err
	}
	for _, kv := range [][2]string{
		{".bashrc", "mine"},
		{".gitconfig", "# mine"},
		{".config/refrain/config.toml", "# mine"},
		{".claude/settings.json", "{}"},
		{".notes", "mine"},
		{".ssh/id", "hidden"},
		{".aws/credentials", "hidden"},
		{".config/gh/hosts.yml", "hidden"},
		{".netrc", "hidden"},
		{".bash_history", "hidden"},
	} {
		path := filepath.Join(env.WorkDir, "home", kv[0])
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(kv[1]+"\n"), 0o600); err != nil {
			return err
		}
	}
	return nil
}
