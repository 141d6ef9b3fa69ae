package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
)

// Repeats stops a run that does the same again and again, though each time it
// looks like progress: the same tests fail, the same error comes, the same change
// is made, or the files go back and forth between two states.
func Repeats(s *Settings) Rule {
	return Rule{
		Name: "repeats", Notices: true, Decide: repeats(s.Repeats), Redecidable: true, CanEnd: s.Repeats > 0,
		Rows: []setting.Row{{
			Key: "stop.repeats", Kind: setting.Int, At: &s.Repeats, Default: 4,
			Conditional: []setting.ConditionalDefault{{When: setting.ForCommand, Value: 0}},
			Doc:         "give up after this many iterations in a row with the same failing tests, the same error or the same change, or going back and forth between two states of the files; 0 is never",
		}},
		Ends: []End{{
			Rule: "repeats", Reason: loop.ByNoProgress, State: loop.Aborted, Key: "stop.repeats",
			When:  "`stop.repeats` iterations in a row [repeated themselves](night.md#going-round-in-circles); `why` says how",
			Short: "iterations in a row with the same failing tests, error or change, or back and forth between two states", Default: "4; never for `-- COMMAND`",
		}},
	}
}

func repeats(most int) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if most <= 0 {
			return none
		}
		r := f.State.Repeats
		for _, again := range []struct {
			n    int
			what func(int, *loop.Outcome) string
		}{
			{r.Tests.N, sameTests},
			{r.Error.N, sameError},
			{r.Diff.N, sameChange},
			{r.Turns, func(n int, _ *loop.Outcome) string {
				return fmt.Sprintf("the files went back and forth between two states %d times in a row (trees %s and %s)", n, short(r.Trees[0]), short(r.Trees[1]))
			}},
		} {
			if again.n >= most {
				v := end(loop.Aborted, loop.ByNoProgress, again.what(again.n, f.Outcome)+" (stop.repeats)")
				v.Rule = "repeats"
				return v
			}
		}
		return none
	}
}

func sameTests(n int, o *loop.Outcome) string {
	said := fmt.Sprintf("the same tests have failed %d times in a row", n)
	if o != nil && o.Tests != nil && len(o.Tests.Failing) > 0 {
		said += ": " + text.FirstFew(o.Tests.Failing)
	}
	return said
}

func sameError(n int, o *loop.Outcome) string {
	said := fmt.Sprintf("the same error has come %d times in a row", n)
	if o != nil && o.Error != nil && o.Error.Message != "" {
		return said + ": " + text.Cut(o.Error.Message, 200)
	}
	return said
}

func sameChange(n int, o *loop.Outcome) string {
	said := fmt.Sprintf("the same change was made %d times in a row", n)
	if o == nil || o.Changes == nil {
		return said
	}
	var paths []string
	for _, c := range o.Changes.Paths {
		paths = append(paths, c.Path)
	}
	if len(paths) == 0 {
		return said
	}
	return said + ": " + text.FirstFew(paths)
}

func short(id string) string { return id[:min(len(id), 8)] }
