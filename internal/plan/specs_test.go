package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asked writes requirements as "line level [ID] text", one a line.
func asked(s Spec) string {
	var b strings.Builder
	for _, r := range s.Requirements {
		fmt.Fprintf(&b, "%d %s ", r.Line, r.Level)
		if r.ID != "" {
			fmt.Fprintf(&b, "[%s] ", r.ID)
		}
		b.WriteString(r.Text + "\n")
	}
	return b.String()
}

func TestParseSpec(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"words of RFC 2119", "a MUST b\n\nc SHALL NOT d\n\ne SHOULD f\n\ng is RECOMMENDED\n\nh MAY i\n\nj is OPTIONAL", "1 MUST a MUST b\n3 MUST c SHALL NOT d\n5 SHOULD e SHOULD f\n7 SHOULD g is RECOMMENDED\n9 MAY h MAY i\n11 MAY j is OPTIONAL\n"},
		{"in capitals only", "a must b, a MUSTARD", ""},
		{"the strongest of a sentence", "a MAY b but MUST NOT c", "1 MUST a MAY b but MUST NOT c\n"},
		{"sentence by sentence", "It is so. It MUST be\nkept. Then it\nMAY go (or\nnot). No.", "1 MUST It MUST be kept.\n2 MAY Then it MAY go (or not).\n"},
		{"what explains the words asks for nothing", "The key words MUST and MAY are those of RFC 2119.", ""},
		{"boxes, ticked or not", "- [ ] log in\n- [x] it MUST\n  log out. Always.", "1 box log in\n2 MUST it MUST log out. Always.\n"},
		{"list items", "- a MUST b\n- c\n  - d SHOULD e", "1 MUST a MUST b\n3 SHOULD d SHOULD e\n"},
		{"rows of a table", "| id | what |\n|---|---|\n| REQ-1 | a MUST b |\n| REQ-2 | c MAY d |", "3 MUST [REQ-1] REQ-1 | a MUST b\n4 MAY [REQ-2] REQ-2 | c MAY d\n"},
		{"IDs", "**AUTH-3**: a MUST b\n\n[R7] c MAY d\n\nREQ-AUTH-12: e SHOULD f\n\n- [ ] F1. g", "1 MUST [AUTH-3] **AUTH-3**: a MUST b\n3 MAY [R7] [R7] c MAY d\n5 SHOULD [REQ-AUTH-12] REQ-AUTH-12: e SHOULD f\n7 box [F1] F1. g\n"},
		{"a word that only looks like an ID", "UTF-8 MUST be used", "1 MUST UTF-8 MUST be used\n"},
		{"headings with nothing more exact below them", "# Export\n## 1. Overview\n### 1.1 Purpose\nto export\n### REQ-4 Format\na MUST b\n## Errors\n", "3 heading [1.1] 1.1 Purpose\n6 MUST a MUST b\n7 heading Errors\n"},
		{"a heading that says it", "# Export\n## It MUST be so\n### How\n- [ ] so", "2 MUST It MUST be so\n4 box so\n"},
		{"a heading by underline", "Export MUST go\n===\n\nIt MAY\n---\nb", "4 MAY It MAY\n"},
		{"code, comments and quotes", "```\na MUST b\n```\n\n    a MUST b\n\n<!-- a MUST b -->\n> a MUST b\n\nsay `MUST`, <!-- MUST --> c", ""},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, asked(ParseSpec("specs/a.md", []byte(tt.text)))); diff != "" {
				t.Errorf("ParseSpec(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestReadSpecs(t *testing.T) {
	dir := folderOf(t, map[string]string{
		"specs/README.md":     "# Specs\n\nEvery spec MUST say so.\n\n- [ ] write more\n",
		"specs/export.md":     "# Exports\n\nIt MUST work.\n",
		"specs/api/users.md":  "no heading\n",
		"specs/.draft/new.md": "It MUST wait.\n",
		"specs/diagram.svg":   "MUST",
	})
	t.Chdir(dir)
	specs, err := ReadSpecs("specs")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range specs {
		got = append(got, fmt.Sprintf("%s %q %d", s.Path, s.Title, len(s.Requirements)))
	}
	want := []string{`specs/README.md "Specs" 0`, `specs/api/users.md "users" 0`, `specs/export.md "Exports" 1`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("specs differ (-want +got):\n%s", diff)
	}
}

func TestReadSpecsThatAreNotThere(t *testing.T) {
	_, err := ReadSpecs(filepath.Join(t.TempDir(), "specs"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadSpecs = %v, want fs.ErrNotExist", err)
	}
}

func TestReadSpecsTooLarge(t *testing.T) {
	dir := folderOf(t, map[string]string{"a.md": strings.Repeat(" ", maxSize+1)})
	_, err := ReadSpecs(dir)
	if want := filepath.Join(dir, "a.md") + ": it is larger than 4 MB"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("ReadSpecs = %v, want an error with %q", err, want)
	}
}

func FuzzParseSpec(f *testing.F) {
	for _, seed := range []string{
		"# A\n\nIt MUST. So\nit SHOULD.\n## 1.2 B\n- [ ] c\n", "| REQ-1 | a MUST b |\n|--|\nc MAY d", "A\n===\n<a id=\"b\">\n- - [x] MUST", "```\nMUST\n", "> MUST\nMAY\n---\n",
	} {
		f.Add(seed, "- [ ] a (refs: specs/a.md#a, REQ-1)\n  - Depends on: b\n")
	}
	f.Fuzz(func(t *testing.T, text, plan string) {
		spec := ParseSpec("specs/a.md", []byte(text))
		lines, last := strings.Count(text, "\n")+1, 0
		for _, r := range spec.Requirements {
			if r.Line <= 0 || r.Line > lines || r.Line < last || r.Text == "" || r.Level == "" {
				t.Errorf("requirement %+v of %d lines, after line %d", r, lines, last)
			}
			last = r.Line
		}
		tasks := Parse([]byte(plan))
		r := Verify(tasks, []Spec{spec})
		if len(r.Tasks) != len(tasks) || r.WithSpec+r.Orphaned != r.Total {
			t.Errorf("%d tasks with a spec and %d without one, of %d", r.WithSpec, r.Orphaned, r.Total)
		}
		if c := r.Coverage[0]; c.Covered+len(r.Uncovered) != c.Requirements || c.Tasks != r.WithSpec {
			t.Errorf("coverage %+v with %d requirements uncovered", c, len(r.Uncovered))
		}
		fence := strings.Repeat("`", longestRun(text, '`')+3)
		if hidden := ParseSpec("a.md", []byte(fence+"\n"+text+"\n"+fence)); len(hidden.Requirements) > 0 {
			t.Errorf("requirements within a fence: %+v", hidden.Requirements)
		}
	})
}
