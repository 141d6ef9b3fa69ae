package checkpoint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/git"
)

// A crash of the machine may leave a HEAD whose commit is not there, or empty.
func TestWithoutTheLastCommitTheCheckpointsBeginAnew(t *testing.T) {
	t.Parallel()
	object := func(s *Store, id string) string { return filepath.Join(s.repo.objects(), id[:2], id[2:]) }
	for name, lose := range map[string]func(f folder, s *Store, c Checkpoint){
		"empty": func(f folder, s *Store, c Checkpoint) {
			f.Must(os.Remove(object(s, c.ID)))
			f.Must(os.WriteFile(object(s, c.ID), nil, 0o600))
		},
		"gone": func(f folder, s *Store, c Checkpoint) { f.Must(os.Remove(object(s, c.ID))) },
		"no commit of ours": func(f folder, s *Store, _ Checkpoint) {
			f.Must(os.WriteFile(s.repo.head(), []byte(strings.TrimSpace(f.Output("rev-parse", "HEAD"))+"\n"), 0o600))
		},
		"no name": func(f folder, s *Store, _ Checkpoint) {
			f.Must(os.WriteFile(s.repo.head(), make([]byte, 41), 0o600))
		},
	} {
		for _, live := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f := newRepository(t)
				s := f.keep(f.open())
				f.Must(os.Chmod(f.Path("b.txt"), 0o640))
				first := f.checkpoint(s)
				f.Write("a.txt", "second")
				second := f.checkpoint(s)
				lose(f, s, second)
				if !live {
					var err error
					s, err = OpenStore(t.Context(), f.open(), s.dir, "")
					f.Must(err)
				}
				f.Write("new.txt", "third")
				third := f.checkpoint(s)
				if got := says(f.changes(s, first, third)); !slices.Equal(got, []string{"modified a.txt", "created new.txt"}) {
					t.Errorf("since the first: %q", got)
				}
				if i := slices.IndexFunc(third.facts.Modes, func(m oddMode) bool { return string(m.Path) == "b.txt" }); i < 0 {
					t.Error("the permissions of b.txt are forgotten")
				}
				if len(third.Notes) != 1 || !strings.Contains(third.Notes[0], "begins anew") {
					t.Errorf("notes = %q", third.Notes)
				}
				if again := f.checkpoint(s); again.ID != third.ID || len(again.Notes) > 0 {
					t.Errorf("once more it is another one, with the notes %q", again.Notes)
				}
				_, _, err := s.Restore(t.Context(), first)
				f.Must(err)
				if got := f.Read("a.txt"); got != "one" || f.Exists("new.txt") {
					t.Errorf("restored: a.txt holds %q", got)
				}
			})
		}
	}
}

// What a crash has left of an object is no object.
func TestAnEmptyObjectIsWrittenAgain(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	f.checkpoint(s)
	name := s.repo.sum("tree", nil)
	f.Must(os.MkdirAll(filepath.Join(s.repo.objects(), name[:2]), 0o700))
	f.Must(os.WriteFile(filepath.Join(s.repo.objects(), name[:2], name[2:]), nil, 0o400))
	_, err := s.repo.put("tree", nil)
	f.Must(err)
	_, err = s.repo.run(t.Context(), git.Command{}, "fsck", "--no-dangling", "--no-progress")
	f.Must(err)
}
