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
		s.Write("info/attributes", "* filter=evil\n")
		s.Write("config", s.Read("config")+"[filter \"evil\"]\n\tsmudge = echo evil\n\tclean = echo evil\n")
	},
	"a filter in the shared settings": func(f, s folder) {
		s.Write("info/attributes", "* filter=evil\n")
		s.Write("shared", s.Read("shared")+"[filter \"evil\"]\n\tsmudge = echo evil\n\tclean = echo evil\n")
	},
	"ends of lines": func(f, s folder) {
		s.Write("info/attributes", "* text eol=crlf\n")
	},
	"settings of a work tree": func(f, s folder) {
		s.Write("config", strings.Replace(s.Read("config"), "repositoryformatversion = 0", "repositoryformatversion = 1", 1)+"[extensions]\n\tworktreeConfig = true\n")
		s.Write("config.worktree", "[core]\n\texcludesFile = "+filepath.ToSlash(s.Path("hidden"))+"\n")
		s.Write("hidden", "*\n")
	},
	"what to ignore": func(f, s folder) {
		s.Write("config", s.Read("config")+"[core]\n\texcludesFile = "+filepath.ToSlash(s.Path("hidden"))+"\n")
		s.Write("hidden", "*\n")
	},
	"another repository": func(f, s folder) {
		other := newRepository(f.T)
		other.Write("a.txt", "evil")
		other.Commit("evil")
		s.Write("commondir", other.Path(".git"))
	},
	"a sparse checkout": func(f, s folder) {
		s.Write("info/sparse-checkout", "/b.txt\n")
	},
	"attributes that are a link": func(f, s folder) {
		s.Write("evil", "* text eol=crlf\n")
		f.Must(os.Remove(s.Path("info/attributes")))
		f.Must(os.Symlink(s.Path("evil"), s.Path("info/attributes")))
	},
	"a folder that is a link": func(f, s folder) {
		s.Write("evil/attributes", "* text eol=crlf\n")
		f.Must(os.RemoveAll(s.Path("info")))
		f.Must(os.Symlink(s.Path("evil"), s.Path("info")))
	},
	"grafts and such": func(f, s folder) {
		s.Write("info/grafts", strings.Repeat("0", 40)+"\n")
		s.Write("shallow", "nonsense\n")
		s.Write("packed-refs", "nonsense\n")
		s.Write("objects/info/alternates", s.Path("nowhere")+"\n")
		s.Write("objects/info/commit-graph", "nonsense")
		s.Write("objects/pack/multi-pack-index", "nonsense")
		s.Write("refs/heads/checkpoints", strings.Repeat("0", 40)+"\n")
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
				f.Write("lines.txt", "1\n2\n")
				s := f.keep(f.open())
				first := f.checkpoint(s)
				was := f.sealed(s)
				poison(f, folderAt(t, s.dir))
				f.Write("a.txt", "changed")
				f.Write("new.txt", "new\n")
				if later {
					again, err := OpenStore(t.Context(), f.open(), s.dir, "")
					f.Must(err)
					s = again
				}
				want := map[string]string{"a.txt": "one", "b.txt": "two", ".gitignore": "*.log\nbuild/\n", "lines.txt": "1\n2\n"}
				f.cleanHolds(f.checkout(s, first.Tree), want)

				poison(f, folderAt(t, s.dir))
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
				poison(f, folderAt(t, s.dir))
				f.Must(os.Remove(f.Path("lines.txt")))
				_, _, err := s.Restore(t.Context(), first)
				f.Must(err)
				for name, text := range want {
					if got := f.Read(name); got != text {
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
	f.T.Helper()
	var b strings.Builder
	store := folderAt(f.T, s.dir)
	for _, name := range []string{"config", "shared", "info/attributes", madeForFile} {
		b.WriteString(name + "\n" + store.Read(name) + "\n")
	}
	for _, name := range unsealed {
		if store.Exists(name) {
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
	f.Git("config", "core.excludesFile", `/some "where" \ else`)
	s := f.keep(f.open())
	store := folderAt(t, s.dir)
	was := store.Read(shared)
	if !strings.Contains(was, "excludesfile") {
		t.Fatalf("the shared settings are %q", was)
	}
	store.Write(shared, was+"\thooksPath = \"/evil\"\n[filter \"x\"]\n\tsmudge = \"evil\"\n\tfilemode = \"false\" ; [evil]\n")
	_, err := OpenStore(t.Context(), f.open(), s.dir, "")
	f.Must(err)
	if got := store.Read(shared); got != was {
		t.Errorf("the shared settings are %q, and were %q", got, was)
	}
}

func TestAStoreKeepsWhatItBorrows(t *testing.T) {
	t.Parallel()
	lender := newRepository(t)
	f := newFolder(t)
	f.Git("clone", "-q", "--shared", lender.Dir, ".")
	s := f.keep(f.open())
	first := f.checkpoint(s)
	list := folderAt(t, s.dir).Read(alternates)
	f.Must(os.Remove(f.Path(".git/objects/info/alternates")))
	folderAt(t, s.dir).Write(alternates, t.TempDir()+"\n")
	again, err := OpenStore(t.Context(), f.open(), s.dir, "")
	f.Must(err)
	if got := folderAt(t, s.dir).Read(alternates); got != list {
		t.Errorf("it borrows from %q, and borrowed from %q", got, list)
	}
	f.Must(os.Remove(f.Path("a.txt")))
	_, _, err = again.Restore(t.Context(), first)
	f.Must(err)
	if got := f.Read("a.txt"); got != "one" {
		t.Errorf("a.txt = %q", got)
	}
}

// Without its attributes git would change files on their way in and out, so there
// is no moment in which it could find none.
func TestASealedFileIsReplacedInOnePiece(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	store := folderAt(t, s.dir)
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
			if _, err := os.Lstat(store.Path(name)); err != nil {
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
	f.T.Helper()
	f.Write(name+".x", text)
	f.Must(os.Rename(f.Path(name+".x"), f.Path(name)))
}
