package config

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Stored is one setting as a run keeps it.
type Stored struct {
	Value json.RawMessage `json:"value"`
	Layer string          `json:"layer"`
	Where string          `json:"where,omitempty"`
}

// Masked is every setting of this run for its record, without secrets. The
// tables of procedures are left out: what the run took from one stands at the
// keys themselves.
func (r *Resolved) Masked() map[string]Stored {
	stored := map[string]Stored{}
	for _, s := range r.Settings() {
		if !strings.HasPrefix(s.Key, "procedures.") {
			stored[s.Key] = Stored{json.RawMessage(s.Value), s.Layer, s.Where}
		}
	}
	return stored
}

// Diff is the keys whose values differ from those that were stored, sorted. A
// value is empty where the key had none. Masked values look alike, so a secret
// that was changed is not seen: it is not worth keeping anything by which a
// secret could be guessed.
func Diff(old map[string]Stored, r *Resolved) []loop.Change {
	now := r.Masked()
	keys := maps.Clone(old)
	maps.Copy(keys, now)
	var changes []loop.Change
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		was, before := old[key]
		is, after := now[key]
		// A default that one version has and the other has not is no change
		// that anybody made.
		if !before && is.Layer == builtIn || !after && was.Layer == builtIn {
			continue
		}
		if c := (loop.Change{Key: key, Old: was.text(), New: is.text()}); c.Old != c.New {
			changes = append(changes, c)
		}
	}
	return changes
}

// text is the value in the form of render, whatever its spaces have become in
// the file.
func (s Stored) text() string {
	if s.Value == nil {
		return ""
	}
	var items []string
	if err := json.Unmarshal(s.Value, &items); err == nil && items != nil {
		return render(items)
	}
	var b bytes.Buffer
	if err := json.Compact(&b, s.Value); err != nil {
		return string(s.Value)
	}
	return b.String()
}

// Guarded tells whether a changed key loosens or moves what done means, so that
// a resume must not take it over unasked: the agent can write the file too.
func Guarded(key string) bool {
	return strings.HasPrefix(key, "done.") || key == "loop.exit_zero_is_done"
}
