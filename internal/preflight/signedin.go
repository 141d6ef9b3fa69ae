package preflight

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/proc"
)

// askTime is how long a CLI may take to say whether somebody is signed in. Some
// start a whole runtime for it, and the machine may be busy; one that takes longer
// has not said no.
const askTime = 15 * time.Second

// maxAnswer is more than any of them has to say about it, or keeps in its settings.
const maxAnswer = 1 << 20

// Account is the CLI of an agent, asked whether somebody is signed in.
type Account struct {
	Name string // of the agent
	Dir  string // where it is asked: it may read settings there
	Env  []string
}

// SignedOut tells that nobody has signed in, as far as that is sure: no variable
// pays or names somebody else to ask, nothing is kept of a sign-in, and the CLI says itself that nobody has. No
// secret is read: that there is one is enough. Of a CLI that cannot be asked
// without a network nothing is known.
func (a Account) SignedOut(ctx context.Context) bool {
	traits := agent.TraitsOf(a.Name)
	if len(traits.SignIn.Ask) == 0 || slices.ContainsFunc(slices.Concat(traits.Secrets, traits.SignIn.Others), func(name string) bool { return a.variable(name) != "" }) {
		return false
	}
	if folder := a.folder(traits.SignIn); folder != "" {
		if _, err := os.Stat(filepath.Join(folder, traits.SignIn.Kept)); err == nil || elsewhere(ctx, traits.SignIn, folder) {
			return false
		}
	}
	return a.saysNo(ctx, traits.SignIn)
}

// folder is where the CLI keeps its own files; empty: nobody knows.
func (a Account) folder(s agent.SignIn) string {
	if named := a.variable(s.FolderIn); named != "" {
		return named
	}
	if home := a.variable("HOME"); home != "" {
		return filepath.Join(home, s.Folder)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, s.Folder)
}

// variable is the value that the CLI sees: the last one counts.
func (a Account) variable(name string) string {
	value := ""
	for _, kv := range a.Env {
		if key, v, _ := strings.Cut(kv, "="); key == name {
			value = v
		}
	}
	return value
}

// elsewhere tells whether the settings of the CLI name somebody else to ask.
func elsewhere(ctx context.Context, s agent.SignIn, folder string) bool {
	if s.Config == "" {
		return false
	}
	text, err := files.ReadFile(ctx, filepath.Join(folder, s.Config), maxAnswer)
	return err == nil && regexp.MustCompile(s.Elsewhere).Match(text)
}

// saysNo asks the CLI itself.
func (a Account) saysNo(ctx context.Context, s agent.SignIn) bool {
	var out, err strings.Builder // each is written by a goroutine of its own
	hear := func(said *strings.Builder) proc.Sink {
		return proc.Sink{Line: func(line []byte, _ bool) {
			if said.Len() < maxAnswer {
				said.Write(line)
				said.WriteByte('\n')
			}
		}}
	}
	exit, failed := proc.Run(ctx, proc.Spec{
		Argv: append([]string{agent.Program(a.Name)}, s.Ask...), Dir: a.Dir, Env: a.Env, Timeout: askTime,
		Stdout: hear(&out), Stderr: hear(&err),
	})
	return failed == nil && !exit.Zero() && regexp.MustCompile(s.No).MatchString(out.String()+err.String())
}

// SignIn is what to do about it.
func (a Account) SignIn() string {
	traits := agent.TraitsOf(a.Name)
	hint := fmt.Sprintf("sign in with %q", traits.SignIn.Do)
	if len(traits.Keys) > 0 {
		hint += ", or set " + traits.Keys[0]
	}
	return hint
}

// accounts sees that somebody is signed in to those who work.
func accounts(ctx context.Context, f Flight) []Finding {
	out := make([]bool, len(f.Workers))
	var wg sync.WaitGroup
	for i, w := range f.Workers {
		if w.Account != nil && !f.Config().Sandbox.Boxed() && found(f.Dir(), w.Program) == nil {
			wg.Go(func() { out[i] = w.Account.SignedOut(ctx) }) // each takes its time
		}
	}
	wg.Wait()
	var list []Finding
	for i, w := range f.Workers {
		if !out[i] {
			continue
		}
		list = append(list, Finding{Name: "agent " + w.Name, Worry: i > 0, What: fmt.Sprintf("agent %s: nobody is signed in", w.Name), Hint: w.Account.SignIn()})
	}
	return list
}

// BareFolder is one in which no other user has left files, as they may in a
// shared folder for temporary ones.
func BareFolder() string {
	if runtime.GOOS == "windows" {
		return os.TempDir() // which is the user's own there
	}
	return "/"
}
