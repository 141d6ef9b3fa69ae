package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	lines "github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
	"github.com/refrain-loop/refrain/internal/whatif"
)

func whatifCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "whatif [RUN] --set KEY=VALUE",
		Short: "Say where a run would have ended with other settings, from its record",
		Long: "Decide a recorded run once more with other settings: where it would have stopped, by which rule,\n" +
			"and what that would have saved. Nothing is started and nothing is written.\n\n" +
			"Only settings that say when a run waits or ends can be tried:\n" + wrapped(whatif.Redecidable()),
		Example:           "  refrain whatif last --set stop.no_progress=3\n  refrain whatif build-7 --set budget.cost_usd=10 --set loop.max_time=4h",
		Args:              atMost(1),
		ValidArgsFunction: completeRuns(sh),
	}
	supposed := cmd.Flags().StringArray("set", nil, "try another setting, as KEY=VALUE (repeatable)")
	asJSON := addJSON(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		var flags []config.Flag
		for _, arg := range *supposed {
			flag, err := config.ParseSet(arg)
			if err != nil {
				return err
			}
			flags = append(flags, flag)
		}
		store, entry, err := sh.find(first(args))
		if err != nil {
			return err
		}
		w, err := whatif.Suppose(store, entry, flags)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(sh.out, w)
		}
		tellWhatif(sh, w, entry)
		return nil
	}
	return cmd
}

// wrapped lists keys in lines that fit a terminal.
func wrapped(keys []string) string {
	var b strings.Builder
	width := 0
	for i, key := range keys {
		switch {
		case i == 0:
		case width+len(key) > 90:
			b.WriteString(",\n")
			width = 0
		default:
			b.WriteString(", ")
		}
		b.WriteString(key)
		width += len(key) + 2
	}
	return b.String()
}

func tellWhatif(sh *shell, w *whatif.Result, entry journal.Entry) {
	for _, s := range w.Set {
		sh.say("With %s = %s (it was %s)", s.Key, s.Value, s.Was)
	}
	sh.say("%s", whatifWords(w))
	if w.Stops {
		sh.say("Why: %s", text.Line(w.Supposed.Why))
	}
	if table := whatifTable(w); table != nil {
		fmt.Fprintln(sh.out)
		sh.print(table)
	}
	for _, note := range w.Notes {
		sh.say("Note: %s", note)
	}
	if w.Stops && w.Place != "" {
		fmt.Fprintln(sh.out)
		sh.say("See what happened there with: refrain show %s", w.Place)
	}
}

// whatifWords is the answer in one sentence.
func whatifWords(w *whatif.Result) string {
	recorded := fmt.Sprintf("the record ends at iteration %d (%s)", w.Recorded.Iterations, endWords(w.Recorded))
	switch {
	case w.GoesOn:
		return fmt.Sprintf("%s would have gone on: %s, and nobody knows what would have come then", w.Run, recorded)
	case !w.Stops:
		return recorded + ": these settings would not have stopped it earlier"
	case w.SameEnd:
		return fmt.Sprintf("%s would have stopped where it did, %s, but by the rule %s: %s", w.Run, placeWords(w), w.Rule, endWords(w.Supposed))
	}
	return fmt.Sprintf("%s would have stopped %s by the rule %s: %s", w.Run, placeWords(w), w.Rule, endWords(w.Supposed))
}

func placeWords(w *whatif.Result) string {
	switch {
	case w.Within:
		return fmt.Sprintf("in the middle of iteration %d", w.Iteration)
	case w.Iteration == 0:
		return "before the first iteration"
	}
	return fmt.Sprintf("after iteration %d", w.Iteration)
}

// endWords says how a run stands in everyday words.
func endWords(t whatif.Tally) string { return view.People(t.State, t.Level) }

// whatifTable sets what happened beside what would have. Where nothing differs,
// or nobody knows, there is none.
func whatifTable(w *whatif.Result) *lines.Table {
	if w.GoesOn || !w.Stops && w.Saved == (whatif.Savings{}) {
		return nil
	}
	table := &lines.Table{Columns: lines.Heads("", "REALLY", "SUPPOSED", "SAVED")}
	r, s := w.Recorded, w.Supposed
	table.Add("iterations", text.Count(r.Iterations), text.Count(s.Iterations), text.Count(w.Saved.Iterations))
	table.Add("time", text.Seconds(r.Elapsed.Duration()), text.Seconds(s.Elapsed.Duration()), signed(w.Saved.Elapsed))
	if r.CostUSD > 0 {
		table.Add("cost", view.Dollars(r.CostUSD, r.CostEstimated), view.Dollars(s.CostUSD, s.CostEstimated), view.Dollars(w.Saved.CostUSD, r.CostEstimated))
	}
	if r.Tokens > 0 {
		table.Add("tokens", text.Count(r.Tokens), text.Count(s.Tokens), text.Count(w.Saved.Tokens))
	}
	return table
}

// signed is a time that may be less than none.
func signed(s loop.Millis) string {
	if d := s.Duration(); d < -time.Second/2 {
		return "-" + text.Seconds(-d)
	}
	return text.Seconds(s.Duration())
}
