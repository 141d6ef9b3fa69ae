package plan

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/files"
)

const (
	exportSpec = `# Export of notes

## 1. Overview

Notes can be taken elsewhere.

## 2. Writing

### 2.1 Folder

The export MUST refuse a folder that is not empty.
It SHOULD name the first file in the way.

### 2.2 Format

- [ ] One file to a note
- EXP-7: Dates MUST be in UTC.

## 3. Limits

A note MAY be left out.
`
	loginSpec = `# Login

### Session timeout

A session MUST end after an hour.

### Password reset

Send a mail.
`
)

// verified verifies a plan against specs by their paths.
func verified(plan string, specs ...string) Report {
	var list []Spec
	for n := 0; n < len(specs); n += 2 {
		list = append(list, ParseSpec(specs[n], []byte(specs[n+1])))
	}
	tasks := Parse([]byte(plan))
	for n := range tasks {
		tasks[n].File = "PLAN.md"
	}
	return Verify(tasks, list)
}

// uncovered gives the lines of what no task is for.
func uncovered(r Report) string {
	var lines []string
	for _, u := range r.Uncovered {
		lines = append(lines, fmt.Sprint(u.Line))
	}
	return strings.Join(lines, " ")
}

func TestCoverage(t *testing.T) {
	for _, tt := range []struct{ name, plan, uncovered string }{
		{"nothing", "- [ ] tidy up", "3 11 12 16 17 21"},
		{"the whole spec", "- [ ] a (refs: specs/export.md)", ""},
		{"the whole spec, done", "- [x] a (refs: specs/export.md)", ""},
		{"the whole spec, from the plan's folder", "- [ ] a (refs: [spec](../specs/export.md))", ""},
		{"the whole spec, in passing", "- [ ] do as specs/export.md says", ""},
		{"the whole spec, by its file", "- [ ] a (refs: export.md)", ""},
		{"a file of that name, in passing", "- [ ] write export.md", "3 11 12 16 17 21"},
		{"the whole spec, by its name", "- [ ] a (refs: export)", ""},
		{"the whole spec, by its title", "- [ ] begin the export of notes", ""},
		{"a section by number", "- [ ] a (refs: specs/export.md §2)", "3 21"},
		{"a section in a section", "- [ ] a (refs: specs/export.md §2.2)", "3 11 12 21"},
		{"sections of one file", "- [ ] a (refs: specs/export.md §2.2, §3)", "3 11 12"},
		{"a section by anchor", "- [ ] a (refs: specs/export.md#21-folder)", "3 16 17 21"},
		{"a section by its words", "- [ ] a (refs: specs/export.md §Limits)", "3 11 12 16 17"},
		{"a requirement by ID", "- [ ] a\n  - Covers EXP-7", "3 11 12 16 21"},
		{"a requirement by a listed ID", "- [ ] a (refs: EXP-7)", "3 11 12 16 21"},
		{"a requirement by ID in its file", "- [ ] a (refs: specs/export.md#exp-7)", "3 11 12 16 21"},
		{"a box by its words", "- [ ] Write one file to a note, sorted", "3 11 12 17 21"},
		{"a task within another", "- [ ] a (refs: specs/export.md §3)\n  - [ ] b\n", "3 11 12 16 17"},
		{"a spec of the heading", "# A\nSpec: specs/export.md\n\n- [ ] a", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := uncovered(verified(tt.plan, "specs/export.md", exportSpec)); got != tt.uncovered {
				t.Errorf("plan %q leaves lines %q, want %q", tt.plan, got, tt.uncovered)
			}
		})
	}
}

func TestNamesOfSeveralSpecs(t *testing.T) {
	other := "# Admin\n\n### Session timeout\n\nAsk.\n\n### Audit trail\n\nKeep.\n"
	for _, tt := range []struct{ name, plan, want string }{
		{"a heading of one", "- [ ] send the password reset by mail", "login"},
		{"a heading of two names neither", "- [ ] shorten the session timeout", ""},
		{"the name of a spec comes before a heading of another", "- [ ] keep an audit trail", "audit-trail"},
		{"one word is no name", "- [ ] fix login", ""},
	} {
		r := verified(tt.plan, "specs/login.md", loginSpec, "specs/admin.md", other, "specs/audit-trail.md", "")
		var got []string
		for _, c := range r.Coverage {
			if c.Tasks > 0 {
				got = append(got, c.Name)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q is for %v, want %q", tt.name, tt.plan, got, tt.want)
		}
	}
}

func TestProblems(t *testing.T) {
	for _, tt := range []struct{ name, plan, want string }{
		{"all is well", "- [ ] a (refs: specs/login.md)", ""},
		{"a task without a spec is a chore", "- [ ] a (refs: specs/login.md)\n- [ ] tidy up, see docs/gone.md", ""},
		{"a spec without a task", "- [ ] tidy up", "specs/login.md has no task"},
		{"a MUST without a task", "- [ ] a (refs: specs/login.md#password-reset)", "specs/login.md:5 has no task: A session MUST end after an hour."},
		{"a heading without a task", "- [ ] a (refs: specs/login.md#session-timeout)", ""},
		{"a spec that is not there", "- [ ] a (refs: specs/login.md, specs/gone.md)", "PLAN.md:1 refers to specs/gone.md, but there is no such spec"},
		{"in a folder that is not there", "- [ ] a (refs: specs/login.md, specs/api/gone.md)", "PLAN.md:1 refers to specs/api/gone.md, but there is no such spec"},
		{"a section that is not there", "- [ ] a (refs: specs/login.md, specs/login.md §9)", "PLAN.md:1 refers to specs/login.md §9, but the spec has no such section"},
		{"an ID that is not there", "- [ ] a (refs: specs/login.md, specs/ids.md, L-9)", "PLAN.md:1 refers to L-9, but no spec has such a requirement"},
		{"another kind of ID", "- [ ] a (refs: specs/login.md, RFC-9, src/main.go)", ""},
		{"another kind of document", "- [ ] a (refs: specs/login.md, docs/guide.md)", ""},
		{"the index of the specs", "- [ ] a (refs: specs/login.md, specs/README.md)", ""},
		{"a spec to be written", "- [ ] a (refs: specs/login.md)\n- [ ] write specs/new.md", ""},
		{"said once for all tasks within", "- [ ] a (refs: specs/login.md, specs/gone.md)\n  - [ ] b\n  - [ ] c", "PLAN.md:1 refers to specs/gone.md, but there is no such spec"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			specs := []string{"specs/README.md", "# Specs\n\nIt MUST be so.\n", "specs/login.md", loginSpec}
			if strings.Contains(tt.plan, "ids.md") {
				specs = append(specs, "specs/ids.md", "L-1: it MUST.\n")
			}
			r := verified(tt.plan, specs...)
			if got := strings.Join(r.Problems, "\n"); got != tt.want || r.OK() != (tt.want == "") {
				t.Errorf("problems of %q: %q, OK %v; want %q", tt.plan, got, r.OK(), tt.want)
			}
		})
	}
}

func TestVerifyWithoutSpecs(t *testing.T) {
	r := verified("- [ ] a\n- [ ] b (refs: specs/gone.md)")
	want := []string{"PLAN.md:2 refers to specs/gone.md, but there is no such spec"}
	if diff := cmp.Diff(want, r.Problems); diff != "" || r.Orphaned != 0 {
		t.Errorf("%d orphans, want none; problems differ (-want +got):\n%s", r.Orphaned, diff)
	}
}

// A plan and specs as agents write them, from disk to JSON.
func TestVerifyAProject(t *testing.T) {
	dir := folderOf(t, map[string]string{
		"specs/README.md": "# Specs\n\n- [export](export.md)\n",
		"specs/export.md": exportSpec,
		"specs/login.md":  loginSpec,
		"impl/README.md":  "# Plan\n\n- [export](export.md)\n- [login](login.md)\n\n## Across\n\n- [~] Build for every platform\n",
		"impl/export.md": `# Export

**Spec:** [specs/export.md](../specs/export.md)

## Priority 1: Exports can be trusted

- [x] The export refuses a folder that is not empty (refs: specs/export.md §2.1)
  - Dependencies: none
  - Complexity: low
- [ ] Dates are right (refs: EXP-7)
  - Dependencies: the clock
`,
		"impl/login.md": "# Login\n\n- [ ] End it in time\n",
	})
	want, err := os.ReadFile(filepath.Join("testdata", "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := Read(files.Anywhere(filepath.Join(dir, "impl", "README.md")))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	specs, err := ReadSpecs("specs")
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(Verify(tasks, specs), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
		t.Errorf("report differs (-want +got):\n%s", diff)
	}
}
