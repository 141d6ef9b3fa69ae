package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/files"
)

func TestQuestionsOfAPlan(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"none", "# Plan\n- [ ] a\n- Why?", ""},
		{"items below the heading", "- [ ] a\n## Questions\n- Which format?\n- Which folder?\n", "Which format? ||\nWhich folder? ||\n"},
		{"numbers, too, and another title", "## Open questions\n1. Which format?\n2) Which folder?", "Which format? ||\nWhich folder? ||\n"},
		{"up to the next heading", "## Questions\n- a?\n### more\n- b?\n## Notes\n- c", "a? ||\nb? ||\n"},
		{"an answer meanwhile, and the spec", "## Questions\n- Which format? Meanwhile: CSV. (refs: specs/export.md)", "Which format? |CSV|specs/export.md\n"},
		{"over several lines", "## Questions\n- Which\n  format?\n  Meanwhile: CSV,\n  with a header\n", "Which format? |CSV, with a header|\n"},
		{"in notes of its own", "## Questions\n- **Which format?**\n  - Meanwhile: CSV\n  - Refs: specs/export.md\n", "Which format? |CSV|specs/export.md\n"},
		{"in brackets", "## Questions\n- Which format? (meanwhile: CSV)", "Which format? |CSV|\n"},
		{"a task is none", "## Questions\n- [ ] Which format?\n  no\n- Which folder?", "Which folder? ||\n"},
		{"no text is none", "## Questions\n-\n- (refs: specs/a.md)\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got strings.Builder
			for _, q := range parseQuestions(tt.text) {
				refs := ""
				for _, r := range q.Refs {
					refs += r.String()
				}
				fmt.Fprintf(&got, "%s |%s|%s\n", q.Text, q.Meanwhile, refs)
			}
			if got.String() != tt.want {
				t.Errorf("got\n%swant\n%s", got.String(), tt.want)
			}
		})
	}
}

func TestQuestionsOfAPlanInSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"README.md": "[part](part.md)\n- [ ] a\n", "part.md": "- [ ] b\n## Questions\n- Which?\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := Questions(files.Named{Path: filepath.Join(dir, "README.md")}); len(got) != 1 || got[0].Text != "Which?" {
		t.Errorf("got %v", got)
	}
	if got := Questions(files.Named{Path: filepath.Join(dir, "missing.md")}); got != nil {
		t.Errorf("of no plan: %v", got)
	}
}

func TestTheTitleOfATask(t *testing.T) {
	for said, want := range map[string]string{
		"- [ ] Write (one) file (refs: specs/a.md, specs/b.md)": "Write (one) file",
		"- [ ] Write it":                      "Write it",
		"- [ ] Write (ref: specs/a.md) it":    "Write it",
		"- [ ] Write it. (specs: specs/a.md)": "Write it.",
	} {
		if got := Parse([]byte(said))[0].Title(); got != want {
			t.Errorf("%s: %q, want %q", said, got, want)
		}
	}
}
