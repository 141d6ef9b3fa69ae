package app

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/journal"
)

// raisable is every limit that a person may change while the run is alive.
var raisable = map[string]func(*config.Config, string) error{
	"loop.max_iterations": func(c *config.Config, v string) error { return whole(&c.Loop.MaxIterations, v) },
	"loop.max_time":       func(c *config.Config, v string) error { return span(&c.Loop.MaxTime, v) },
	"budget.cost_usd":     func(c *config.Config, v string) error { return money(&c.Budget.CostUSD, v) },
	"budget.tokens":       func(c *config.Config, v string) error { return whole(&c.Budget.Tokens, v) },
	"limits.max_wait":     func(c *config.Config, v string) error { return span(&c.Limits.MaxWait, v) },
}

// raiser changes limits of a live run, and writes them down so that a resume
// knows them too. The files are not read again: only a person may loosen what an
// agent could have changed there.
func (j *Job) raiser(run *journal.Run) func(key, value string) (engine.Raised, error) {
	var mu sync.Mutex
	latest := *j
	return func(key, value string) (engine.Raised, error) {
		mu.Lock()
		defer mu.Unlock()
		set, ok := raisable[key]
		if !ok {
			return engine.Raised{}, fmt.Errorf("%s cannot be changed while the run is alive: only %s", key, strings.Join(slices.Sorted(maps.Keys(raisable)), ", "))
		}
		settings := *latest.Settings
		if err := set(&settings.Config, value); err != nil {
			return engine.Raised{}, fmt.Errorf("%s: %w", key, err)
		}
		next := latest
		next.Settings = &settings
		next.Request.Flags = append(slices.Clone(latest.Request.Flags), config.Flag{Name: "raise", Key: key, Value: value})
		request, stored, err := next.stored()
		if err == nil {
			err = run.Restate(request, stored)
		}
		if err != nil {
			return engine.Raised{}, err
		}
		latest = next
		return engine.Raised{Rules: next.rules(), Limits: next.limits()}, nil
	}
}

func whole(at *int, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is no whole number (0 is no limit)", value)
	}
	*at = n
	return nil
}

func money(at *float64, value string) error {
	usd, err := strconv.ParseFloat(value, 64)
	if err != nil || !(usd >= 0 && usd < 1e9) {
		return fmt.Errorf("%q is no sum of dollars (0 is no limit)", value)
	}
	*at = usd
	return nil
}

func span(at *time.Duration, value string) error {
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is no duration, such as 8h (0s is no limit)", value)
	}
	*at = d
	return nil
}
