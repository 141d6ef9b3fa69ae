package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// maxColumns is how many bars of a chart can still be told apart.
const maxColumns = 240

// column is one place of a chart: an attempt, or some in a row when there are too
// many.
type column struct {
	first, last place
	n           int
	results     []tally
	took        time.Duration // on average
	tested      bool
	passed      int // at the last
	failed      int
	best        int // most that ever passed
	cost        float64
	spent       float64 // so far
	estimated   bool
	context     int // the highest
}

// columns gives the places of the charts.
func columns(points []point) []column {
	size := (len(points) + maxColumns - 1) / maxColumns
	var list []column
	var best int
	var spent float64
	for len(points) > 0 {
		some := points[:min(size, len(points))]
		points = points[len(some):]
		c := column{first: some[0].place, last: some[len(some)-1].place, n: len(some)}
		for _, p := range some {
			c.results = count(c.results, p.result)
			c.took += p.took / time.Duration(len(some))
			if p.tested {
				c.tested, c.passed, c.failed = true, p.passed, p.failed
				best = max(best, p.passed)
			}
			c.cost += p.cost
			c.estimated = c.estimated || p.estimated
			c.context = max(c.context, p.context)
		}
		spent += c.cost
		c.best, c.spent = best, spent
		list = append(list, c)
	}
	return list
}

// name says which attempts a column stands for.
func (c column) name() string {
	switch {
	case c.n == 1:
		return "Iteration " + c.first.String()
	case c.first.iter == c.last.iter:
		return fmt.Sprintf("Iteration %d, %d attempts", c.first.iter, c.n)
	}
	return fmt.Sprintf("Iterations %d to %d", c.first.iter, c.last.iter)
}

// kinds are the results in the order of how much they matter, with the words and
// the colour that each has on the page. Attempts of one kind look alike.
var kinds = []struct {
	result loop.Result
	says   string
	class  string
}{
	{loop.Failed, "failed", "bad"},
	{loop.TimedOut, "timed out", "late"},
	{loop.Idle, "silent for too long", "late"},
	{loop.Limited, "held up by a limit", "held"},
	{loop.Unavailable, "provider unavailable", "held"},
	{loop.Lost, "lost", "idle"},
	{loop.Interrupted, "interrupted", "idle"},
	{loop.Skipped, "skipped", "idle"},
	{loop.OK, "ok", "ok"},
}

func rank(r loop.Result) int {
	for i, k := range kinds {
		if k.result == r {
			return i
		}
	}
	return len(kinds)
}

// tally is how many attempts ended in one way.
type tally struct {
	result loop.Result
	n      int
}

// count adds one; those that matter most come last, and so on top of a bar.
func count(list []tally, r loop.Result) []tally {
	for i := range list {
		if list[i].result == r {
			list[i].n++
			return list
		}
	}
	list = append(list, tally{r, 1})
	slices.SortStableFunc(list, func(a, b tally) int { return rank(b.result) - rank(a.result) })
	return list
}

// ended says how the attempts of a column did.
func (c column) ended() string {
	var said []string
	for _, t := range c.results {
		says, _ := kind(t.result)
		if c.n > 1 {
			says = text.Count(t.n) + " " + says
		}
		said = append(said, says)
	}
	return strings.Join(said, ", ")
}

// kind is how a result is said and coloured.
func kind(r loop.Result) (says, class string) {
	if i := rank(r); i < len(kinds) {
		return kinds[i].says, kinds[i].class
	}
	return text.Words(string(r)), "idle"
}
