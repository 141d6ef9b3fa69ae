package harness

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

// table is an object of JSON, in its order, or a table of TOML. What is no
// table is a leaf: text of JSON, or a value of TOML.
type table struct {
	keys   []string
	values map[string]any
}

func (t *table) get(key string) any {
	if t == nil {
		return nil
	}
	return t.values[key]
}

// set gives a key its value. The last one counts where a text has two, as for
// those who read it.
func (t *table) set(key string, value any) {
	if t.values == nil {
		t.values = map[string]any{}
	}
	if _, ok := t.values[key]; !ok {
		t.keys = append(t.keys, key)
	}
	t.values[key] = value
}

// union gives the keys of both, those of the first one first.
func union(a, b *table) []string {
	var keys []string
	if a != nil {
		keys = slices.Clone(a.keys)
	}
	if b != nil {
		for _, key := range b.keys {
			if a.get(key) == nil {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// equal tells whether two values are the same but for spaces. The order of keys
// counts: the first pattern of a map is the one that is taken.
func equal(a, b any) bool {
	x, ok := a.(*table)
	y, too := b.(*table)
	if ok != too {
		return false
	}
	if !ok {
		return reflect.DeepEqual(a, b)
	}
	return slices.Equal(x.keys, y.keys) &&
		!slices.ContainsFunc(x.keys, func(key string) bool { return !equal(x.values[key], y.values[key]) })
}

// list gives the items of a list, and false for what is none. Nothing is an
// empty list.
func list(value any) ([]any, bool) {
	switch v := value.(type) {
	case nil:
		return nil, true
	case []any:
		return v, true
	case leaf:
		var raw []json.RawMessage
		if json.Unmarshal([]byte(v), &raw) != nil {
			return nil, false
		}
		items := make([]any, len(raw))
		for i, r := range raw {
			items[i] = leaf(r)
		}
		return items, true
	}
	return nil, false
}

// stringOf gives a value that is a string, and "" for every other.
func stringOf(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case leaf:
		var s string
		_ = json.Unmarshal([]byte(v), &s)
		return s
	}
	return ""
}

// leaf is JSON that is no object, without spaces.
type leaf string

// json blends two texts of JSON.
func (h halves) json(old, now []byte) ([]byte, bool) {
	return blendText(h.blend, readJSON, writeJSON, old, now)
}

// toml blends two texts of TOML.
func (h halves) toml(old, now []byte) ([]byte, bool) {
	return blendText(h.blend, readTOML, writeTOML, old, now)
}

func blendText(blend half, read func([]byte) (*table, error), write func(*table) ([]byte, error), old, now []byte) ([]byte, bool) {
	was, err := read(old)
	if err != nil {
		return old, false
	}
	is, err := read(now)
	if err != nil {
		return old, false
	}
	out, same := blend(value(was), value(is))
	t, _ := out.(*table)
	if same || t == nil {
		return now, same
	}
	text, err := write(t)
	if err != nil {
		return old, false
	}
	return text, false
}

// value is a table as a value: one that is not there is nil.
func value(t *table) any {
	if t == nil {
		return nil
	}
	return t
}

func readTOML(text []byte) (t *table, err error) {
	if text == nil {
		return nil, nil
	}
	var m map[string]any
	if err := toml.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	return tableOf(m), nil
}

func tableOf(m map[string]any) *table {
	t := &table{}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if sub, ok := m[key].(map[string]any); ok {
			t.set(key, tableOf(sub))
			continue
		}
		t.set(key, m[key])
	}
	return t
}

func (t *table) plain() map[string]any {
	m := map[string]any{}
	for _, key := range t.keys {
		if sub, ok := t.values[key].(*table); ok {
			m[key] = sub.plain()
			continue
		}
		m[key] = t.values[key]
	}
	return m
}

func writeTOML(t *table) ([]byte, error) {
	text, err := toml.Marshal(t.plain())
	if err != nil {
		return nil, err
	}
	var back map[string]any
	return text, toml.Unmarshal(text, &back)
}
