package checkpoint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// poisons are what somebody who can write to the store could write there.
var poisons = map[string]func(f folder, s folder){
	"a filter": func(f, s folder) {
		s.write("info/attributes", "* filter=evil\n")
		s.write("config", s.read("config")+"[filter \"evil\"]\n\tsmudge = echo evil\n\tclean = echo evil\n")
	},
	"a filter in the shared settings": func(f, s folder) {
		s.write("info/attributes", "* filter=evil\n")
		s.write("shared", s.read("shared")+"[filter \"evil\"]\n\tsmudge = echo evil\n\tclean = echo evil\n")
	},
	"ends of lines": func(f, s folder) {
		s.write("info/attributes", "* text eol=crlf\n")
	},
	"settings of a work tree": func(f, s folder) {
		s.write("config", strings.Replace(s.read("config"), "repositoryformatversion = 0", "repositoryformatversion = 1", 1)+"[extensions]\n\tworktreeConfig = true\n")
		s.write("config.worktree", "[core]\n\texcludesFile = "+filepath.ToSlash(s.path("hidden"))+"\n")
		s.write("hidden", "*\n")
	},
	"what to ignore": func(f, s folder) {
		s.write("config", s.read("config")+"[core]\n\texcludesFile = "+filepath.ToSlash(s.path("hidden"))+"\n")
		s.write("hidden", "*\n")
	},
	"another repository": func(f, s folder) {
		other := newRepository(f.t)
		other.write("a.txt", "evil")
		other.commit("evil")
		s.write("commondir", other.path(".git"))
	},
	"a sparse checkout": func(f, s folder) {
		s.write("info/sparse-checkout", "/b.txt\n")
	},
	"attributes that are a link": func(f, s folder) {
		s.write("evil", "* text eol=crlf\n")
		f.must(os.Remove(s.path("info/attributes")))
		f.must(os.Symlink(s.path("evil"), s.path("info/attributes")))
	},
	"a folder that is a link": func(f, s folder) {
		s.write("evil/attributes", "* text eol=crlf\n")
		f.must(os.RemoveAll(s.path("info")))
		f.must(os.Symlink(s.path("evil"), s.path("info")))
	},
	"grafts and such": func(f, s folder) {
		s.write("info/grafts", strings.Repeat("0", 40)+"\n")
		s.write("shallow", "nonsense\n")
		s.write("packed-refs", "nonsense\n")
		s.write("objects/info/alternates", s.path("nowhere")+"\n")
		s.write("objects/info/commit-graph", "nonsense")
		s.write("objects/pack/multi-pack-index", "nonsense")
		s.write("refs/heads/checkpoints", strings.Repeat("0", 40)+"\n")
	},
}

// What somebody has written into the store decides neither what is kept nor what
// is checked out, in the live run and for whoever opens it later.
func TestAPoisonedStoreIsPutBack(t *testing.T) {
	t.Parallel()
	for name, poison := range poisons {
		for _, later := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f := newRepository(t)
				f.write("lines.txt", "1\n2\n")
				s := f.keep(f.open())
				first := f.checkpoint(s)
				was := f.sealed(s)
				poison(f, folder{t, s.dir})
				f.write("a.txt", "changed")
				f.write("new.txt", "new\n")
				if later {
					again, err := OpenStore(t.Context(), f.open(), s.dir, "")
					f.must(err)
					s = again
				}
				want := map[string]string{"a.txt": "one", "b.txt": "two", ".gitignore": "*.log\nbuild/\n", "lines.txt": "1\n2\n"}
				f.cleanHolds(f.checkout(s, first.Tree), want)

				poison(f, folder{t, s.dir})
				second := f.checkpoint(s)
				if got := says(f.changes(s, first, second)); !slices.Equal(got, []string{"modified a.txt", "created new.txt"}) {
					t.Errorf("changes = %q", got)
				}
				if got := f.holds(s, second, "new.txt"); got != "new\n" {
					t.Errorf("new.txt is kept as %q", got)
				}
				if len(second.Notes) != 1 || !strings.Contains(second.Notes[0], "was put back") {
					t.Errorf("notes = %q", second.Notes)
				}
				poison(f, folder{t, s.dir})
				f.must(os.Remove(f.path("lines.txt")))
				_, _, err := s.Restore(t.Context(), first)
				f.must(err)
				for name, text := range want {
					if got := f.read(name); got != text {
						t.Errorf("%s = %q after the restore, want %q", name, got, text)
					}
				}
				if got := f.sealed(s); got != was {
					t.Errorf("the store is now\n%s\nand was\n%s", got, was)
				}
			})
		}
	}
}

// sealed is the files of a store that tell git what to do.
func (f folder) sealed(s *Store) string {
	f.t.Helper()
	var b strings.Builder
	store := folder{f.t, s.dir}
	for _, name := range []string{"config", "shared", "info/attributes", madeForFile} {
		b.WriteString(name + "\n" + store.read(name) + "\n")
	}
	for _, name := range unsealed {
		if store.exists(name) {
			b.WriteString(name + " is there\n")
		}
	}
	return b.String()
}

// What the store shares with the user's settings is still there when it is opened
// again, and nothing that somebody else has put beside it.
func TestSharedSettingsAreReadStrictly(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.git("config", "core.excludesFile", `/some "where" \ else`)
	s := f.keep(f.open())
	store := folder{t, s.dir}
	was := store.read(shared)
	if !strings.Contains(was, "excludesfile") {
		t.Fatalf("the shared settings are %q", was)
	}
	store.write(shared, was+"\thooksPath = \"/evil\"\n[filter \"x\"]\n\tsmudge = \"evil\"\n\tfilemode = \"false\" ; [evil]\n")
	_, err := OpenStore(t.Context(), f.open(), s.dir, "")
	f.must(err)
	if got := store.read(shared); got != was {
		t.Errorf("the shared settings are %q, and were %q", got, was)
	}
}

func TestAStoreKeepsWhatItBorrows(t *testing.T) {
	t.Parallel()
	lender := newRepository(t)
	f := newFolder(t)
	f.git("clone", "-q", "--shared", lender.dir, ".")
	s := f.keep(f.open())
	first := f.checkpoint(s)
	list := folder{t, s.dir}.read(alternates)
	f.must(os.Remove(f.path(".git/objects/info/alternates")))
	folder{t, s.dir}.write(alternates, t.TempDir()+"\n")
	again, err := OpenStore(t.Context(), f.open(), s.dir, "")
	f.must(err)
	if got := (folder{t, s.dir}).read(alternates); got != list {
		t.Errorf("it borrows from %q, and borrowed from %q", got, list)
	}
	f.must(os.Remove(f.path("a.txt")))
	_, _, err = again.Restore(t.Context(), first)
	f.must(err)
	if got := f.read("a.txt"); got != "one" {
		t.Errorf("a.txt = %q", got)
	}
}

// Without its attributes git would change files on their way in and out, so there
// is no moment in which it could find none.
func TestASealedFileIsReplacedInOnePiece(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	store := folder{t, s.dir}
	const name = "info/attributes"
	over, gone := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(gone)
		for {
			select {
			case <-over:
				return
			default:
			}
			if _, err := os.Lstat(store.path(name)); err != nil {
				gone <- err
				return
			}
		}
	}()
	for range 50 {
		store.replace(name, "* filter=evil\n")
		if found, err := s.seal.check(); err != nil || !slices.Equal(found, []string{name}) {
			t.Errorf("seal = %q, %v", found, err)
			break
		}
	}
	close(over)
	if err := <-gone; err != nil {
		t.Errorf("for a moment there was none: %v", err)
	}
}

// replace is write in one piece.
func (f folder) replace(name, text string) {
	f.t.Helper()
	f.write(name+".x", text)
	f.must(os.Rename(f.path(name+".x"), f.path(name)))
}
