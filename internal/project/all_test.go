package project

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gofrs/flock"
)

// known is what All says of a project by where it was.
func (s *scene) known(root string) Known {
	s.Helper()
	s.Setenv("XDG_STATE_HOME", s.dir)
	all, err := All()
	if err != nil {
		s.Fatal(err)
	}
	i := slices.IndexFunc(all, func(k Known) bool { return k.Root == s.path(root) })
	if i < 0 {
		s.Fatalf("nobody knows %s: %+v", root, all)
	}
	return all[i]
}

func TestOnlyWhatIsSurelyGoneIsForgotten(t *testing.T) {
	needsUnix(t)
	for _, tt := range []struct {
		name, do        string
		gone, elsewhere bool
	}{
		{"it is there", "true", false, false},
		{"deleted", "rm -rf top/a", true, false},
		{"moved", "mv top/a b", true, true},
		{"moved, and without its sign", "mv top/a b; rm -rf b/.refrain", true, false},
		{"where nobody can look", "mv top b; touch top", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			mkdir(t, s.dir, "top/a")
			p, err := FindIn(s.path("refrain"), s.path("top/a"))
			if err == nil {
				p, err = p.Claim()
			}
			if err != nil {
				t.Fatal(err)
			}
			if Identity(s.path("top/a")) == "" {
				t.Skip("folders have no identity here")
			}
			s.do("sh", "-c", tt.do)
			k := s.known("top/a")
			if k.Gone != tt.gone || k.Elsewhere != tt.elsewhere {
				t.Errorf("after %s gone is %v and elsewhere %v, want %v and %v", tt.do, k.Gone, k.Elsewhere, tt.gone, tt.elsewhere)
			}
			done, err := k.Forget(os.RemoveAll)
			if want := tt.gone && !tt.elsewhere; done != want || err != nil {
				t.Errorf("Forget = %v, %v, want %v", done, err, want)
			}
			if _, err := os.Stat(p.Dir); (err != nil) != done {
				t.Errorf("Forget = %v, and Stat of the records: %v", done, err)
			}
		})
	}
}

// What came back between the look and the act stays.
func TestForgetLooksAgain(t *testing.T) {
	s := newScene(t)
	mkdir(t, s.dir, "a")
	p, err := FindIn(s.path("refrain"), s.path("a"))
	if err == nil {
		p, err = p.Claim()
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(s.path("a")); err != nil {
		t.Fatal(err)
	}
	k := s.known("a")
	lock := flock.New(filepath.Join(p.Dir, LockName(p.Tree)))
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if done, err := k.Forget(os.RemoveAll); done || err != nil {
		t.Errorf("Forget of a project with a live run = %v, %v", done, err)
	}
	lock.Close()
	mkdir(t, s.dir, "a")
	if done, err := k.Forget(os.RemoveAll); done || err != nil {
		t.Errorf("Forget of a project that is back = %v, %v", done, err)
	}
}

func TestWhatWasJustBuiltIsLeftOverWhenNobodyIsAtIt(t *testing.T) {
	s := newScene(t)
	mkdir(t, s.dir, "a")
	p := s.claim("a", "run-1")
	mkdir(t, p.Dir, "taking-loop_1")
	mkdir(t, p.Dir, "runs.new/run-1")
	err := p.Build(func(dir string) error {
		if left, err := Leftovers(p.Dir); len(left) > 0 || err != nil {
			t.Errorf("while somebody builds Leftovers = %v, %v", left, err)
		}
		return MoveInto(dir, filepath.Join(p.Dir, "runs", "run-2"))
	})
	if err != nil {
		t.Fatal(err)
	}
	left, err := Leftovers(p.Dir)
	if want := []string{filepath.Join(p.Dir, "runs.new"), filepath.Join(p.Dir, "taking-loop_1")}; err != nil || !slices.Equal(left, want) {
		t.Errorf("Leftovers = %v, %v, want %v", left, err, want)
	}
	s.holds("a", "run-1", "run-2")
}
