//go:build unix

package checkpoint

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// deed is something that an agent may do to a file, or to all.
type deed struct {
	name string
	act  func(at string)
}

// do does it to some file, and tells what was done.
func (d deed) do(random *rand.Rand) string {
	at := someName(random)
	d.act(at)
	return d.name + " " + at
}

const (
	// nests is the deed after which files of the outer repository may be in an inner one:
	// what is kept of those depends on which came first.
	nests = "nested"
	// hides is the deed that git tells nobody of: what was kept before stays kept until
	// other rules are new.
	hides = "rules that hide themselves"
)

func (f folder) deeds(random *rand.Rand) []deed {
	return []deed{
		{"write", func(at string) { f.Write(f.free(at), fmt.Sprint(random.Uint64())) }},
		{"remove", func(at string) { _ = os.RemoveAll(f.Path(at)) }},
		{"remove all", func(at string) { f.Must(os.RemoveAll(f.Path(strings.Split(at, "/")[0]))) }},
		{"run it", func(at string) { _ = os.Chmod(f.Path(at), 0o755) }},
		{"move", func(at string) {
			to := f.free(someName(random))
			f.Must(os.MkdirAll(path.Dir(f.Path(to)), 0o700))
			_ = os.Rename(f.Path(at), f.Path(to))
		}},
		{"move a folder", func(at string) {
			_ = os.Rename(f.Path(strings.Split(at, "/")[0]), f.Path(fmt.Sprint("moved", random.IntN(3))))
		}},
		{"link", func(at string) {
			f.free(at)
			f.Must(os.MkdirAll(path.Dir(f.Path(at)), 0o700))
			f.Must(os.Symlink("a.txt", f.Path(at)))
		}},
		{"folder for a link", func(at string) {
			f.free(at)
			f.Must(os.MkdirAll(path.Dir(f.Path(at)), 0o700))
			f.Must(os.Symlink(f.Path("a0"), f.Path(at)))
		}},
		{nests, func(at string) {
			f.free(at)
			f.Must(os.MkdirAll(f.Path(at), 0o700))
			f.Git("init", "-q", "--template=", f.Path(at))
		}},
		{"rules", func(at string) { f.Write(".gitignore", fmt.Sprintf("*.log\n%s\n", at)) }},
		{"rules of one folder", func(at string) { f.Write(path.Join(strings.Split(f.free(at+"/x"), "/")[0], ".gitignore"), "b*\n") }},
		{hides, func(at string) { f.Write(f.free(at+"/.gitignore"), "*\n") }},
		{"something in it", func(at string) { f.Write(f.free(at+"/new"), fmt.Sprint(random.Uint64())) }},
		{"an empty folder", func(at string) { f.free(at); f.Must(os.MkdirAll(f.Path(at), 0o700)) }},
		{"what only git hides", func(at string) { f.Write(".git/info/exclude", at+"\n") }},
		{"commit", func(string) { f.try("add", "-A"); f.try("commit", "-q", "--allow-empty", "-m", "work") }},
		{"track what is ignored", func(at string) { f.Write(f.free(at), "x"); f.try("add", "-f", at) }},
		{"go back", func(string) { f.Git("reset", "-q", "--hard") }},
		{"track what hides", func(at string) {
			at = hidden(at)
			f.Write(f.free(at), fmt.Sprint(random.Uint64()))
			f.try("add", "-f", at)
		}},
		{"write what hides", func(at string) { f.Write(f.free(hidden(at)), fmt.Sprint(random.Uint64())) }},
		{"remove what hides", func(at string) { f.Must(os.RemoveAll(f.Path(hidden(at)))) }},
		{"forget", func(at string) { f.try("rm", "-q", "-r", "--cached", at) }},
		{"make a branch", func(string) { f.try("checkout", "-q", "-b", fmt.Sprint("topic", random.IntN(3))) }},
		{"go to a branch", func(string) { f.try("checkout", "-q", "-f", fmt.Sprint("topic", random.IntN(3))) }},
		{"clean up", func(string) { f.try("gc", "-q", "--prune=now") }},
		{"ignored", func(string) { f.Write("build/out", fmt.Sprint(random.Uint64())) }},
		{"a pipe", func(at string) {
			f.free(at)
			f.Must(os.MkdirAll(path.Dir(f.Path(at)), 0o700))
			f.Must(syscall.Mkfifo(f.Path(at), 0o600))
		}},
	}
}

// hidden is the name of a file that the rules ignore.
func hidden(at string) string { return strings.Split(at, "/")[0] + ".log" }

// try runs git, which may refuse.
func (f folder) try(args ...string) {
	cmd := exec.Command("git", args...)
	cmd.Dir = f.Dir
	_ = cmd.Run()
}

// Whatever happens from one checkpoint to the next, and whatever is remembered of what
// was: a checkpoint is what a store that is made now would keep.
func TestAStoreKeepsWhatANewOneWould(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write(".gitignore", "*.log\nbuild/\nvenv*\n")
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range 30 {
		f.Write(f.free(someName(random)), fmt.Sprint(i))
	}
	f.Commit("files")
	deeds := slices.DeleteFunc(f.deeds(random), func(d deed) bool { return d.name == nests || d.name == hides })
	s := f.keep(f.open())
	t.Cleanup(s.Tidy(t.Context()))
	var done []string
	for range 12 {
		for range random.IntN(5) {
			done = append(done, deeds[random.IntN(len(deeds))].do(random))
		}
		done = append(done, "look")
		anew := f.keep(f.open())
		f.checkpoint(s)
		f.checkpoint(anew) // of a pipe in the place of a file git tells once
		c, want := f.checkpoint(s), f.checkpoint(anew)
		c.facts.Modes, want.facts.Modes = nil, nil // which git does not tell of
		if c.Tree != want.Tree || !c.facts.equal(want.facts) {
			t.Fatalf("seed %d, after %q: %+v is kept, and a new store keeps %+v", seed, done, f.paths(s, c), f.paths(anew, want))
		}
	}
}

// paths is what a checkpoint holds, and what it knows.
func (f folder) paths(s *Store, c Checkpoint) string {
	f.T.Helper()
	paths, err := s.Trees().Paths(f.T.Context(), c.Tree)
	f.Must(err)
	return fmt.Sprintf("%v, %+v", paths, c.facts)
}
