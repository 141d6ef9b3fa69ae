package git

import (
	"os"
	"strings"
	"testing"
)

func TestCommitsSinceAnEarlierOne(t *testing.T) {
	tests := []struct {
		name    string
		act     func(folder)
		earlier string // "" for none
		want    string // subjects; "error" for one
	}{
		{"none", func(folder) {}, "HEAD", ""},
		{"two, the newest first", func(f folder) { f.CommitEmpty("second"); f.CommitEmpty("third") }, "HEAD", "third second"},
		{"an amended one", func(f folder) { f.Git("commit", "-q", "--amend", "-m", "other") }, "HEAD", "other"},
		{"one in whose place another is put", func(f folder) { f.CommitEmpty("second"); f.Git("replace", "HEAD", "HEAD~1") }, "HEAD", "second"},
		{"a branch that has none yet", func(f folder) { f.Git("checkout", "-q", "--orphan", "new") }, "HEAD", ""},
		{"there was none before", func(f folder) { f.CommitEmpty("second") }, "", "second first"},
		{"the earlier one is gone", func(f folder) { f.CommitEmpty("second") }, strings.Repeat("1", 40), "error"},
		{"the earlier one is no commit's name", func(folder) {}, "nonsense", "error"},
		{"the commit of now is gone", func(f folder) {
			f.CommitEmpty("second")
			id := f.Output("rev-parse", "HEAD")
			f.Must(os.Remove(f.Path(".git/objects/" + id[:2] + "/" + id[2:])))
		}, "HEAD", "error"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			earlier := tt.earlier
			if earlier == "HEAD" {
				earlier = f.Output("rev-parse", "HEAD")
			}
			tt.act(f)
			list, err := f.open().Since(t.Context(), earlier)
			var subjects []string
			for _, line := range list {
				_, subject, _ := strings.Cut(line, " ")
				subjects = append(subjects, subject)
			}
			if got := strings.Join(subjects, " "); (err != nil) != (tt.want == "error") || err == nil && got != tt.want {
				t.Errorf("Since = %q, %v, want %q", got, err, tt.want)
			}
		})
	}
	if list, err := newFolder(t).open().Since(t.Context(), ""); list != nil || err != nil {
		t.Errorf("without git: %q, %v", list, err)
	}
}
