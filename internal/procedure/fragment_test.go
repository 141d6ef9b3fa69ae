package procedure

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"
)

func TestFragmentsAreThereAndUsed(t *testing.T) {
	used := map[string]bool{}
	for _, p := range All() {
		for _, part := range p.Parts {
			used[part.Fragment] = true
			if _, ok := Fragment(part.Fragment); !ok {
				t.Errorf("%s: there is no fragment %q", p.Name, part.Fragment)
			}
		}
	}
	for _, name := range Fragments() {
		if !used[name] {
			t.Errorf("no procedure uses the fragment %q", name)
		}
	}
	if !slices.IsSorted(Fragments()) {
		t.Errorf("Fragments() = %v, want them sorted", Fragments())
	}
}

func TestNoSuchFragment(t *testing.T) {
	for _, name := range []string{"", "observe", "observe/plan.md", "builtin:observe/plan", "../procedure", "/observe/plan", "observe//plan"} {
		if text, ok := Fragment(name); ok || text != "" {
			t.Errorf("Fragment(%q) = %q, %v, want none", name, text, ok)
		}
	}
}

var (
	heading = regexp.MustCompile(`^### \S.*\n\n\S`)
	higher  = regexp.MustCompile(`(?m)^##? `)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
)

func TestFragmentsAreWellMade(t *testing.T) {
	for _, name := range Fragments() {
		text, _ := Fragment(name)
		prose := fenced.ReplaceAllString(text, "")
		switch {
		case !heading.MatchString(text):
			t.Errorf("%s does not begin with a heading of the third level and a text", name)
		case higher.MatchString(prose), strings.Count(prose, "\n### ") > 0:
			t.Errorf("%s has a heading besides its own, which would end its section", name)
		case strings.Contains(prose, "```"):
			t.Errorf("%s has a code block that is not closed", name)
		case strings.TrimSpace(text)+"\n" != text, strings.Contains(text, "\r"):
			t.Errorf("%s: want no blank lines around it and one line feed at its end", name)
		case strings.Contains(strings.ToLower(text), "promise"):
			t.Errorf("%s speaks of the promise: how to claim is the runner's to say", name)
		}
		if words := len(strings.Fields(text)); words > 150 {
			t.Errorf("%s has %d words: it is more than one idea", name, words)
		}
	}
}

// full and bare are what the variables can be at the most and at the least.
var (
	full = map[string]any{"Iteration": 3, "Max": 10, "Run": "build-7", "Procedure": "NAME", "Branch": "topic", "Date": "2026-01-31", "Plan": "docs/PLAN.md"}
	bare = map[string]any{"Iteration": 1, "Max": 0, "Run": "", "Procedure": "NAME", "Branch": "", "Date": "2026-01-31", "Plan": ""}
)

func render(t *testing.T, name string, vars map[string]any) string {
	t.Helper()
	text, _ := Fragment(name)
	parsed, err := template.New(name).Option("missingkey=error").Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := parsed.Execute(&b, vars); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestVariables(t *testing.T) {
	tests := []struct {
		name, fragment string
		vars           map[string]any
		want           string
	}{
		{"all known", "common/iteration", full, "This is iteration 3 of at most 10 of the procedure `NAME`, run `build-7`, on branch `topic`, on 2026-01-31."},
		{"no limit, no run, no branch", "common/iteration", bare, "This is iteration 1 of the procedure `NAME`, on 2026-01-31."},
		{"a plan of the user's", "observe/plan", full, "Read `docs/PLAN.md` in full"},
		{"the usual plan", "observe/plan", bare, "Read `IMPLEMENTATION_PLAN.md` in full"},
		{"a report by its procedure", "act/write-report", bare, "Write `audits/NAME.md`"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := render(t, tt.fragment, tt.vars); !strings.Contains(got, tt.want) {
				t.Errorf("%s = %q, want %q in it", tt.fragment, got, tt.want)
			}
		})
	}
}

func TestPrompts(t *testing.T) {
	for _, p := range All() {
		t.Run(p.Name, func(t *testing.T) {
			var sections, texts []string
			for _, part := range p.Parts {
				if len(sections) == 0 || sections[len(sections)-1] != part.Section {
					sections = append(sections, part.Section)
				}
				texts = append(texts, render(t, part.Fragment, full))
				render(t, part.Fragment, bare)
			}
			if want := []string{"", "OBSERVE", "ORIENT", "DECIDE", "ACT"}; !slices.Equal(sections, want) {
				t.Errorf("sections = %q, want %q", sections, want)
			}
			if p.Title != "# OODA Loop Iteration" {
				t.Errorf("title = %q", p.Title)
			}
			if words := len(strings.Fields(strings.Join(texts, "\n"))); words < 300 || words > 1200 {
				t.Errorf("%d words, want 300 to 1200: more is not read, less does not help", words)
			}
			if slices.Sort(texts); len(slices.Compact(texts)) != len(p.Parts) {
				t.Error("something is said twice")
			}
		})
	}
}
