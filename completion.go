package refrain

import (
	"github.com/refrain-loop/refrain/internal/loop"
)

// Completion is a check of your own for when an agent claims to be done, beside the
// promise of Until. It is asked once of each attempt that ended well. What it finds
// is a claim and no more: where there are gates, they judge it as any other. A
// CustomAgent may be one as well, and is asked when Options have none.
type Completion interface {
	// Claims looks at what the agent said, the last MiB of it, and at what was seen of
	// the attempt so far. The words are what people are told.
	Claims(said string, o Outcome) (words string, done bool)
}

// CompletionFunc makes a completion check of a function.
type CompletionFunc func(said string, o Outcome) (words string, done bool)

// Claims calls the function.
func (f CompletionFunc) Claims(said string, o Outcome) (string, bool) { return f(said, o) }

// claimsOf is the check that a run goes by; nil: none.
func claimsOf(check Completion, a Agent, c *Control) func(string, loop.Outcome) (string, bool) {
	if check == nil {
		if check, _ = a.(Completion); check == nil {
			return nil
		}
	}
	return func(said string, o loop.Outcome) (words string, done bool) {
		_ = c.guard("a completion check", false, func() { words, done = check.Claims(said, o) })
		return words, done
	}
}
