package procedure

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
)

func TestTheList(t *testing.T) {
	want := []string{
		"Plan and build: plan (planning, draft-plan-spec-to-impl)",
		"Plan and build: build (building)",
		"Direct: bootstrap",
		"Direct: agents-sync",
		"Direct: publish-plan",
		"Audits: audit-spec",
		"Audits: audit-impl",
		"Audits: audit-agents",
		"Audits: audit-spec-to-impl",
		"Audits: audit-impl-to-spec (draft-plan-impl-to-spec)",
		"Plans for specs: draft-plan-spec-feat (draft-plan-story-to-spec)",
		"Plans for specs: draft-plan-spec-fix (draft-plan-bug-to-spec)",
		"Plans for specs: draft-plan-spec-refactor",
		"Plans for specs: draft-plan-spec-chore",
		"Plans for code: draft-plan-impl-feat",
		"Plans for code: draft-plan-impl-fix",
		"Plans for code: draft-plan-impl-refactor",
		"Plans for code: draft-plan-impl-chore",
	}
	var got []string
	for _, p := range All() {
		line := p.Family + ": " + p.Name
		if len(p.Aliases) > 0 {
			line += " (" + strings.Join(p.Aliases, ", ") + ")"
		}
		got = append(got, line)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the list (-want +got):\n%s", diff)
	}
}

func TestFindByNameAndAlias(t *testing.T) {
	tests := []struct{ name, asked, want string }{
		{"by its name", "build", "build"},
		{"by an alias", "draft-plan-bug-to-spec", "draft-plan-spec-fix"},
		{"by the older name of planning from specs", "draft-plan-spec-to-impl", "plan"},
		{"an unknown name", "bild", ""},
		{"no name", "", ""},
		{"case is kept", "Build", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Find(tt.asked)
			if got.Name != tt.want || ok != (tt.want != "") {
				t.Errorf("Find(%q) = %q, %v, want %q", tt.asked, got.Name, ok, tt.want)
			}
		})
	}
}

func TestNamesAreUnique(t *testing.T) {
	owner := map[string]string{}
	for _, p := range All() {
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			if other, taken := owner[name]; taken {
				t.Errorf("%q means both %s and %s", name, other, p.Name)
			}
			owner[name] = p.Name
		}
	}
	if got := Names(); len(got) != len(All()) || got[0] != All()[0].Name {
		t.Errorf("Names() = %v, want the names of All in its order", got)
	}
}

func TestSummariesAreOneShortLine(t *testing.T) {
	for _, p := range All() {
		if p.Summary == "" || len(p.Summary) > 75 || strings.Contains(p.Summary, "\n") || strings.HasSuffix(p.Summary, ".") {
			t.Errorf("%s: summary %q, want one line of at most 75 bytes without a full stop", p.Name, p.Summary)
		}
	}
}

func TestACallerMayChangeWhatItGot(t *testing.T) {
	before := fmt.Sprint(All())
	all := All()
	for i := range all {
		all[i].Name = "changed"
		all[i].Parts[0].Fragment = "changed"
		for j := range all[i].Aliases {
			all[i].Aliases[j] = "changed"
		}
	}
	if after := fmt.Sprint(All()); after != before {
		t.Error("a change of what All gave shows in what it gives next")
	}
}

// settings is the keys that procedures set. The names are those of the
// configuration.
type settings struct {
	Loop struct {
		MaxIterations int      `toml:"max_iterations"`
		Progress      []string `toml:"progress"`
		Gates         *bool    `toml:"gates"`
		ExitZero      *string  `toml:"exit_zero_is_done"`
	} `toml:"loop"`
	Done struct {
		Promise        *string `toml:"promise"`
		FailurePromise string  `toml:"failure_promise"`
		Plan           *string `toml:"plan"`
		Gates          *string `toml:"gates"`
		Proof          string  `toml:"proof"`
		Written        string  `toml:"written"`
	} `toml:"done"`
	Stop struct {
		NoProgress int `toml:"no_progress"`
	} `toml:"stop"`
	Progress struct {
		Only []string `toml:"only"`
	} `toml:"progress"`
}

func read(t *testing.T, p Procedure) settings {
	t.Helper()
	var s settings
	if err := toml.NewDecoder(strings.NewReader(p.Settings)).DisallowUnknownFields().Decode(&s); err != nil {
		t.Fatalf("%s: %v in\n%s", p.Name, err, p.Settings)
	}
	return s
}

func TestEveryProcedureCanEnd(t *testing.T) {
	for _, p := range All() {
		s := read(t, p)
		if s.Done.Promise == nil || s.Done.Plan == nil || s.Done.Gates == nil || s.Loop.ExitZero == nil {
			t.Errorf("%s leaves it to a profile what ends it:\n%s", p.Name, p.Settings)
			continue
		}
		switch byPlan := *s.Done.Plan != ""; {
		case byPlan == (*s.Done.Promise != ""):
			t.Errorf("%s: promise %q and plan %q, want one of them: with both, an open task refuses the promise", p.Name, *s.Done.Promise, *s.Done.Plan)
		case byPlan && s.Done.FailurePromise == "":
			t.Errorf("%s: nothing says blocked: without a promise there is no default for it", p.Name)
		case !byPlan && s.Loop.MaxIterations == 0:
			t.Errorf("%s: no limit, though only a claim ends it", p.Name)
		case !byPlan && s.Done.Proof != "none":
			t.Errorf("%s: proof %q, but gates judge code, and it writes none", p.Name, s.Done.Proof)
		}
	}
}

func TestOnlyBuildWritesCode(t *testing.T) {
	for _, p := range All() {
		if got, want := p.has("act/implement"), p.Name == "build"; got != want {
			t.Errorf("%s: told to write code: %v, want %v", p.Name, got, want)
		}
		if p.has("common/one-document") && (p.has("act/commit") || p.has("act/commit-documents")) {
			t.Errorf("%s: told to commit, and told not to", p.Name)
		}
	}
}

func (p Procedure) has(fragment string) bool {
	return slices.ContainsFunc(p.Parts, func(part Part) bool { return part.Fragment == fragment })
}
