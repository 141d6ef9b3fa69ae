package agent

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestNewer(t *testing.T) {
	tests := []struct {
		measured, said string
		want           bool
	}{
		{"2.1.325", "2.1.325 (Claude Code)", false},
		{"2.1.325", "2.1.327 (Claude Code)", true},
		{"2.1.325", "2.1.99 (Claude Code)", false}, // by number, not by letter
		{"0.166.0", "codex-cli 0.166.0", false},
		{"0.166.0", "codex-cli 0.167.0-alpha.2", true},
		{"0.166.0", "codex-cli 1.0", true},
		{"1.18.33", "v1.18.33", false},
		{"1.18.33", "1.18", false},
		{"0.87", "0.87.4", false},
		{"0.87", "0.88.0", true},
		{"1.0.102", "GitHub Copilot CLI 1.0.103.\nRun 'copilot update' for 1.0.104.", true},
		{"1.0.102", "no idea", false},
		{"1.0.102", "", false},
		{"", "1.0.102", false},
	}
	for _, tt := range tests {
		var traits Traits
		if tt.measured != "" {
			traits.Measured = []string{"0.0.1", tt.measured}
		}
		if got := traits.Newer(tt.said); got != tt.want {
			t.Errorf("%q is newer than %q: %v, want %v", tt.said, tt.measured, got, tt.want)
		}
	}
}

func TestOlder(t *testing.T) {
	for _, tt := range []struct {
		measured []string
		said     string
		want     bool
	}{
		{[]string{"2.1.197", "2.1.325"}, "2.1.196 (Claude Code)", true},
		{[]string{"2.1.197", "2.1.325"}, "2.1.197 (Claude Code)", false},
		{[]string{"2.1.197", "2.1.325"}, "2.1.200 (Claude Code)", false}, // between what was measured
		{[]string{"0.87"}, "0.87.4", false},
		{[]string{"0.166.0"}, "codex-cli 0.99.0", true}, // by number, not by letter
		{[]string{"0.166.0"}, "no idea", false},
		{nil, "1.0.102", false},
	} {
		if got := (Traits{Measured: tt.measured}).Older(tt.said); got != tt.want {
			t.Errorf("%q is older than %q: %v, want %v", tt.said, tt.measured, got, tt.want)
		}
	}
}

func TestTheNewestMeasuredVersionIsTheLast(t *testing.T) {
	for _, name := range BuiltIn() {
		list := TraitsOf(name).Measured
		if !slices.IsSortedFunc(list, compare) {
			t.Errorf("%s was measured with %q, want the newest last", name, list)
		}
	}
}

// The manual says which versions were measured, in the words of the table or with more
// behind them.
func TestTheManualSaysWhatWasMeasured(t *testing.T) {
	text, err := os.ReadFile("../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range BuiltIn() {
		if name == "rehearsal" {
			continue
		}
		want := strings.Join(TraitsOf(name).Measured, ", ")
		if want == "" {
			want = "not measured"
		}
		row := "\n| `" + name + "` | " + want
		if !strings.Contains(string(text), row+" |") && !strings.Contains(string(text), row+", ") {
			t.Errorf("docs/agents.md has no row that begins with %q", strings.TrimSpace(row))
		}
	}
}
