package report

import (
	"math"
	"strconv"
	"time"
)

// chart is a drawing over the attempts of a run. Heights are pixels and widths are
// shares of the page, so that it fits any screen without a script, and its text
// stays readable.
type chart struct {
	ID, Title string
	Says      string // in a sentence, for those who do not see it
	Empty     string // why there is nothing to draw

	Left, Right []tick
	Below       []tick
	Bars        []bar
	Lines       []stroke
	Rule        *rule
	Hits        []hit
	Legend      []legend

	Heads []string
	Rows  [][]string
}

// tick is a label at a place of an axis.
type tick struct{ At, Anchor, Label string }

type bar struct{ X, Y, W, H, Class string }

type stroke struct{ X1, Y1, X2, Y2, Class string }

// rule is a threshold right across.
type rule struct{ Y, LabelY, Label string }

// hit is where a pointer asks for the numbers of a column.
type hit struct{ X, W, Tip string }

// legend says what a colour stands for; Line what a line does.
type legend struct {
	Class, Label string
	Line         bool
}

// The drawing area, in pixels.
const (
	plotTop    = 12.0
	plotHeight = 150.0
	// fewColumns keeps the bars of a short run from becoming walls.
	fewColumns = 12
)

// slot is the room of column i of n, and the bar in it.
func slot(i, n int) (x, w, barX, barW float64) {
	w = 100 / float64(max(n, fewColumns))
	x = float64(i) * w
	gap := w * 0.14
	if n > maxColumns/2 {
		gap = 0
	}
	return x, w, x + gap, w - 2*gap
}

// height is where a value stands, measured from the top.
func height(value, most float64) float64 {
	if most <= 0 {
		return plotTop + plotHeight
	}
	return plotTop + plotHeight*(1-value/most)
}

// box is a bar of column i from one value up to another.
func box(i, n int, from, to, most float64, class string) bar {
	_, _, x, w := slot(i, n)
	top, bottom := height(to, most), height(from, most)
	// The least value still shows.
	top = min(top, bottom-1)
	return bar{percent(x), px(top), percent(w), px(bottom - top), class}
}

// scale is an axis that reaches at least a value, in steps that are easy to read.
func scale(value float64, steps []float64, label func(float64) string) (most float64, ticks []tick) {
	step := steps[len(steps)-1]
	for _, s := range steps {
		if value/s <= 4 {
			step = s
			break
		}
	}
	most = step * math.Max(1, math.Ceil(value/step-1e-9))
	stride := step * math.Max(1, math.Ceil(most/step/5))
	for i := range 6 {
		if at := float64(i) * stride; at <= most+step/2 {
			ticks = append(ticks, tick{At: px(height(at, most)), Label: label(at)})
		}
	}
	return most, ticks
}

// decades are steps of 1, 2 and 5, and their tenfolds.
func decades(from, to float64) []float64 {
	var list []float64
	for unit := from; unit <= to; unit *= 10 {
		list = append(list, unit, 2*unit, 5*unit)
	}
	return list
}

// clockSteps are the steps of an axis of time.
var clockSteps = seconds(
	100*time.Millisecond, 200*time.Millisecond, 500*time.Millisecond, time.Second, 2*time.Second, 5*time.Second, 10*time.Second, 15*time.Second, 30*time.Second,
	time.Minute, 2*time.Minute, 5*time.Minute, 10*time.Minute, 15*time.Minute, 30*time.Minute,
	time.Hour, 2*time.Hour, 5*time.Hour, 12*time.Hour, 24*time.Hour, 48*time.Hour, 120*time.Hour)

func seconds(list ...time.Duration) []float64 {
	var in []float64
	for _, d := range list {
		in = append(in, d.Seconds())
	}
	return in
}

// money is a sum on an axis.
func money(usd float64) string {
	if usd == 0 {
		return "0"
	}
	return dollars(usd)
}

func percent(x float64) string { return number(x) + "%" }

func px(y float64) string { return number(y) }

// number is short: a page has thousands.
func number(f float64) string {
	return strconv.FormatFloat(math.Round(f*1000)/1000, 'f', -1, 64)
}
