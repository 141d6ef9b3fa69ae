package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/setting"
)

// Raisable is every limit that a person may change while the run is alive.
var Raisable = []string{"budget.cost_usd", "budget.tokens", "limits.max_wait", "loop.max_iterations", "loop.max_time"}

// Raise changes one limit of a run that is alive. The files are not read again:
// only a person may loosen what an agent could have changed there.
func Raise(c *config.Config, limit config.Flag) error {
	if !slices.Contains(Raisable, limit.Key) {
		if near := setting.Nearest(limit.Key, Raisable); near != "" {
			return fmt.Errorf("there is no limit %s: did you mean %s?", limit.Key, near)
		}
		return fmt.Errorf("%s cannot be changed while the run is alive: only %s", limit.Key, strings.Join(Raisable, ", "))
	}
	read, err := config.Load(config.Sources{Flags: []config.Flag{limit}})
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), limit.Name+": "))
	}
	c.Take(limit.Key, &read.Config)
	return nil
}

// Raised is the flag that a person's wish to raise a limit stands for, as it is
// stored with the run.
func Raised(key, value string) config.Flag { return config.Flag{Name: "raise", Key: key, Value: value} }
