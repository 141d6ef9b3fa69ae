//go:build unix

package checkpoint

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// What an agent writes into the settings of the repository does not run with the
// rights of the runner, whatever the runner asks git.
func TestGitRunsNoProgramOfTheRepository(t *testing.T) {
	t.Parallel()
	for name, poison := range map[string]func(f folder, evil string){
		"fsmonitor": func(f folder, evil string) { f.git("config", "core.fsmonitor", evil) },
		"hooks": func(f folder, evil string) {
			for _, hook := range []string{"post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc"} {
				f.hook(hook, "exec "+evil)
			}
		},
		"hooks elsewhere": func(f folder, evil string) {
			dir := f.path(".git/others")
			f.must(os.Mkdir(dir, 0o700))
			f.must(os.Symlink(evil, filepath.Join(dir, "post-index-change")))
			f.must(os.Symlink(evil, filepath.Join(dir, "reference-transaction")))
			f.git("config", "core.hooksPath", dir)
		},
		"a filter": func(f folder, evil string) {
			f.write(".gitattributes", "*.txt filter=evil\n")
			f.git("config", "filter.evil.clean", evil+"; cat")
			f.git("config", "filter.evil.smudge", evil+"; cat")
		},
		"a filter that is required": func(f folder, evil string) {
			f.write(".git/info/attributes", "*.txt filter=a.b\n")
			f.git("config", "filter.a.b.process", evil)
			f.git("config", "filter.a.b.required", "true")
		},
		"a diff": func(f folder, evil string) {
			f.write(".git/info/attributes", "*.txt diff=evil\n")
			f.git("config", "diff.external", evil)
			f.git("config", "diff.evil.command", evil)
			f.git("config", "diff.evil.textconv", evil)
		},
		"a submodule": func(f folder, evil string) {
			f.git("init", "-q", "--template=", "sub")
			inner := folder{f.t, f.path("sub")}
			inner.write("x", "x")
			inner.commit("inner")
			f.git("add", "sub")
			f.git("commit", "-q", "-m", "a submodule")
			inner.git("config", "core.fsmonitor", evil)
			inner.write("x", "changed")
		},
		"a pager": func(f folder, evil string) {
			f.git("config", "core.pager", evil)
			f.git("config", "pager.status", evil)
		},
		"a fetch": func(f folder, evil string) {
			f.git("config", "extensions.partialClone", "origin")
			f.git("config", "remote.origin.promisor", "true")
			f.git("config", "remote.origin.url", "ssh://nowhere.invalid/x")
			f.git("config", "protocol.ssh.allow", "always")
			f.git("config", "core.sshCommand", evil)
			lost := f.output("rev-parse", "HEAD^{tree}")
			f.must(os.Remove(f.path(".git/objects/" + lost[:2] + "/" + lost[2:])))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			ran := filepath.Join(t.TempDir(), "ran")
			evil := filepath.Join(t.TempDir(), "evil")
			f.must(os.WriteFile(evil, []byte("#!/bin/sh\necho x >>"+ran+"\n"), 0o755))
			poison(f, evil)
			// What was written in the same moment as the index is read again.
			f.write("b.txt", "owt")
			tree := f.open()
			_, err := tree.Dirty(t.Context())
			_ = tree.CanCommit(t.Context()) // it may say no
			if name == "a fetch" {          // what that lost is lost
				ranNothing(t, ran)
				return
			}
			f.must(err)
			s := f.keep(tree)
			first := f.checkpoint(s)
			f.write("a.txt", "changed")
			c := f.checkpoint(s)
			_, err = FingerprintOf(t.Context(), tree)
			f.must(err)
			_, err = tree.Since(t.Context(), "")
			f.must(err)
			f.changes(s, first, c)
			f.must(s.Diff(t.Context(), io.Discard, first, c, DiffOptions{}))
			f.checkout(s, c.Tree)
			_, err = s.Trees().Pinned(t.Context(), c, Pin{Patterns: []string{"*.txt"}, First: first})
			f.must(err)
			_, _, err = s.Restore(t.Context(), first)
			f.must(err)
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
	f.must(os.WriteFile(config, []byte("[filter \"upper\"]\n\tclean = tr a-z A-Z\n\tsmudge = cat\n"), 0o600))
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	f.write(".gitattributes", "*.up filter=upper\n")
	f.write("x.up", "one")
	f.commit("with a filter")
	f.write("x.up", "ONE") // which is the same to git
	dirty, err := f.open().Dirty(t.Context())
	f.must(err)
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
	f.write("a.txt", "evil")
	second := f.checkpoint(s)
	was, is := f.holdsID(s, first, "a.txt"), f.holdsID(s, second, "a.txt")
	for _, git := range []string{f.path(".git"), s.dir} {
		f.must(os.MkdirAll(filepath.Join(git, "refs", "replace"), 0o700))
		f.must(os.WriteFile(filepath.Join(git, "refs", "replace", was), []byte(is+"\n"), 0o600))
	}
	f.cleanHolds(f.checkout(s, first.Tree), map[string]string{"a.txt": "one", "b.txt": "two", ".gitignore": "*.log\nbuild/\n"})
	_, _, err := s.Restore(t.Context(), first)
	f.must(err)
	if got := f.read("a.txt"); got != "one" {
		t.Errorf("a.txt = %q after the restore", got)
	}
}
