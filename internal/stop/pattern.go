package stop

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
)

// Pattern stops a run when the agent printed what the user never wants to see.
func Pattern(s *Settings) Rule {
	return Rule{
		Name: "pattern", Decide: pattern(), CanEnd: len(s.Patterns) > 0,
		Rows: []setting.Row{{
			Key: "stop.patterns", Kind: setting.List, At: &s.Patterns, Default: []string{}, Required: true, Check: regexps,
			Doc: "regular expressions; one that matches the agent's text or stderr stops the run",
		}},
		Ends: []End{{
			Reason: loop.ByPattern, State: loop.Aborted, Key: "stop.patterns",
			When:  "one of `stop.patterns` matched the agent's text or stderr",
			Short: "the output matches a pattern", Default: "none",
		}},
	}
}

func regexps(v any) (what, hint string) {
	for _, pattern := range v.([]string) {
		if _, err := regexp.Compile(pattern); err != nil {
			why := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
			return fmt.Sprintf("has a bad pattern %s: %s", setting.Quote(pattern), why), "write it in Go's regular expressions, and put a backslash before special characters"
		}
	}
	return "", ""
}

func pattern() loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if f.Outcome == nil || len(f.Outcome.Matched) == 0 {
			return none
		}
		return end(loop.Aborted, loop.ByPattern, "the output matched "+strings.Join(f.Outcome.Matched, ", "))
	}
}
