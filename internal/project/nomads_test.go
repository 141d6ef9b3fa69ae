package project

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Whoever is moved, copied, cloned and deleted: a run belongs to one place, and
// that is the folder it was made in as long as that is anywhere.
func TestSequences(t *testing.T) {
	needsUnix(t)
	for _, tt := range []struct {
		name string
		do   []string
		want map[string]string
	}{
		{"moved, and cloned to where it was", []string{"mv a b", "git clone -q b a", "use a", "use b"}, map[string]string{"a": "run-a", "b": "run-1 run-b"}},
		{"moved, and cloned, looked at in the other order", []string{"mv a b", "git clone -q b a", "use b", "use a"}, map[string]string{"a": "run-a", "b": "run-1 run-b"}},
		{"copied, and moved away", []string{"cp -a a b", "mv a c", "use b", "use c"}, map[string]string{"b": "run-b", "c": "run-1 run-c"}},
		{"moved, and copied back", []string{"mv a b", "cp -a b a", "use a", "use b"}, map[string]string{"a": "run-a", "b": "run-1 run-b"}},
		{"a backup where it was moved away", []string{"cp -a a x", "mv a c", "mv x a", "use a", "use c"}, map[string]string{"a": "run-a", "c": "run-1 run-c"}},
		{"a backup where it was deleted", []string{"cp -a a x", "rm -rf a", "mv x a", "use a"}, map[string]string{"a": "run-1 run-a"}},
		{"a backup beside where it was deleted", []string{"cp -a a x", "rm -rf a", "use x"}, map[string]string{"x": "run-1 run-x"}},
		{"cloned anew where it was deleted", []string{"git clone -q a x", "rm -rf a", "mv x a", "use a"}, map[string]string{"a": "run-1 run-a"}},
		{"its git made anew", []string{"rm -rf a/.git", "git init -q a", "use a"}, map[string]string{"a": "run-1 run-a"}},
		{"without its git, moved", []string{"rm -rf a/.git", "mv a b", "use b"}, map[string]string{"b": "run-1 run-b"}},
		{"two that change places", []string{"git init -q b", "use b", "mv a x", "mv b a", "mv x b", "use a", "use b"}, map[string]string{"a": "run-b run-a", "b": "run-1 run-b"}},
		{"moved into another repository", []string{"git init -q o", "use o", "mv a o/a", "use o/a", "rm -rf o/a/.git", "use o/a", "use o"}, map[string]string{"o/a": "run-1 run-o/a", "o": "run-o"}},
		{"a repository in a repository", []string{"git init -q o", "git init -q o/i", "use o", "use o/i", "rm -rf o/i/.git", "use o/i"}, map[string]string{"o": "run-o", "o/i": "run-o/i"}},
		{"a second one with the same files of git", []string{"cp -al a b", "mv a c", "use b", "use c"}, map[string]string{"b": "run-b", "c": "run-1 run-c"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			s.git("a")
			git(t, s.path("a"), "commit", "-q", "--allow-empty", "-m", "x")
			if s.claim("a", "run-1"); Identity(s.path("a")) == "" {
				t.Skip("folders have no identity here")
			}
			for _, do := range tt.do {
				if tree, ok := strings.CutPrefix(do, "use "); ok {
					s.use(tree)
				} else {
					s.do("sh", "-c", do)
				}
			}
			for tree, runs := range tt.want {
				got, want := names(s.find(tree).Dir), strings.Fields(strings.ReplaceAll(runs, "/", "_"))
				if slices.Sort(want); !slices.Equal(got, want) {
					t.Errorf("after %v the runs in %s are %v, want %v", tt.do, tree, got, want)
				}
			}
		})
	}
}

// use has a run in a tree, which is called after it.
func (s *scene) use(tree string) {
	s.Helper()
	s.claim(tree, "run-"+strings.ReplaceAll(tree, "/", "_"))
}

// nomad is a folder of the model, which knows what the program has to find out.
type nomad struct {
	git  bool            // it has a repository
	runs map[string]bool // that were made in it
	path string          // where it was last used; its runs are found there
	bare bool            // what we have left in it is gone, and only its path and its folder tell
}

// TestNomads plays what people and agents do to projects, and holds what is found
// against a model.
func TestNomads(t *testing.T) {
	needsUnix(t)
	seed := uint64(time.Now().UnixNano())
	rounds := 6
	if testing.Short() {
		rounds = 3
	}
	for i := range rounds {
		t.Run(fmt.Sprintf("seed %d", seed+uint64(i)), func(t *testing.T) { playNomads(t, seed+uint64(i)) })
	}
}

func playNomads(t *testing.T, seed uint64) {
	s, r := newScene(t), rand.New(rand.NewPCG(seed, 0))
	if mkdir(t, s.dir, "x"); Identity(s.path("x")) == "" {
		t.Skip("folders have no identity here")
	}
	here, places, log, count := map[string]*nomad{}, []string{"a", "b", "c", "d"}, []string{}, 0
	do := func(format string, args ...any) {
		t.Helper()
		line := fmt.Sprintf(format, args...)
		log = append(log, line)
		s.do("sh", "-c", line)
	}
	for range 30 {
		at, to := places[r.IntN(len(places))], places[r.IntN(len(places))]
		n := here[at]
		switch act := r.IntN(8); {
		case n == nil && act < 4:
			here[at] = &nomad{git: act < 3}
			do("mkdir %s", at)
			if act < 3 {
				do("git init -q %s", at)
			}
		case n == nil:
		case act == 0 && here[to] == nil && !n.bare: // else nobody could tell when something takes its place
			do("mv %s %s", at, to)
			delete(here, at)
			here[to] = n
		case act == 1 && here[to] == nil:
			do("cp -a %s %s", at, to)
			here[to] = &nomad{git: n.git}
		case act == 2 && here[to] == nil && n.git:
			do("git clone -q %s %s 2>&1", at, to)
			here[to] = &nomad{git: true}
		case act == 3 && n.git && n.path == at:
			do("rm -rf %s/.git %s/.refrain; git init -q %s", at, at, at)
			n.bare = true
		case act == 4 && n.path == at:
			// What was used, and is deleted where it is known, comes back there.
			do("rm -rf %s; mkdir %s; git init -q %s", at, at, at)
			n.git, n.bare = true, true
		default:
			count++
			run := fmt.Sprintf("run-%d", count)
			log = append(log, "use "+at+" for "+run)
			s.claim(at, run)
			if n.runs == nil {
				n.runs = map[string]bool{}
			}
			n.runs[run], n.path, n.bare = true, at, false
		}
		s.checkNomads(here, log)
		if t.Failed() {
			return
		}
	}
}

// checkNomads wants every run in the place of the folder that it was made in, and
// in no other.
func (s *scene) checkNomads(here map[string]*nomad, log []string) {
	s.Helper()
	owner := map[string]string{}
	for at, n := range here {
		p := s.find(at)
		got := names(p.Dir)
		for _, run := range got {
			if other := owner[run]; other != "" {
				s.Errorf("%s is owned by %s and by %s after\n%s", run, other, at, strings.Join(log, "\n"))
			}
			owner[run] = at
		}
		for run := range n.runs {
			if !slices.Contains(got, run) {
				s.Errorf("%s has lost %s, and has %v after\n%s", at, run, got, strings.Join(log, "\n"))
			}
		}
		if len(got) > len(n.runs) && len(n.runs) > 0 {
			s.Errorf("%s has %v, and made only %v after\n%s", at, got, n.runs, strings.Join(log, "\n"))
		}
	}
	entries, _ := os.ReadDir(filepath.Join(s.dir, "state", "projects"))
	for _, e := range entries {
		if n, err := readNote(s.path("state"), e.Name()); err != nil || n.Root == "" {
			s.Errorf("the project %s has no note: %v", e.Name(), err)
		}
	}
}
