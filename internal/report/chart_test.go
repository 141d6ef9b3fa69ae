package report

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestScaleHoldsTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Float64Range(0, 1e12).Draw(t, "value")
		steps := rapid.SampledFrom([][]float64{clockSteps, decades(1, 1e9), decades(1e-5, 1e6), {25, 50, 100}}).Draw(t, "steps")
		most, ticks := scale(value, steps, number)
		if most < value*(1-1e-9) || most <= 0 {
			t.Errorf("an axis to %g does not hold %g", most, value)
		}
		if len(ticks) < 2 || len(ticks) > 7 {
			t.Errorf("%d labels on an axis to %g", len(ticks), most)
		}
		for _, k := range ticks {
			if y, err := strconv.ParseFloat(k.At, 64); err != nil || y < plotTop-0.01 || y > plotTop+plotHeight+0.01 {
				t.Errorf("a label at %s", k.At)
			}
		}
	})
}

func TestColumnsLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 3*maxColumns).Draw(t, "n")
		var points []point
		cost, best := 0.0, 0
		for i := range n {
			p := point{place: place{i + 1, 1}, result: loop.OK, took: time.Second, cost: float64(i % 3), tested: i%2 == 0, passed: i % 17}
			if p.tested {
				best = max(best, p.passed)
			}
			cost += p.cost
			points = append(points, p)
		}
		list := columns(points)
		if len(list) > maxColumns {
			t.Fatalf("%d columns", len(list))
		}
		seen := 0
		for _, c := range list {
			if seen++; c.first.iter != seen {
				t.Fatalf("a column begins at %d, want %d", c.first.iter, seen)
			}
			seen = c.last.iter
		}
		if seen != n {
			t.Errorf("the columns end at %d, want %d", seen, n)
		}
		if n > 0 && (list[len(list)-1].spent != cost || list[len(list)-1].best != best) {
			t.Errorf("spent %g and best %d, want %g and %d", list[len(list)-1].spent, list[len(list)-1].best, cost, best)
		}
	})
}

func TestMarksStayInTheDrawing(t *testing.T) {
	for _, n := range []int{1, 2, 11, 40, maxColumns, 5000} {
		for _, c := range charts(marathon(n).data()) {
			for _, b := range c.Bars {
				x, w, y, h := value(t, b.X), value(t, b.W), value(t, b.Y), value(t, b.H)
				if x < 0 || w <= 0 || x+w > 100.01 || y < plotTop-0.01 || h <= 0 || y+h > plotTop+plotHeight+0.01 {
					t.Fatalf("%d attempts, chart %s: a bar at %+v", n, c.ID, b)
				}
			}
		}
	}
}

func value(t *testing.T, s string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestTimeRunsForward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := int64(1_700_000_000_000)
		var spans []span
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			long := rapid.Int64Range(1, 1e9).Draw(t, "long")
			spans = append(spans, span{at, at + long, activity(rapid.IntRange(0, int(off)).Draw(t, "activity"))})
			at += long
		}
		line := layTime(spans)
		last := 0.0
		for _, s := range spans {
			from, to := line.at(s.from), line.at(s.to)
			if from < last-1e-6 || to < from || to > 100+1e-6 {
				t.Fatalf("a stretch from %g to %g, after %g", from, to, last)
			}
			last = to
		}
		if last < 100-1e-6 {
			t.Errorf("time ends at %g", last)
		}
		n := rapid.IntRange(1, 50).Draw(t, "places")
		thin := line.thin(n)
		if len(thin) > n || thin[0].from != spans[0].from || thin[len(thin)-1].to != at {
			t.Errorf("%d stretches from %d to %d", len(thin), thin[0].from, thin[len(thin)-1].to)
		}
	})
}

func TestThinShowsWhatLastedLongest(t *testing.T) {
	var spans []span
	for i := range int64(1000) { // gates are a tenth of the time, but for the last fifth
		long := int64(10)
		if i >= 800 {
			long = 1000
		}
		begin := int64(0)
		if len(spans) > 0 {
			begin = spans[len(spans)-1].to
		}
		spans = append(spans, span{begin, begin + 100, working}, span{begin + 100, begin + 100 + long, judging})
	}
	thin := layTime(spans).thin(100)
	if len(thin) != 2 || thin[0].activity != working || thin[1].activity != judging {
		t.Errorf("%d stretches: %+v", len(thin), thin)
	}
}

func TestABreakIsCutShort(t *testing.T) {
	d := night().data()
	line := layTime(d.spans)
	for _, s := range d.spans {
		if s.activity == off {
			if w := line.at(s.to) - line.at(s.from); w < 1 || w > 10 {
				t.Errorf("two days off take %g percent of the line", w)
			}
			return
		}
	}
	t.Error("the night has no break")
}
