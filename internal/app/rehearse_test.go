package app

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/rehearse"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/story"
)

// playNight plays a script against the settings of a work tree.
func playNight(t *testing.T, tree, script string, change func(*rehearse.Rehearsal)) *rehearse.Report {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script.toml")
	story.WriteFile(t, path, script)
	r, err := PrepareRehearsal(t.Context(), tree, path, request.Request{Prompt: "go"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Dir(r.Dir())); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the copy is still there: %v", err)
		}
	})
	r.Start = time.Date(2026, 11, 15, 22, 0, 0, 0, time.UTC)
	if change != nil {
		change(r)
	}
	result, err := r.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// said tells whether a line of the timeline, or of the checks that failed, has
// these words.
func said(r *rehearse.Report, words string) bool {
	return slices.ContainsFunc(r.Timeline, func(m rehearse.Moment) bool { return strings.Contains(m.Text, words) }) ||
		slices.ContainsFunc(r.Checks, func(c rehearse.Finding) bool { return !c.OK && strings.Contains(c.Name+": "+c.Detail, words) })
}

func TestWhatARehearsalFinds(t *testing.T) {
	tests := []struct {
		what, settings, script string
		change                 func(*rehearse.Rehearsal)
		passed                 bool
		says                   string
	}{
		{
			"a loop without an end is broken off", "loop.max_iterations = 0\nstop.no_progress = 0\n",
			"[[iteration]]\nsteps = [{ text = \"again\" }]\n", func(r *rehearse.Rehearsal) { r.MaxAttempts = 5 },
			false, "it came to an end: it had not ended after 5 attempts",
		},
		{
			"a night that lasts a week is broken off", "loop.max_iterations = 0\nloop.iteration_timeout = \"0s\"\nloop.idle_timeout = \"0s\"\n",
			"[[iteration]]\nsteps = [{ sleep = \"20h\" }, { write = \"{iteration}\" }]\n", nil,
			false, "it came to an end: it had not ended after 7 days",
		},
		{
			"what is counted is kept, also by a runner that died while the disk was full", "done.promise = \"DONE\"\n",
			"[[iteration]]\nsteps = [{ write = \"a\" }]\n[[iteration]]\nsteps = [{ full_disk = \"1h\", attempt = 1 }, { crash_runner = true, attempt = 1 }, { claim = \"DONE\" }]\n", nil,
			true, "there is room on the disk again",
		},
		{
			"an agent may not loosen its own end while its runner is dead", "done.promise = \"DONE\"\n[[gate]]\nname = \"test\"\nrun = \"exit 1\"\n",
			"[[iteration]]\nsteps = [{ write = \"refrain.toml\", content = \"agent = 'claude'\\ndone.promise = 'DONE'\" }, { crash_runner = true }]\n", nil,
			false, "no other runner can go on: gate.test was",
		},
		{
			"a runner that dies again and again is a failure of the iteration", "done.promise = \"DONE\"\nstop.failures = 1\n",
			"[[iteration]]\nsteps = [{ crash_runner = true }]\n", nil,
			true, "the runner died 3 times in this iteration",
		},
		{
			"money is spent by the script's own word", "budget.cost_usd = 2.0\nloop.max_iterations = 0\n",
			"[expect]\nstate = \"exhausted\"\nreason = \"cost\"\niterations = 1\n[[iteration]]\nsteps = [{ usage = { cost_usd = 1.5 } }, { write = \"{iteration}\" }, { text = \"on\" }]\n", nil,
			true, "iteration 2 was interrupted after 0s",
		},
		{
			"time is over in the middle of the night", "loop.max_time = \"90m\"\n",
			"[expect]\nreason = \"time\"\nmax_time = \"91m\"\n[[iteration]]\nsteps = [{ sleep = \"10m\" }, { write = \"{iteration}\" }, { text = \"on\" }]\n", nil,
			true, "exhausted",
		},
		{
			"a full context makes a fresh session", "session.mode = \"keep\"\nloop.max_iterations = 3\n",
			"[[iteration]]\nsteps = [{ session = \"s{iteration}\" }, { write = \"{iteration}\", content = \"{session}\" }, { usage = { context_percent = 95 } }]\n", nil,
			true, "the next session is a fresh one: the context is 95% full",
		},
		{
			"a hook that says no", "hooks.run.next_iteration = \"exit 2\"\n",
			"[expect]\nreason = \"hook\"\n[[iteration]]\nsteps = []\n", nil,
			true, "aborted",
		},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			tree := story.NewTree(t, "agent = \"claude\"\n"+tt.settings)
			got := playNight(t, tree, tt.script, tt.change)
			if got.Passed != tt.passed || !said(got, tt.says) {
				t.Errorf("passed: %v, want %v and %q in\n%+v\n%+v", got.Passed, tt.passed, tt.says, got.Timeline, got.Checks)
			}
			files, err := os.ReadDir(tree)
			if err != nil || len(files) != 1 {
				t.Errorf("the work tree has %v, %v", files, err)
			}
		})
	}
}

// The same seed is the same night.
func TestARehearsalRepeatsItself(t *testing.T) {
	tree := story.NewTree(t, "agent = \"claude\"\ndone.promise = \"DONE\"\n")
	const script = "[[iteration]]\nsteps = [{ limit = \"five_hour\", resets_in = \"1h\", attempt = 1 }, { claim = \"DONE\" }]\n"
	seeded := func(seed uint64) loop.Millis {
		return playNight(t, tree, script, func(r *rehearse.Rehearsal) { r.Seed = seed }).End.Elapsed
	}
	if first, again, other := seeded(1), seeded(1), seeded(2); first != again || first == other {
		t.Errorf("waited %v, %v, and with another seed %v", first, again, other)
	}
}

// The copy is as the work tree is: for git, too.
func TestACopyOfAWorkTree(t *testing.T) {
	tests := []struct {
		what string
		make func(t *testing.T, tree string) (dir string) // in a repository with one commit
	}{
		{"as it is", func(_ *testing.T, tree string) string { return tree }},
		{"a folder of it", func(t *testing.T, tree string) string {
			below := filepath.Join(tree, "below")
			if err := os.Mkdir(below, 0o700); err != nil {
				t.Fatal(err)
			}
			story.WriteFile(t, filepath.Join(below, "refrain.toml"), "")
			return below
		}},
		{"staged, changed, deleted and new", func(t *testing.T, tree string) string {
			story.WriteFile(t, filepath.Join(tree, "staged"), "x")
			run(t, tree, "add", "staged")
			story.WriteFile(t, filepath.Join(tree, "kept"), "changed")
			story.WriteFile(t, filepath.Join(tree, "new"), "new")
			return tree
		}},
		{"on no branch", func(t *testing.T, tree string) string {
			run(t, tree, "checkout", "-q", "--detach")
			return tree
		}},
		{"a linked work tree", func(t *testing.T, tree string) string {
			linked := filepath.Join(t.TempDir(), "linked")
			run(t, tree, "worktree", "add", "-q", "-b", "other", linked)
			story.WriteFile(t, filepath.Join(linked, "new"), "new")
			return linked
		}},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			tree := story.NewTree(t, "")
			t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			run(t, tree, "init", "-q")
			run(t, tree, "config", "user.name", "Ada")
			run(t, tree, "config", "user.email", "ada@example.com")
			story.WriteFile(t, filepath.Join(tree, ".gitignore"), "ignored\n")
			story.WriteFile(t, filepath.Join(tree, "kept"), "kept")
			story.WriteFile(t, filepath.Join(tree, "ignored"), "secret")
			run(t, tree, "add", "-A")
			run(t, tree, "commit", "-q", "-m", "first")
			run(t, tree, "branch", "side")
			run(t, tree, "remote", "add", "origin", "nowhere")
			dir := tt.make(t, tree)

			path := filepath.Join(t.TempDir(), "script.toml")
			story.WriteFile(t, path, "[[iteration]]\nsteps = []\n")
			r, err := PrepareRehearsal(t.Context(), dir, path, request.Request{Prompt: "go"})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			for _, ask := range [][]string{{"status", "--porcelain", "--branch"}, {"log", "--all", "--format=%H %D"}, {"config", "user.name"}, {"rev-parse", "HEAD"}} {
				if here, there := run(t, dir, ask...), run(t, r.Dir(), ask...); here != there {
					t.Errorf("git %q says\n%s\nand in the copy\n%s", ask, here, there)
				}
			}
			if remotes := run(t, r.Dir(), "remote"); remotes != "" {
				t.Errorf("the copy has remotes: %s", remotes)
			}
			if _, err := os.Stat(filepath.Join(r.Dir(), "ignored")); err == nil {
				t.Error("a file that git ignores is in the copy")
			}
			before := run(t, tree, "rev-list", "--all")
			story.WriteFile(t, filepath.Join(r.Dir(), "more"), "more")
			run(t, r.Dir(), "add", "-A")
			run(t, r.Dir(), "commit", "-q", "-m", "second")
			if after := run(t, tree, "rev-list", "--all"); after != before {
				t.Errorf("a commit in the copy is in the repository:\n%s", after)
			}
		})
	}
}

// run is what git says.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", args[0], err, out)
	}
	return string(out)
}
