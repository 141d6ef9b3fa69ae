package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/request"
)

// Scripts rely on the status of a refusal, and people on its hint, however deep
// in the program it began.
func TestEveryKindOfRefusalHasItsStatus(t *testing.T) {
	tests := []struct {
		what string
		err  error
		want int
		hint bool
	}{
		{"a mistake in what was asked", usage("no", "do"), 3, true},
		{"a mistake found by preparing", &request.UsageError{What: "no", Hint: "do"}, 3, true},
		{"a mistake in the settings", &config.Errors{Problems: []config.Problem{{What: "no"}}}, 3, true},
		{"no such run", &journal.NotFoundError{Ref: "run-9"}, 3, true},
		{"a held lock", &journal.HeldError{Holder: journal.Holder{PID: 7, Run: "run-1"}}, 4, true},
		{"a damaged record", &journal.CorruptError{File: "journal.jsonl", Line: 3, Err: errors.New("garbage")}, 1, true},
		{"a record of a newer version", &journal.NewerError{}, 1, true},
		{"a full disk, in git's words", errors.New("fatal: unable to write loose object file: No space left on device"), 1, true},
		{"anything else", errors.New("no"), 1, false},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			got := explain(fmt.Errorf("deep down: %w", tt.err))
			if got.status != tt.want || (got.hint != "") != tt.hint {
				t.Errorf("explain(%v) = %+v, want status %d and a hint: %v", tt.err, got, tt.want, tt.hint)
			}
		})
	}
}

func TestRefusalIsOneLine(t *testing.T) {
	var b strings.Builder
	failure{what: "cannot write:\n  a\n  b\n", hint: "try again"}.print(&b)
	if got, want := b.String(), "refrain: cannot write: …\nhint: try again\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}
