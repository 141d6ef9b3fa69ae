//go:build unix

package checkpoint

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/refrain-loop/refrain/internal/git"
)

// What an agent writes into the settings of the repository does not run with the
// rights of the runner, whatever the runner asks git.
func TestGitRunsNoProgramOfTheRepository(t *testing.T) {
	t.Parallel()
	for name, poison := range map[string]func(f folder, evil string){
		"fsmonitor": func(f folder, evil string) { f.Git("config", "core.fsmonitor", evil) },
		"hooks": func(f folder, evil string) {
			for _, hook := range []string{"post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc"} {
				f.hook(hook, "exec "+evil)
			}
		},
		"hooks elsewhere": func(f folder, evil string) {
			dir := f.Path(".git/others")
			f.Must(os.Mkdir(dir, 0o700))
			f.Must(os.Symlink(evil, filepath.Join(dir, "post-index-change")))
			f.Must(os.Symlink(evil, filepath.Join(dir, "reference-transaction")))
			f.Git("config", "core.hooksPath", dir)
		},
		"a filter": func(f folder, evil string) {
			f.Write(".gitattributes", "*.txt filter=evil\n")
			f.Git("config", "filter.evil.clean", evil+"; cat")
			f.Git("config", "filter.evil.smudge", evil+"; cat")
		},
		"a filter that is required": func(f folder, evil string) {
			f.Write(".git/info/attributes", "*.txt filter=a.b\n")
			f.Git("config", "filter.a.b.process", evil)
			f.Git("config", "filter.a.b.required", "true")
		},
		"a diff": func(f folder, evil string) {
			f.Write(".git/info/attributes", "*.txt diff=evil\n")
			f.Git("config", "diff.external", evil)
			f.Git("config", "diff.evil.command", evil)
			f.Git("config", "diff.evil.textconv", evil)
		},
		"a submodule": func(f folder, evil string) {
			f.Git("init", "-q", "--template=", "sub")
			inner := folderAt(f.T, f.Path("sub"))
			inner.Write("x", "x")
			inner.Commit("inner")
			f.Git("add", "sub")
			f.Git("commit", "-q", "-m", "a submodule")
			inner.Git("config", "core.fsmonitor", evil)
			inner.Write("x", "changed")
		},
		"a pager": func(f folder, evil string) {
			f.Git("config", "core.pager", evil)
			f.Git("config", "pager.status", evil)
		},
		"a fetch": func(f folder, evil string) {
			f.Git("config", "extensions.partialClone", "origin")
			f.Git("config", "remote.origin.promisor", "true")
			f.Git("config", "remote.origin.url", "ssh://nowhere.invalid/x")
			f.Git("config", "protocol.ssh.allow", "always")
			f.Git("config", "core.sshCommand", evil)
			lost := f.Output("rev-parse", "HEAD^{tree}")
			f.Must(os.Remove(f.Path(".git/objects/" + lost[:2] + "/" + lost[2:])))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			ran := filepath.Join(t.TempDir(), "ran")
			evil := filepath.Join(t.TempDir(), "evil")
			f.Must(os.WriteFile(evil, []byte("#!/bin/sh\necho x >>"+ran+"\n"), 0o755))
			poison(f, evil)
			// What was written in the same moment as the index is read again.
			f.Write("b.txt", "owt")
			tree := f.open()
			_, err := tree.Dirty(t.Context())
			_ = tree.CanCommit(t.Context()) // it may say no
			if name == "a fetch" {          // what that lost is lost
				ranNothing(t, ran)
				return
			}
			f.Must(err)
			s := f.keep(tree)
			first := f.checkpoint(s)
			f.Write("a.txt", "changed")
			c := f.checkpoint(s)
			_, err = git.FingerprintOf(t.Context(), tree)
			f.Must(err)
			_, err = tree.Since(t.Context(), "")
			f.Must(err)
			f.changes(s, first, c)
			f.Must(s.Diff(t.Context(), io.Discard, first, c, DiffOptions{}))
			f.checkout(s, c.Tree)
			_, err = s.Trees().Pinned(t.Context(), c, Pin{Patterns: []string{"*.txt"}, First: first})
			f.Must(err)
			_, _, err = s.Restore(t.Context(), first)
			f.Must(err)
			ranNothing(t, ran)
		})
	}
}

func ranNothing(t *testing.T, ran string) {
	t.Helper()
	if text, err := os.ReadFile(ran); err == nil {
		t.Errorf("it ran: %q", text)
	}
}

// A filter that the user has set up for every repository tells whether a file has
// changed, and goes on to.
func TestAFilterOfTheUsersOwnIsRun(t *testing.T) {
	f := newRepository(t)
	config := filepath.Join(t.TempDir(), "config")
	f.Must(os.WriteFile(config, []byte("[filter \"upper\"]\n\tclean = tr a-z A-Z\n\tsmudge = cat\n"), 0o600))
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	f.Write(".gitattributes", "*.up filter=upper\n")
	f.Write("x.up", "one")
	f.Commit("with a filter")
	f.Write("x.up", "ONE") // which is the same to git
	dirty, err := f.open().Dirty(t.Context())
	f.Must(err)
	if dirty != 0 {
		t.Errorf("%d files are not committed, want none", dirty)
	}
}

// What an agent exchanges by a replacement is not exchanged for us.
func TestReplacementsDoNotCount(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	first := f.checkpoint(s)
	f.Write("a.txt", "evil")
	second := f.checkpoint(s)
	was, is := f.holdsID(s, first, "a.txt"), f.holdsID(s, second, "a.txt")
	for _, git := range []string{f.Path(".git"), s.dir} {
		f.Must(os.MkdirAll(filepath.Join(git, "refs", "replace"), 0o700))
		f.Must(os.WriteFile(filepath.Join(git, "refs", "replace", was), []byte(is+"\n"), 0o600))
	}
	f.cleanHolds(f.checkout(s, first.Tree), map[string]string{"a.txt": "one", "b.txt": "two", ".gitignore": "*.log\nbuild/\n"})
	_, _, err := s.Restore(t.Context(), first)
	f.Must(err)
	if got := f.Read("a.txt"); got != "one" {
		t.Errorf("a.txt = %q after the restore", got)
	}
}
