package scaffold

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAnswersStandInTheSpec(t *testing.T) {
	const first = "\n\n## Answers\n\n- Which format?\n  CSV\n"
	for _, tt := range []struct{ name, spec, want string }{
		{"at the end of a spec", "# A\n\ntext\n", "# A\n\ntext" + first},
		{"without a line end", "# A\n\ntext", "# A\n\ntext" + first},
		{"below others", "# A\n\n## Answers\n\n- Why?\n  So\n", "# A\n\n## Answers\n\n- Why?\n  So\n- Which format?\n  CSV\n"},
		{"below none", "# A\n\n## Answers\n", "# A" + first},
		{"before what follows", "# A\n\n## Answers\n\n- Why?\n  So\n\n## Notes\n\n- x\n", "# A\n\n## Answers\n\n- Why?\n  So\n- Which format?\n  CSV\n\n## Notes\n\n- x\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := withAnswer(tt.spec, "Which  format?", " CSV\n"); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestAnAnswerIsKnownAfterwards(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "specs", "export.md")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("# Export\n\n- Which folder?\n\n## Answers to others\n\n- What for?\n\n## Answers\n\n## Notes\n\n- Why so?\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	for spec, question := range map[string]string{"specs/export.md": "Which format?", AnswersFile: "Who pays?"} {
		if err := AddAnswer(root, spec, question, "two\nlines"); err != nil {
			t.Fatal(err)
		}
	}
	known, err := Answered(root)
	if err != nil {
		t.Fatal(err)
	}
	if !known["Which format?"] || !known["Who pays?"] || known["Which folder?"] || len(known) != 2 {
		t.Errorf("known: %v", known)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("its mode is %v (%v)", info.Mode(), err)
	}
}

func TestAnAnswerStaysInTheWorkTree(t *testing.T) {
	root, outside := t.TempDir(), filepath.Join(t.TempDir(), "mine.md")
	if err := os.WriteFile(outside, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "specs"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(root, "specs", "a.md")); err != nil {
		t.Skip(err)
	}
	if err := AddAnswer(root, "specs/a.md", "Which format?", "CSV"); err == nil {
		t.Error("a link out of the work tree was followed")
	}
	if text, _ := os.ReadFile(outside); string(text) != "mine\n" {
		t.Errorf("outside: %s", text)
	}
}
