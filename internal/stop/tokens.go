package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
)

// Tokens stops a run that has used up its tokens.
func Tokens(s *Settings) Rule {
	return Rule{
		Name: "tokens", Decide: tokens(s.Tokens), Redecidable: true, CanEnd: s.Tokens > 0,
		Limit: func(l *loop.Limits) { l.Tokens = s.Tokens },
		Rows: []setting.Row{{
			Key: "budget.tokens", Kind: setting.Int, At: &s.Tokens, Default: 0,
			Doc: "tokens that the whole run may use; 0 is no limit",
		}},
		Ends: []End{{
			Reason: loop.ByTokens, State: loop.Exhausted, Key: "budget.tokens",
			When:  "`budget.tokens` are used up, by the agent's own figures",
			Short: "tokens used up", Setting: "`budget.tokens`, `--max-tokens`", Default: "no limit",
			Raise: "--max-tokens N",
		}},
	}
}

func tokens(most int) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if most <= 0 || f.State.Totals.Tokens < most {
			return none
		}
		return end(loop.Exhausted, loop.ByTokens, fmt.Sprintf("%d tokens used of %d (budget.tokens)", f.State.Totals.Tokens, most))
	}
}
