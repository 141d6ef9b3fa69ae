package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// detailed writes the details of tasks, one a line: what is unknown is left out.
func detailed(tasks Tasks) string {
	var b strings.Builder
	for _, t := range tasks {
		if t.Priority != nil {
			fmt.Fprintf(&b, "P%d ", *t.Priority)
		}
		for _, ref := range t.Refs {
			mark := "~" // only mentioned
			if ref.Listed {
				mark = "="
			}
			fmt.Fprintf(&b, "%s%s ", mark, ref)
		}
		if t.Dependencies != nil {
			fmt.Fprintf(&b, "after %s ", strings.Join(t.Dependencies, "+"))
		}
		fmt.Fprintf(&b, "%s\n", t.Complexity)
	}
	return strings.ReplaceAll(b.String(), " \n", "\n")
}

func TestDetails(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a task that says nothing", "- [ ] a", "\n"},
		{"notes below the task", "- [ ] a (refs: specs/a.md)\n  - Dependencies: the parser, none\n  - Complexity: low", "=specs/a.md after the parser low\n"},
		{"labels in bold", "- [ ] a\n  - **Refs:** specs/a.md\n  - **Dependencies:** P2.1; P2.2\n  - **Complexity:** Medium (two files)", "=specs/a.md after P2.1+P2.2 medium\n"},
		{"labels in a paragraph, in one line", "- [ ] a\n  Complexity: high. Depends on: b, c", "after b+c high\n"},
		{"labels on the line of the task", "- [ ] a - Depends on: b", "after b\n"},
		{"depends on, in words", "- [ ] a (depends on the b (of c), d)", "after the b (of c)+d\n"},
		{"nothing is no dependency", "- [ ] a\n  - Dependencies: none", "\n"},
		{"a word in a sentence is no label", "- [ ] a\n  the spec: none of its references: say so", "\n"},
		{"a label within code is not read", "- [ ] a\n  ```\n  Complexity: low\n  ```", "\n"},
		{"notes of the next task are its own", "- [ ] a\n- [ ] b\n  - Complexity: low", "\nlow\n"},
		{"a list item that is no task has no notes", "- [ ] a\n- b\n  - Complexity: low", "\n"},

		{"references with sections", "- [ ] a (refs: specs/a.md#the-end, specs/b.md §4.2, §7 Phase 1)", "=specs/a.md#the-end =specs/b.md §4.2 =specs/b.md §7\n"},
		{"a reference as a link", "- [ ] a (refs: [specs/a.md](../specs/a.md#x), [b](./specs/b.md))", "=specs/a.md =specs/a.md#x =specs/b.md\n"},
		{"a reference to a name, or to an ID", "- [ ] a (ref: export, REQ-12, the other one)", "=export =REQ-12\n"},
		{"a spec that is mentioned", "- [ ] a, see `specs/a.md`, [b](specs/b.md#c), docs/c.md.", "~specs/a.md ~specs/b.md#c ~docs/c.md\n"},
		{"an address is no spec", "- [ ] a https://example.com/specs/a.md", "\n"},
		{"an escaped path", "- [ ] a (refs: <specs/the%20end.md>)", "=specs/the end.md\n"},

		{"a task within a task has its references", "- [ ] a\n  - [ ] b\n  - [ ] c (refs: specs/c.md)\n  - Refs: specs/a.md", "=specs/a.md\n=specs/a.md\n=specs/c.md\n"},
		{"a heading has them for its tasks", "# A\n**Spec:** [specs/a.md](../specs/a.md)\n## B\n- [ ] a\n## C (refs: specs/c.md)\n- [ ] b\n# D\n- [ ] c", "=specs/a.md\n=specs/c.md\n\n"},
		{"what a plan is based on is no reference of its tasks", "Based on: specs/a.md, specs/b.md\n\n- [ ] a", "\n"},

		{"priorities of headings", "## Priority 1: core\n- [ ] a\n### Spec updates (priority 12)\n- [ ] b\n### More\n- [ ] c\n## Other\n- [ ] d", "P1\nP12\nP1\n\n"},
		{"priorities by mark", "## P0\n- [ ] a\n#### 🔥 P2.1: more\n- [ ] b\n## Point to P3\n- [ ] c", "P0\nP2\n\n"},
		{"priorities of tasks", "## P1\n- [ ] P3.1 - a\n- [ ] **P4** b\n- [ ] c (P5)\n- [ ] d\n  - Priority: P6\n- [ ] use P7", "P3\nP4\nP5\nP6\nP1\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, detailed(Parse([]byte(tt.text)))); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestNotes(t *testing.T) {
	tasks := Parse([]byte("- [ ] a\n  more\n  - b <!-- c -->\n    - [ ] d\n      e\n\n  f\n\ng\n"))
	got := []string{}
	for _, task := range tasks {
		got = append(got, task.Notes)
	}
	if diff := cmp.Diff([]string{"more\nb\nf", "e"}, got); diff != "" {
		t.Errorf("notes differ (-want +got):\n%s", diff)
	}
}
