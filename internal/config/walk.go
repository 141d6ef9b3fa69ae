package config

import (
	"maps"
	"slices"

	"github.com/refrain-loop/refrain/internal/setting"
)

// walker goes through the tables of one document.
type walker struct {
	*loader
	doc    document
	layer  string
	source source
}

func (w *walker) table(path []string, values map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		w.value(append(slices.Clone(path), name), values[name])
	}
}

func (w *walker) value(path []string, v any) {
	at := w.doc.at(path)
	r, is, ok := w.lookUp(path, at)
	switch {
	case !ok:
	case is == aSetting:
		value, what, hint := r.Read(v)
		w.keep(&w.source, path, entry{r, value, w.layer, at}, what, hint)
	case is == tables:
		w.gates(path, v, at)
	default:
		w.group(path, v, at)
	}
}

func (w *walker) group(path []string, v any, at place) {
	values, ok := v.(map[string]any)
	if !ok {
		key := setting.JoinKey(path)
		w.complain(at.problem(key, key+" must be a table", "write ["+key+"] with its keys below it"))
		return
	}
	w.source.open(path, at)
	w.table(path, values)
}
