package harness

import (
	"maps"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

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
