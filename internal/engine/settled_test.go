package engine

import (
	"io"
	"strings"
	"testing"
)

// An agent that could begin before the journal says so on the disk would work twice
// after a crash of the machine.
func TestNobodyReadsAPromptBeforeTheJournalHasSettled(t *testing.T) {
	for name, read := range map[string]func(*settled) string{
		"read": func(s *settled) string {
			b := make([]byte, 2)
			n, _ := s.Read(b)
			return string(b[:n])
		},
		"copied": func(s *settled) string {
			var b strings.Builder
			_, _ = io.Copy(&b, s)
			return b.String()
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.NewReader("go")
			left := -1
			s := &settled{text, func() { left = text.Len() }}
			if got := read(s); got != "go" || left != 2 {
				t.Errorf("read %q, with %d bytes left when the journal settled, want all 2", got, left)
			}
		})
	}
}
