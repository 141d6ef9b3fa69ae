package rehearsal

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Expect is what a script says of how its rehearsal ends, one thing each.
type Expect []expectation

type expectation struct {
	key  string
	want string
	met  func(loop.RunFinished) (got string, ok bool)
}

// Met is one thing that was expected, and what came.
type Met struct {
	What string // "state is done"
	Got  string
	OK   bool
}

// Met compares an end with what was expected of it, in the order of the script.
func (e Expect) Met(end loop.RunFinished) []Met {
	var list []Met
	for _, one := range e {
		got, ok := one.met(end)
		list = append(list, Met{What: one.key + " " + one.want, Got: got, OK: ok})
	}
	return list
}

// expectations is everything that can be expected.
var expectations = map[string]func(f *values, key string) expectation{
	"state": func(f *values, key string) expectation {
		state := f.some(key)
		if known := []loop.Status{loop.Done, loop.Exhausted, loop.Aborted, loop.Stopped, loop.CouldNotRun}; !slices.Contains(known, loop.Status(state)) {
			f.fail("%s is %q: write one of %s", key, state, strings.Trim(fmt.Sprint(known), "[]"))
		}
		return same(state, func(end loop.RunFinished) string { return string(end.State) })
	},
	"reason": func(f *values, key string) expectation {
		return same(f.some(key), func(end loop.RunFinished) string { return string(end.Reason) })
	},
	"proven": func(f *values, key string) expectation {
		return same(f.flag(key), func(end loop.RunFinished) bool { return end.Proven })
	},
	"level": func(f *values, key string) expectation {
		level := f.some(key)
		if !slices.Contains(loop.Levels, loop.Level(level)) {
			f.fail("%s is %q: write one of %s", key, level, strings.Trim(fmt.Sprint(loop.Levels), "[]"))
		}
		return same(level, func(end loop.RunFinished) string { return string(end.Level()) })
	},
	"iterations": func(f *values, key string) expectation {
		return same(f.whole(key, 0, maxCount, 0), func(end loop.RunFinished) int { return end.Totals.Iterations })
	},
	"waits": func(f *values, key string) expectation {
		return same(f.whole(key, 0, maxCount, 0), func(end loop.RunFinished) int { return end.Totals.Waits })
	},
	"refused": func(f *values, key string) expectation {
		return same(f.whole(key, 0, maxCount, 0), func(end loop.RunFinished) int { return end.Totals.Refused })
	},
	"max_iterations": func(f *values, key string) expectation {
		return atMost(f.whole(key, 0, maxCount, 0), func(end loop.RunFinished) int { return end.Totals.Iterations })
	},
	"max_time": func(f *values, key string) expectation {
		return atMost(f.duration(key), func(end loop.RunFinished) time.Duration { return end.Elapsed.Duration().Round(time.Second) })
	},
	"max_cost_usd": func(f *values, key string) expectation {
		return atMost(f.money(key), func(end loop.RunFinished) float64 { return end.Totals.CostUSD })
	},
}

func same[T comparable](want T, of func(loop.RunFinished) T) expectation {
	return expectation{want: fmt.Sprint("is ", want), met: func(end loop.RunFinished) (string, bool) {
		got := of(end)
		return fmt.Sprint(got), got == want
	}}
}

func atMost[T cmp.Ordered](most T, of func(loop.RunFinished) T) expectation {
	return expectation{want: fmt.Sprint("is ", most), met: func(end loop.RunFinished) (string, bool) {
		got := of(end)
		return fmt.Sprint(got), got <= most
	}}
}

// parseExpect reads what is expected. The lines say where each key stands.
func parseExpect(fields map[string]any, lines map[string]int) (Expect, error) {
	var list Expect
	lineOf := func(key string) int { return lines[strings.ToLower(key)] }
	inOrder := slices.SortedFunc(maps.Keys(fields), func(a, b string) int { return cmp.Compare(lineOf(a), lineOf(b)) })
	for _, key := range inOrder {
		read, ok := expectations[key]
		if !ok {
			return nil, fmt.Errorf("line %d: unknown key \"expect.%s\": write one of %s", lineOf(key), key, strings.Join(slices.Sorted(maps.Keys(expectations)), ", "))
		}
		f := &values{fields: fields}
		one := read(f, key)
		if f.err != nil {
			return nil, fmt.Errorf("line %d: expect: %w", lineOf(key), f.err)
		}
		one.key = key
		list = append(list, one)
	}
	return list, nil
}
