package proc

import (
	"strings"
	"testing"
)

// Only what a dead runner left in the very same tree is abandoned.
func TestAbandoned(t *testing.T) {
	here, elsewhere := t.TempDir(), t.TempDir()
	own := NewMark("run_1", here)
	parts := strings.Split(own.Runner, ".")
	parts[1], parts[2] = "1", "0" // somebody lives there, and it is nobody who began then
	if parts[3] == "0" {
		parts[1] = "999999999" // here only the number tells
	}
	dead := Mark{Run: "run_1", Runner: strings.Join(parts, ".")}
	parts[3] = "another"
	far := Mark{Run: "run_1", Runner: strings.Join(parts, ".")}
	for _, tt := range []struct {
		name string
		mark Mark
		tree string
		want bool
	}{
		{"our own, for who asks has no runner", own, here, true},
		{"that of a dead runner", dead, here, true},
		{"that of a dead runner elsewhere", dead, elsewhere, false},
		{"that of a runner whose number means nothing here", far, here, false},
		{"one that says nothing", Mark{Run: "run_1", Runner: "x"}, here, false},
	} {
		if got := tt.mark.Abandoned(tt.tree); got != tt.want {
			t.Errorf("%s: Abandoned = %v, want %v", tt.name, got, tt.want)
		}
	}
}
