package prompt

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
)

// facts is a builder of which every variable has a value.
func facts(text string) *Builder {
	return &Builder{
		Source: Source{Text: text}, Template: true, Max: 7, Context: []string{"one", "two"},
		Facts:  Facts{Run: "build-7", RunID: "loop_1", Procedure: "build", WorkDir: "/w", Agent: "claude", Model: "big", Plan: "PLAN.md"},
		Vars:   map[string]any{"name": "x", "list": []any{"a", 1}, "empty": "", "n": 3},
		Branch: func(context.Context) string { return "main" },
		Last: &loop.Outcome{
			Result: loop.Failed, Said: loop.Said{Summary: "Half."}, Claim: &loop.Claim{Kind: loop.ClaimDone, Text: "DONE"},
			Work:  loop.Work{Changes: &loop.Changes{Created: 1, Modified: 2, Deleted: 3}},
			Tests: &loop.Tests{Passed: 11, Failed: 2, Failing: []string{"TestA", "TestB"}},
		},
	}
}

func TestVariablesAndHelpers(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"the run", "{{.Run}} {{.RunID}} {{.Procedure}} {{.WorkDir}} {{.Agent}} {{.Model}} {{.Plan}} {{.Branch}}", "build-7 loop_1 build /w claude big PLAN.md main"},
		{"the iteration", "{{.Iteration}} of {{.Max}}{{if lt .Iteration .Max}}, more to come{{end}}", "3 of 7, more to come"},
		{"the last attempt", "{{.Last.Result}} {{.Last.Summary}} {{.Last.FilesChanged}} {{.Last.TestsPassed}}/{{.Last.TestsFailed}} {{.Last.Claim}}", "failed Half. 6 11/2 done"},
		{"each of a list", "{{range .Last.Failing}}[{{.}} {{$.Iteration}}]{{end}}", "[TestA 3][TestB 3]"},
		{"the user's variables", "{{.Vars.name}} {{with .Vars}}{{.n}}{{end}}", "x 3"},
		{"case and space", `{{upper "ä"}}{{lower .Agent}}{{trim "  b "}}{{"c" | upper}}{{upper 1}}`, "ÄclaudebC1"},
		{"a default", `{{default "d" .Vars.empty}} {{.Vars.name | default "d"}}`, "d x"},
		{"lengths", `{{length "äö"}} {{length .Vars.list}} {{.Last.Failing | length}}`, "2 2 2"},
		{"a joined list", `{{.Vars.list | join ", "}}`, "a, 1"},
		{"set in", "{{indent 2 \"a\\n\\nb\"}}", "  a\n\n  b"},
		{"literal braces", `{{"{{"}}x}} ${{"{{"}} y }}`, "{{x}} ${{ y }}"},
		{"a comment", "a{{/* b */}}c", "ac"},
		{"no braces", "a }} b", "a }} b"},
		{"context in its own place", "<{{.Context}}>", "<one\n\ntwo>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := build(t, facts(tt.text), loop.State{}, 3).Text
			if got, _, _ = strings.Cut(got, "\n\n## Context"); got != tt.want {
				t.Errorf("%s gives %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &Builder{Source: Source{Text: `{{.Date}} {{.Time}}, {{.Timestamp}}, {{date "Jan 2006"}}`}, Template: true}
		if got, want := build(t, b, loop.State{}, 1).Text, time.Now().Format("2006-01-02 15:04:05, 2006-01-02T15:04:05Z07:00, Jan 2006"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestWhatIsNotKnownIsEmpty(t *testing.T) {
	b := &Builder{Source: Source{Text: "<{{.Branch}}{{.Run}}{{.Last.Result}}{{.Last.Failing | join \"\"}}> {{.Max}}{{if .Max}} limited{{end}}"}, Template: true}
	if got, want := build(t, b, loop.State{}, 1).Text, "<> unlimited"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTemplatesThatCannotBeRead(t *testing.T) {
	const known = ".Agent, .Branch, .Context, .Date, .Feedback, .Iteration, .Last, .Max, .Model, .Plan, .Procedure, .Run, .RunID, .Time, .Timestamp, .Vars, .WorkDir"
	tests := []struct{ name, text, want string }{
		{"a missing variable", "a\n{{.Foo}}", `P.md:2: no variable "Foo"; there are: ` + known},
		{"below front matter", "---\nname: x\n---\n\n{{.Foo}}", `P.md:5: no variable "Foo"; there are: ` + known},
		{"in a branch not taken", "{{if gt .Iteration 1}}\n{{.foo}}{{end}}", `P.md:2: no variable "foo"; there are: ` + known},
		{"in an else", "{{if .Iteration}}a{{else}}{{.foo}}{{end}}", `P.md:1: no variable "foo"; there are: ` + known},
		{"in a condition", "{{range (index .foo 1)}}a{{end}}", `P.md:1: no variable "foo"; there are: ` + known},
		{"in a pipe", "{{\"x\" | default .foo}}", `P.md:1: no variable "foo"; there are: ` + known},
		{"from inside a range", "{{range .Last.Failing}}{{$.foo}}{{end}}", `P.md:1: no variable "foo"; there are: ` + known},
		{"of the last attempt", "{{.Last.Foo}}", `P.md:1: no variable "Last.Foo"; there are: .Last.Claim, .Last.Failing, .Last.FilesChanged, .Last.Result, .Last.Summary, .Last.TestsFailed, .Last.TestsPassed`},
		{"of the user's", "{{.Vars.foo}}", `P.md:1: no variable "Vars.foo"; there are: .Vars.empty, .Vars.list, .Vars.n, .Vars.name`},
		{"inside with", "{{with .Vars}}\n{{.foo}}{{end}}", `P.md:2: no variable "foo" in {{.foo}}`},
		{"a field inside with", "{{with .Last}}\n{{.foo}}{{end}}", `P.md:2: no variable "foo" in {{.foo}}`},
		{"a field of a number", "{{.Iteration.Foo}}", `P.md:1: no variable "Foo" in {{.Iteration.Foo}}`},
		{"a function that is not there", "\n{{secrets.X}}", `P.md:2: no function "secrets"; there are: date, default, include, includeIf, includeText, indent, join, length, lower, run, runIf, trim, upper`},
		{"a branch without end", "{{if .Iteration}}\na", `P.md:2: unexpected EOF`},
		{"an action without end", "a {{ .Run", `P.md:1: unclosed action`},
		{"a helper given the wrong thing", "\n{{join \",\" 3}}", `P.md:2: {{join "," 3}}: only a list can be joined`},
		{"an indent without bounds", "{{indent 1000000000 .Run}}", `P.md:1: {{indent 1000000000 .Run}}: a text is set in by 0 to 100 spaces`},
		{"a length of nothing", "{{length 3}}", `P.md:1: {{length 3}}: only a text or a list has a length`},
		{"define", "a\n{{define \"x\"}}b{{end}}", "P.md:2: define and block are not used here"},
		{"block", "{{block \"x\" .}}b{{end}}", "P.md:1: define and block are not used here"},
		{"template", "a{{template \"x\"}}", "P.md:1: template is not used here"},
		{"a loop without end", "\n{{range 1000000000000}}{{end}}", "P.md:2: the loops of this prompt go round more than 100000 times"},
		{"a page without end", "{{range 90000}}" + strings.Repeat("x", 100) + "{{end}}", "no prompt: P.md gets longer than 8 MB"},
		{"a required variable", "---\nname: x\nrequired: [name, more]\n---\nGo.", `P.md:3: the variable "more" is required and has no value`},
		{"a front matter that cannot be read", "---\nname: x\nfoo: y\n---\nGo.", `P.md:3: front matter has no key "foo"; there are: defaults, description, name, required, settings, tags, version`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := facts("")
			b.Pieces = []Piece{{Name: "P.md", Text: tt.text}}
			if got := refusal(t, b).Error(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestATextWithoutANameHasLines(t *testing.T) {
	got := refusal(t, &Builder{Source: Source{Text: "a\n{{.Vars.x}}"}, Template: true}).Error()
	if want := `line 2 of the prompt: no variable "Vars.x"; there are none of these`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheUsersVariablesGoBeforeDefaults(t *testing.T) {
	text := "---\nrequired: [a]\ndefaults:\n  a: one\n  b: two\n---\n\n{{.Vars.a}} {{.Vars.b}}"
	b := &Builder{Source: Source{Text: text}, Template: true, Vars: map[string]any{"b": "mine"}}
	if got, want := build(t, b, loop.State{}, 1).Text, "one mine"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(b.Vars) != 1 {
		t.Errorf("the user's variables have become %v", b.Vars)
	}
}

func TestFeedbackInItsOwnPlaceIsNotToldAgain(t *testing.T) {
	b := &Builder{Source: Source{Text: "Before.\n{{if gt .Iteration 1}}{{.Feedback}}{{end}}\nAfter."}, Template: true, Feedback: Feedback{Enabled: true}}
	later := build(t, b, state("fed"), 2).Text
	if strings.Count(later, "fed") != 1 || strings.Contains(later, "What happened so far") || !strings.HasSuffix(later, "\nAfter.") {
		t.Errorf("want the feedback once, in its place:\n%s", later)
	}
	if first := build(t, b, state("fed"), 1).Text; !strings.Contains(first, "## What happened so far\n\nThe runner saw") {
		t.Errorf("a template that did not come to it must not swallow it:\n%s", first)
	}
}

func TestWordsOfAgentsAreNoClaim(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		words := rapid.SampledFrom([]string{"<promise>DONE</promise>", "a\n<PROMISE>DONE</PROMISE>\n", "<promise>\nDONE\n</promise>"}).Draw(rt, "words")
		b := facts("{{.Last.Summary}}\n{{range .Last.Failing}}\n{{.}}\n{{end}}\n{{.Feedback}}\n")
		b.Feedback = Feedback{Enabled: true}
		b.Last = &loop.Outcome{Said: loop.Said{Summary: words}, Tests: &loop.Tests{Failing: []string{words}}}
		p, err := b.Build(t.Context(), state(words), 2, []string{words})
		if err != nil {
			rt.Fatal(err)
		}
		if found := standsAlone.FindString(p.Text); found != "" {
			rt.Fatalf("%q stands alone in:\n%s", found, p.Text)
		}
	})
}

func TestACancelledLoopEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	_, err := facts("{{range 3}}a{{end}}").Build(ctx, loop.State{}, 1, nil)
	if !errors.Is(err, stopped) {
		t.Errorf("Build gives %v, want %v", err, stopped)
	}
}

func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{
		"{{.Iteration}} {{.Vars.name | upper}}", "{{range $i, $x := .Last.Failing}}{{$i}}{{else}}{{break}}{{end}}", "{{range 99999999}}{{end}}",
		"{{define \"prompt\"}}{{end}}", "{{block \"a\" .}}{{template \"a\"}}{{end}}", "{{with $x := .Last}}{{.Result}}{{end}}", "{{include \"*\"}}",
		"---\ndefaults:\n  a: 1\n---\n{{.Vars.a}}", "{{(.Last).Foo}}", "{{$.Foo}}", "{{printf \"%d\" .Max}}", "{{- /* x */ -}}", "{{call .Branch}}", "{{slice .Run 9}}",
		"{{round}}", "{{if not .Iteration}}{{else if .Foo}}{{end}}", "{{index .Vars \"x\"}}", "{{indent 3 .}}", "{{\"{{\"}}",
	} {
		f.Add(seed)
	}
	dir := tree(f, map[string]string{"a.md": "a"})
	f.Fuzz(func(t *testing.T, text string) {
		b := facts("")
		b.Pieces, b.Tree = []Piece{{Name: "P.md", Text: text}}, dir
		p, err := b.Build(t.Context(), loop.State{}, 1, nil)
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.Hint == "" || e.Path != "P.md" && e.Path != "a.md") {
			t.Errorf("Build(%q) gives %v, want an *Error with a hint", text, err)
		}
		if err == nil && !strings.Contains(text, "{{") && !strings.HasPrefix(strings.TrimPrefix(text, mark), "---") && !strings.HasPrefix(p.Text, strings.TrimPrefix(text, mark)) {
			t.Errorf("Build(%q) = %q, want the text as it is", text, p.Text)
		}
	})
}
