package git

import "testing"

func TestDirtyCountsWhatIsNotCommitted(t *testing.T) {
	tests := []struct {
		name string
		act  func(folder)
		want int
	}{
		{"nothing", func(folder) {}, 0},
		{"a changed, a staged, a deleted and two new files", func(f folder) {
			f.Write("sub/changed", "2")
			f.Write("sub/staged", "2")
			f.Git("add", "sub/staged")
			f.Git("rm", "-q", "sub/deleted")
			f.Write("sub/new/a", "")
			f.Write("sub/new/b", "")
		}, 5},
		{"a file that was moved counts at both ends", func(f folder) { f.Git("mv", "sub/changed", "sub/moved") }, 2},
		{"ignored files", func(f folder) { f.Write("sub/x.log", ""); f.Write("sub/build/x", "") }, 0},
		{"files beside the folder", func(f folder) { f.Write("a.txt", "2"); f.Write("new", "") }, 0},
		{"our own files", func(f folder) { f.Write("sub/.refrain/runs/build-1/journal.jsonl", "") }, 0},
		{"the user's hooks", func(f folder) { f.Write("sub/.refrain/hooks/started", "") }, 1},
		{"notes", func(f folder) { f.Write("sub/PROGRESS.md", "") }, 1},
		{"before the first commit of a branch", func(f folder) { f.Git("checkout", "-q", "--orphan", "new") }, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			for _, name := range []string{"changed", "staged", "deleted"} {
				f.Write("sub/"+name, "1")
			}
			f.Commit("second")
			tt.act(f)
			got, err := folderAt(t, f.Path("sub")).open("PROGRESS.md").Dirty(t.Context())
			if err != nil || got != tt.want {
				t.Errorf("Dirty = %d, %v, want %d", got, err, tt.want)
			}
		})
	}
	plain := newFolder(t)
	plain.Write("a", "")
	if got, err := plain.open().Dirty(t.Context()); got != 0 || err != nil {
		t.Errorf("without git: %d, %v", got, err)
	}
}
