package report

import (
	"fmt"
	"strconv"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// charts are the drawings over the attempts, in the order of the page.
func charts(d *Data) []chart {
	list := columns(d.points)
	return []chart{
		testsChart(list),
		costChart(list),
		contextChart(list, d.run.Limits.Redline),
		durationChart(list),
	}
}

// draw begins a chart whose columns are each given their numbers in words.
func draw(c chart, list []column, tip func(column) []string) chart {
	c.Below = below(list)
	for i, col := range list {
		x, w, _, _ := slot(i, len(list))
		said := tip(col)
		text := col.name()
		for j, s := range said {
			if s != "" {
				text += "\n" + c.Heads[j+1] + ": " + s
			}
		}
		c.Hits = append(c.Hits, hit{percent(x), percent(w), text})
		c.Rows = append(c.Rows, append([]string{col.name()}, said...))
	}
	return c
}

func testsChart(list []column) chart {
	c := chart{ID: "tests", Title: "Tests", Heads: []string{"", "passed", "failed", "best so far"}}
	var first, last *column
	most, seen := 0, 0
	for i := range list {
		if !list[i].tested {
			continue
		}
		if first == nil {
			first = &list[i]
		}
		last = &list[i]
		seen++
		most = max(most, list[i].passed+list[i].failed)
	}
	if last == nil {
		c.Empty = "No tests were seen."
		return c
	}
	c.Says = fmt.Sprintf("%s of %s passed at first, %s of %s at last. At best %s passed.",
		text.Count(first.passed), text.Count(first.passed+first.failed),
		text.Count(last.passed), text.Count(last.passed+last.failed), text.Count(last.best))
	top, ticks := scale(float64(most), decades(1, 1e9), func(v float64) string { return text.Count(int(v)) })
	c.Left = ticks
	best := make([]float64, len(list))
	for i, col := range list {
		best[i] = float64(col.best)
		passed, all := float64(col.passed), float64(col.passed+col.failed)
		if col.passed > 0 {
			c.Bars = append(c.Bars, box(i, len(list), 0, passed, top, "ok"))
		}
		if col.failed > 0 {
			c.Bars = append(c.Bars, box(i, len(list), passed, all, top, "bad"))
		}
	}
	c.Lines = steps(best, top, "best")
	c.Legend = []legend{{"ok", "passed", false}, {"bad", "failed", false}, {"best", "most that ever passed", true}}
	return draw(c, list, func(col column) []string {
		if !col.tested {
			return []string{"", "", strconv.Itoa(col.best)}
		}
		return []string{text.Count(col.passed), text.Count(col.failed), text.Count(col.best)}
	})
}

func costChart(list []column) chart {
	c := chart{ID: "cost", Title: "Cost", Heads: []string{"", "cost", "so far"}}
	var most, spent float64
	var dearest column
	estimated := false
	for _, col := range list {
		if col.cost > most {
			most, dearest = col.cost, col
		}
		spent, estimated = col.spent, estimated || col.estimated
	}
	if most == 0 {
		c.Empty = "No cost was told, and none could be worked out."
		return c
	}
	c.Says = fmt.Sprintf("%s in all. The most was %s, in %s.", about(spent, estimated), about(most, dearest.estimated), text.Within(dearest.name()))
	top, ticks := scale(most, decades(1e-5, 1e6), money)
	sumTop, sumTicks := scale(spent, decades(1e-5, 1e9), money)
	c.Left, c.Right = ticks, sumTicks
	sums := make([]float64, len(list))
	for i, col := range list {
		sums[i] = col.spent
		if col.cost > 0 {
			c.Bars = append(c.Bars, box(i, len(list), 0, col.cost, top, "main"))
		}
	}
	c.Lines = line(sums, sumTop, "sum")
	c.Legend = []legend{{"main", "each", false}, {"sum", "so far (right)", true}}
	return draw(c, list, func(col column) []string {
		each := ""
		if col.cost > 0 {
			each = about(col.cost, col.estimated)
		}
		return []string{each, about(col.spent, estimated)}
	})
}

func contextChart(list []column, redline int) chart {
	c := chart{ID: "context", Title: "Context", Heads: []string{"", "full"}}
	most, over := 0, 0
	for _, col := range list {
		most = max(most, col.context)
		if redline > 0 && col.context >= redline {
			over++
		}
	}
	if most == 0 {
		c.Empty = "The agent did not tell how full its context was."
		return c
	}
	c.Says = fmt.Sprintf("At most %d%% of the context was full.", most)
	c.Legend = []legend{{"main", "how full it got", false}}
	top, ticks := scale(max(100, float64(most)), []float64{25, 50, 100, 1000, 1e6, 1e9}, func(v float64) string { return fmt.Sprintf("%.0f%%", v) })
	c.Left = ticks
	if redline > 0 {
		y := height(float64(redline), top)
		c.Rule = &rule{px(y), px(y - 5), fmt.Sprintf("redline %d%%", redline)}
		c.Says += fmt.Sprintf(" The redline of %d%% was %s.", redline, reached(over, list[0].n == 1))
		c.Legend = append(c.Legend, legend{"bad", "at the redline", false})
	}
	for i, col := range list {
		class := "main"
		if redline > 0 && col.context >= redline {
			class = "bad"
		}
		if col.context > 0 {
			c.Bars = append(c.Bars, box(i, len(list), 0, float64(col.context), top, class))
		}
	}
	return draw(c, list, func(col column) []string {
		if col.context == 0 {
			return []string{""}
		}
		return []string{strconv.Itoa(col.context) + "%"}
	})
}

// reached says how often; with several attempts in a column nobody has counted.
func reached(n int, counted bool) string {
	switch {
	case n == 0:
		return "never reached"
	case !counted:
		return "reached"
	}
	return "reached in " + text.Plural(n, "attempt")
}

func durationChart(list []column) chart {
	c := chart{ID: "duration", Title: "Duration", Heads: []string{"", "took", "result"}}
	if len(list) == 0 {
		c.Empty = "No iteration has ended yet."
		return c
	}
	var longest column
	seen := map[loop.Result]bool{}
	for _, col := range list {
		if col.took >= longest.took {
			longest = col
		}
		for _, t := range col.results {
			seen[t.result] = true
		}
	}
	average := ""
	if longest.n > 1 {
		average = " on average"
		c.Heads[1] = "took on average"
	}
	c.Says = fmt.Sprintf("The longest took %s%s: %s.", text.Duration(longest.took), average, text.Within(longest.name()))
	top, ticks := scale(longest.took.Seconds(), clockSteps, took)
	c.Left = ticks
	for i, col := range list {
		from := 0.0
		for _, t := range col.results {
			_, class := kind(t.result)
			to := from + col.took.Seconds()*float64(t.n)/float64(col.n)
			c.Bars = append(c.Bars, box(i, len(list), from, to, top, class))
			from = to
		}
	}
	for i := len(kinds) - 1; i >= 0; i-- {
		if seen[kinds[i].result] {
			c.Legend = append(c.Legend, legend{kinds[i].class, kinds[i].says, false})
		}
	}
	c.Legend = merge(c.Legend)
	return draw(c, list, func(col column) []string {
		return []string{text.Duration(col.took), col.ended()}
	})
}

// merge joins what has the same colour: it can't be told apart.
func merge(list []legend) []legend {
	var few []legend
	for _, l := range list {
		if n := len(few); n > 0 && few[n-1].Class == l.Class {
			few[n-1].Label += ", " + l.Label
			continue
		}
		few = append(few, l)
	}
	return few
}

// line joins the values of columns, middle to middle.
func line(values []float64, most float64, class string) []stroke {
	var list []stroke
	for i := 1; i < len(values); i++ {
		x1, w, _, _ := slot(i-1, len(values))
		list = append(list, stroke{percent(x1 + w/2), px(height(values[i-1], most)), percent(x1 + 3*w/2), px(height(values[i], most)), class})
	}
	return list
}

// steps goes along the values of columns, edge to edge. Equal ones are one line.
func steps(values []float64, most float64, class string) []stroke {
	var list []stroke
	begin := 0
	for i := range values {
		if i+1 < len(values) && values[i+1] == values[i] {
			continue
		}
		x1, _, _, _ := slot(begin, len(values))
		x2, w, _, _ := slot(i, len(values))
		y := px(height(values[i], most))
		list = append(list, stroke{percent(x1), y, percent(x2 + w), y, class})
		if i+1 < len(values) {
			list = append(list, stroke{percent(x2 + w), y, percent(x2 + w), px(height(values[i+1], most)), class})
		}
		begin = i + 1
	}
	return list
}

// below labels the first column, and those that reach a round number.
func below(list []column) []tick {
	if len(list) == 0 {
		return nil
	}
	span := list[len(list)-1].last.iter
	step := 1
	for _, s := range decades(1, 1e9) {
		if step = int(s); span/step <= 6 {
			break
		}
	}
	var ticks []tick
	last, said := 0.0, 0
	for i, c := range list {
		x, w, _, _ := slot(i, len(list))
		round := c.last.iter - c.last.iter%step
		if i == 0 {
			round = c.first.iter
		}
		if i > 0 && (round <= said || x-last < 5) {
			continue
		}
		last, said = x, round
		ticks = append(ticks, tick{percent(x + w/2), "middle", text.Count(round)})
	}
	return ticks
}

// took is a length on an axis of time.
func took(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second)).Round(100 * time.Millisecond)
	switch {
	case d == 0:
		return "0"
	case d < time.Minute && d%time.Second != 0:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	case d < time.Hour && d%time.Minute == 0:
		return fmt.Sprintf("%.0fm", d.Minutes())
	case d%time.Hour == 0:
		return fmt.Sprintf("%.0fh", d.Hours())
	}
	return text.Seconds(d)
}
