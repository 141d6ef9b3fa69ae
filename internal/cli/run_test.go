package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/refrain-loop/refrain/internal/config"
)

func TestFlagsThatMayStandAlone(t *testing.T) {
	name := func(s string) *string { return &s }
	tests := []struct {
		name string
		args []string
		want *string
	}{
		{"not given", nil, nil},
		{"without a name", []string{"--worktree"}, name("")},
		{"with a name", []string{"--worktree=x"}, name("x")},
		{"a word that follows is another's", []string{"--worktree", "build"}, name("")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got *string
			f := pflag.NewFlagSet("run", pflag.ContinueOnError)
			f.Var(optionalName{&got}, "worktree", "")
			f.Lookup("worktree").NoOptDefVal = unnamed
			if err := f.Parse(tt.args); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.args, diff)
			}
		})
	}
}

func TestSettingsOfFlags(t *testing.T) {
	f := pflag.NewFlagSet("run", pflag.ContinueOnError)
	addSettings(f, runFlags)
	if err := f.Parse([]string{"--gate", "go vet, twice", "--commit", "--branch=x", "--plan", "TODO.md", "--set", "model=m", "--gate", "y"}); err != nil {
		t.Fatal(err)
	}
	got, err := settingsOf(f, runFlags)
	want := []config.Flag{
		{Name: "--set", Key: "model", Value: "m"},
		{Name: "--plan", Key: "done.plan", Value: "TODO.md"},
		{Name: "--commit", Key: "git.commit", Value: "true"},
		{Name: "--branch", Key: "git.branch", Value: "x"},
		{Name: "--gate", Key: "gate", Value: "go vet, twice"},
		{Name: "--gate", Key: "gate", Value: "y"},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("settings: %v (-want +got):\n%s", err, diff)
	}
}

func TestTheAgentIsRememberedOnce(t *testing.T) {
	tests := []struct{ name, before, after string }{
		{"no settings yet", "", "agent = \"claude\"\n"},
		{"other settings stay below", "model = \"x\"\n[loop]\nbackoff = \"2s\"\n", "agent = \"claude\"\nmodel = \"x\"\n[loop]\nbackoff = \"2s\"\n"},
		{"an agent is replaced", "# mine\nagent = \"auto\"\nmodel = \"x\"\n", "# mine\nagent = \"claude\"\nmodel = \"x\"\n"},
		{"an agent in a table is another's", "[procedures.build]\nagent = \"codex\"\n", "agent = \"claude\"\n[procedures.build]\nagent = \"codex\"\n"},
	}
	for _, tt := range tests {
		if got := withAgent(tt.before, "claude"); got != tt.after {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.after)
		}
	}
}
