package detect

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// What a model says to nobody is no claim; what nobody can see is no obstacle.
func TestClaimsInBlocksAndBesideUnseenCharacters(t *testing.T) {
	tests := []struct {
		name, text string
		heard      bool
	}{
		{"in its thoughts", "<think>\nthen I say\n" + tagDone + "\n</think>\nnot yet", false},
		{"after its thoughts", "<think>\nI am done\n</think>\n" + tagDone, true},
		{"after thoughts on one line", "<think>I am done</think>\n" + tagDone, true},
		{"in a comment", "<!--\n" + tagDone + "\n-->", false},
		{"in text as it stands", "<pre>\n" + tagDone + "\n</pre>", false},
		{"after a byte order mark", "\uFEFF" + tagDone, true},
		{"beside a space without width", "\u200B" + tagDone + "\u200B", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, events := listen(Claims(strict), say(tt.text)...)
			if heard := o.Claim != nil && o.Claim.Kind == loop.ClaimDone; heard != tt.heard {
				t.Errorf("%q: heard = %v, want %v (%v)", tt.text, heard, tt.heard, whys(events))
			}
		})
	}
}
