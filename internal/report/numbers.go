package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// figure is one number that people look for, with what belongs to it.
type figure struct {
	Label, Value string
	Notes        []string
}

// figures are the numbers of a run. What is not known is left out.
func figures(d *Data) []figure {
	t := d.Status.Totals
	list := []figure{
		{"Iterations", iterations(d), notes(results(t))},
		{"Elapsed", text.Seconds(d.Status.Elapsed.Duration()), notes(waited(d.waits), reboots(t.Reboots))},
	}
	if t.CostUSD > 0 {
		each, guess := "", ""
		if t.Proven > 0 {
			each = about(t.CostUSD/float64(t.Proven), t.CostEstimated) + " per proven change"
		}
		if t.CostEstimated {
			guess = "some of it estimated"
		}
		list = append(list, figure{"Cost", about(t.CostUSD, t.CostEstimated), notes(each, guess)})
	}
	if t.Tokens > 0 {
		each := ""
		if t.Iterations > 0 {
			each = "about " + short(t.Tokens/t.Iterations) + " per iteration"
		}
		list = append(list, figure{"Tokens", short(t.Tokens), notes(each)})
	}
	f := d.run.Changed()
	list = append(list, figure{"Changed", text.Plural(f.Files, "file"), notes(lines(f.LinesAdded, f.LinesRemoved), commits(f.Commits))})
	if spread := d.run.Sum.Durations; spread.N > 0 {
		list = append(list, figure{"Per iteration", ms(spread.Mean), around(spread)})
	}
	return list
}

func iterations(d *Data) string {
	said := text.Count(d.Status.Totals.Iterations)
	if most := d.Status.MaxIterations; most > 0 {
		said += " of " + text.Count(most)
	}
	return said
}

func results(t loop.Totals) string {
	var said []string
	for _, part := range []struct {
		n    int
		what string
	}{{t.OK, "ok"}, {t.Failed, "failed"}, {t.TimedOut, "timed out"}, {t.Skipped, "skipped"}} {
		if part.n > 0 {
			said = append(said, text.Count(part.n)+" "+part.what)
		}
	}
	return strings.Join(said, " · ")
}

func waited(list []wait) string {
	var total time.Duration
	for _, w := range list {
		total += w.total
	}
	if total == 0 {
		return ""
	}
	return stretch(total.Milliseconds()) + " of it waiting"
}

func commits(n int) string {
	if n == 0 {
		return ""
	}
	return text.Plural(n, "commit")
}

// around is how much iterations differ in length.
func around(d loop.Durations) []string {
	if d.N < 2 {
		return nil
	}
	deviation := math.Sqrt(d.Squares / float64(d.N-1))
	return []string{"± " + ms(deviation), fmt.Sprintf("%s to %s", text.Duration(d.Min.Duration()), text.Duration(d.Max.Duration()))}
}

func ms(n float64) string { return text.Duration(time.Duration(n * float64(time.Millisecond))) }

// short is a number to three digits: 812, 48.2k, 1.20M.
func short(n int) string {
	switch f := float64(n); {
	case n < 10_000:
		return text.Count(n)
	case n < 999_500:
		return fmt.Sprintf("%.3gk", f/1e3)
	case n < 999_500_000:
		return fmt.Sprintf("%.3gM", f/1e6)
	default:
		return fmt.Sprintf("%.4gG", f/1e9)
	}
}

func reboots(n int) string {
	if n == 0 {
		return ""
	}
	return text.Plural(n, "fresh session")
}

// notes leaves out what is empty.
func notes(parts ...string) []string {
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}

func join(with string, parts ...string) string { return strings.Join(notes(parts...), with) }
