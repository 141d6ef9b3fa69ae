package term

import (
	"fmt"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

func iterations(s view.Status) string {
	said := text.Count(s.Totals.Iterations)
	if s.MaxIterations > 0 {
		said += " of " + text.Count(s.MaxIterations)
	}
	if parts := results(s.Totals); parts != "" {
		said += " (" + parts + ")"
	}
	if s.Stats != nil && s.Stats.Durations.N > 1 {
		said += ", " + view.Each(s.Stats.Durations) + " each"
	}
	return said
}

// results counts iterations by how they ended.
func results(t loop.Totals) string {
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{t.OK, "ok"}, {t.Failed, "failed"}, {t.TimedOut, "timed out"}, {t.Skipped, "skipped"}} {
		if part.n > 0 {
			parts = append(parts, text.Count(part.n)+" "+part.what)
		}
	}
	return strings.Join(parts, ", ")
}

// elapsed is how long the run has lasted, and how much of that it waited.
func elapsed(run *view.Run, s view.Status, now time.Time) string {
	said := text.Seconds(s.Elapsed.Duration())
	if n := s.Totals.Waits; n > 0 {
		said += fmt.Sprintf(", of which %s in %s for the provider", text.Seconds(run.Waited(now)), text.Plural(n, "wait"))
	}
	return said
}

// cost is money and tokens, as far as they are known.
func cost(run *view.Run, s view.Status) string {
	var parts []string
	estimated := run.CostEstimated()
	if usd := run.Cost(); usd > 0 && estimated {
		parts = append(parts, view.Dollars(usd, true)+" (estimated)")
	} else if usd > 0 {
		parts = append(parts, view.Dollars(usd, false))
	}
	if n := run.Tokens(); n > 0 {
		parts = append(parts, text.Plural(n, "token"))
	}
	if s.Stats != nil && s.Stats.CostPerProven > 0 {
		parts = append(parts, view.Dollars(s.Stats.CostPerProven, estimated)+" per proven change")
	}
	return strings.Join(parts, ", ")
}

func changed(f view.Figures) string {
	var parts []string
	if f.Files > 0 {
		files := text.Plural(f.Files, "file")
		if lines := lineCounts(f.LinesAdded, f.LinesRemoved); lines != "" {
			files += " (" + lines + " lines)"
		}
		parts = append(parts, files)
	}
	if f.Commits > 0 {
		parts = append(parts, text.Plural(f.Commits, "commit"))
	}
	return strings.Join(parts, ", ")
}

// lineCounts is empty where nobody counted.
func lineCounts(added, removed int) string {
	if added == 0 && removed == 0 {
		return ""
	}
	return fmt.Sprintf("+%s -%s", text.Count(added), text.Count(removed))
}
