package history

import (
	"encoding/json"
	"fmt"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/journal"
)

// Settings is what a run was started with, or last resumed with, and what was raised
// since, by the keys: defaults included, secrets masked.
func Settings(e journal.Entry) (map[string]config.Stored, error) {
	var stored map[string]config.Stored
	if len(e.Config) == 0 { // an earlier version's, or another system's
		return stored, nil
	}
	if err := json.Unmarshal(e.Config, &stored); err != nil {
		return nil, fmt.Errorf("read the settings of %s: %w", e.Name, err)
	}
	return stored, nil
}

// Set is the values that somebody has set: with a flag, a variable or a file, by a
// procedure or a profile. All others are as the version of the program has them.
func Set(stored map[string]config.Stored) map[string]any {
	values := map[string]any{}
	for key, s := range stored {
		var v any
		if !s.BuiltIn() && json.Unmarshal(s.Value, &v) == nil {
			values[key] = v
		}
	}
	return values
}
