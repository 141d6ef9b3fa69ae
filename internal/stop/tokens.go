package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Tokens stops a run that has used up its tokens.
func Tokens(most int) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if most <= 0 || f.State.Totals.Tokens < most {
			return none
		}
		return end(loop.Exhausted, loop.ByTokens, fmt.Sprintf("%d tokens used of %d (budget.tokens)", f.State.Totals.Tokens, most))
	}
}
