package policy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/config"
)

// raisable is every limit that a person may change while the run is alive, and how
// it goes from one value of the settings to another.
var raisable = map[string]func(to *config.Config, from config.Config){
	"loop.max_iterations": func(to *config.Config, from config.Config) { to.Loop.MaxIterations = from.Loop.MaxIterations },
	"loop.max_time":       func(to *config.Config, from config.Config) { to.Loop.MaxTime = from.Loop.MaxTime },
	"budget.cost_usd":     func(to *config.Config, from config.Config) { to.Budget.CostUSD = from.Budget.CostUSD },
	"budget.tokens":       func(to *config.Config, from config.Config) { to.Budget.Tokens = from.Budget.Tokens },
	"limits.max_wait":     func(to *config.Config, from config.Config) { to.Limits.MaxWait = from.Limits.MaxWait },
}

// Raisable is the keys of those limits.
func Raisable() []string { return slices.Sorted(maps.Keys(raisable)) }

// Raise changes one limit of a run that is alive. The files are not read again:
// only a person may loosen what an agent could have changed there.
func Raise(c *config.Config, limit config.Flag) error {
	set, ok := raisable[limit.Key]
	if !ok {
		return fmt.Errorf("%s cannot be changed while the run is alive: only %s", limit.Key, strings.Join(Raisable(), ", "))
	}
	read, err := config.Load(config.Sources{Flags: []config.Flag{limit}})
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), limit.Name+": "))
	}
	set(c, read.Config)
	return nil
}

// Raised is the flag that a person's wish to raise a limit stands for, as it is
// stored with the run.
func Raised(key, value string) config.Flag { return config.Flag{Name: "raise", Key: key, Value: value} }
