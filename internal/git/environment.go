package git

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/proc"
)

// gitPatience is how long git may show no sign of life: it prints nothing and uses
// no processor. A huge tree takes its time, and works; what waits for a pipe that
// nobody writes to does not.
var gitPatience = 2 * time.Minute

// redirecting are the variables that turn git away from the folder it is run in,
// as set for example while a git hook runs, and those that change what our
// arguments mean.
var redirecting = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE",
	"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_IMPLICIT_WORK_TREE",
	"GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_ATTR_SOURCE",
	"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
}

// gitEnv is the environment that every git is run in: that of all that we start,
// without what would turn it elsewhere. It speaks English to us, asks
// nobody for a password, takes no lock that the agent might run into, and does
// not run the program in core.fsmonitor.
func gitEnv() []string {
	env := slices.DeleteFunc(proc.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(redirecting, name)
	})
	return append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
}

// Setting is one of git's settings.
type Setting struct{ Key, Value string }

// noFsmonitor keeps git from asking a program which files have changed. It goes with
// hooks, too: nobody misses it.
var noFsmonitor = Setting{"core.fsmonitor", "false"}

// noSubmodules keeps git from starting another one in a repository inside the tree, with
// the settings that an agent has given that. Which commit is checked out there is
// seen without.
var noSubmodules = []Setting{{"diff.ignoreSubmodules", "dirty"}, {"diff.submodule", "short"}, {"status.submoduleSummary", "false"}, {"submodule.recurse", "false"}}

// noPrograms are the settings of every git of ours that does not act for the user. An
// agent can write the settings of the repository, and what they name would run
// with the rights of the runner.
var noPrograms = []Setting{
	noFsmonitor,
	{"core.hooksPath", os.DevNull},
	{"core.pager", "cat"},
	{"diff.external", ""}, // which is an error, and no program
	{"protocol.ext.allow", "never"},
}

// noProgramsEnv is what the environment adds to that: objects are what their names say, and
// nothing is fetched, be it by a program that the settings name.
var noProgramsEnv = []string{"GIT_NO_REPLACE_OBJECTS=1", "GIT_PAGER=cat", "GIT_EXTERNAL_DIFF=", "GIT_NO_LAZY_FETCH=1"}

// with adds settings to an environment, where they win over those of every file.
// Others may be there already.
func with(env []string, settings ...Setting) []string {
	n := 0
	for _, v := range env {
		if count, ok := strings.CutPrefix(v, "GIT_CONFIG_COUNT="); ok {
			n, _ = strconv.Atoi(count) // what is no number is none
		}
	}
	for _, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, s.Key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, s.Value))
		n++
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n))
}

// Closed is the environment for a git that reads a repository which an agent may
// have written to, and runs no program that it names. Variables that turn git
// away from the folder it is run in are left out.
func Closed() []string { return append(with(gitEnv(), noPrograms...), noProgramsEnv...) }

// WithoutFilters are settings that keep git from running filters, of which ask
// tells what is set: all of them, or those that the repository defines itself,
// where an agent can write. A filter that the user has set up for every
// repository may be needed to tell whether a file has changed.
func WithoutFilters(ctx context.Context, ask func(context.Context, Command, ...string) ([]byte, error), all bool) ([]Setting, error) {
	out, err := ask(ctx, Command{}, "config", "--show-scope", "-z", "--get-regexp", `^filter\.`)
	if SaidNo(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var off []Setting
	seen := map[string]bool{}
	items := SplitNUL(out)
	for ; len(items) >= 2; items = items[2:] {
		scope, item := items[0], items[1]
		key, _, _ := strings.Cut(item, "\n")
		end := strings.LastIndexByte(key, '.')
		if name := key[:end]; !seen[name] && strings.Count(key, ".") > 1 && (all || scope == "local" || scope == "worktree") {
			seen[name] = true
			off = append(off, Setting{name + ".clean", ""}, Setting{name + ".smudge", ""}, Setting{name + ".process", ""}, Setting{name + ".required", "false"})
		}
	}
	return off, nil
}

// unfiltered is a command that reads files of the user's repository and runs no
// filter that it defines.
func (p Program) unfiltered(ctx context.Context) (Command, error) {
	off, err := WithoutFilters(ctx, p.RunWith, false)
	return Command{Settings: off}, err
}

// QuoteConfig is a value as it stands in a file of settings.
func QuoteConfig(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(value) + `"`
}
