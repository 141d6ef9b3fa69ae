package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
)

// Stored is one setting as a run keeps it.
type Stored struct {
	Value json.RawMessage `json:"value"`
	Layer string          `json:"layer"`
	Where string          `json:"where,omitempty"`
}

// BuiltIn tells whether nobody has set it.
func (s Stored) BuiltIn() bool { return s.Layer == builtIn }

// Masked is every setting of this run for its record, without secrets. Of the
// tables of procedures there is only what the prompt of this run is made of:
// the settings that it took from one stand at the keys themselves.
func (r *Resolved) Masked() map[string]Stored {
	stored := map[string]Stored{}
	for _, s := range r.Settings() {
		if strings.HasPrefix(s.Key, "procedures.") && !r.makesPrompt(s.Key) || s.Value == "" { // that was taken back, and has no default
			continue
		}
		value, err := s.Value.MarshalJSON()
		if err != nil {
			panic(err) // rendered just now
		}
		stored[s.Key] = Stored{value, s.Layer, s.Where}
	}
	return stored
}

// makesPrompt tells whether a key says what the prompt of this run is made of.
func (r *Resolved) makesPrompt(key string) bool {
	return slices.ContainsFunc(promptSettings(), func(row setting.Row) bool { return key == procedureKey(r.values.procedure, row.Key) })
}

// Shared is what of a run's settings goes where the run goes. What the user's own file and
// the environment say is of one machine, and another one has its own.
func Shared(settings map[string]Stored) map[string]Stored {
	shared := maps.Clone(settings)
	maps.DeleteFunc(shared, func(_ string, s Stored) bool { return s.Layer == "user" || s.Layer == "environment" })
	return shared
}

// Diff is the keys whose values differ from those that were stored, sorted. A
// value is empty where the key had none. Masked values look alike, so a secret
// that was changed is not seen: it is not worth keeping anything by which a
// secret could be guessed.
func Diff(old, now map[string]Stored) []loop.Change {
	keys := maps.Clone(old)
	maps.Copy(keys, now)
	var changes []loop.Change
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		was, before := old[key]
		is, after := now[key]
		// A default that one version has and the other has not is no change
		// that anybody made.
		if !before && is.BuiltIn() || !after && was.BuiltIn() {
			continue
		}
		if c := (loop.Change{Key: key, Old: was.text(), New: is.text()}); c.Old != c.New {
			changes = append(changes, c)
		}
	}
	return changes
}

// text is the value in the form of render, however the file writes it.
func (s Stored) text() string {
	if s.Value == nil {
		return ""
	}
	d := json.NewDecoder(bytes.NewReader(s.Value))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return string(s.Value)
	}
	return renderJSON(v)
}

func renderJSON(v any) string {
	switch v := v.(type) {
	case string:
		return setting.Quote(v)
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = renderJSON(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]any:
		values := map[string]string{}
		for key, value := range v {
			values[key] = renderJSON(value)
		}
		return setting.InlineTable(values, gateSettings())
	}
	return fmt.Sprint(v)
}

// Guarded tells whether a changed key loosens or moves what done means, what a
// budget counts, or what the runner itself runs, writes and sends, so that a
// resume must not take it over unasked: the agent can write the file too. The
// gates of flags are not in any file: who adds one on resume has asked for it.
func Guarded(key string) bool {
	if name, ok := strings.CutPrefix(key, gateKey+"."); ok {
		return !flagGateName().MatchString(name)
	}
	switch key {
	case "loop.exit_zero_is_done", "git.checkpoint", "git.watch", "git.watch_above", "git.protect", "git.on_regression", "stop.scripts", "proc.keep", "limits.fallback", "loop.attended":
		return true
	}
	return beginsWith(key, "done.", "ask.", "proof.", "permissions.", "hooks.", "prices.", "notify.", "trace.", "metrics.", "sandbox.")
}

func beginsWith(key string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}
