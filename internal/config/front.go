package config

import (
	"cmp"
	"maps"
	"slices"

	"github.com/refrain-loop/refrain/internal/setting"
)

// Front is the settings that a prompt brings along, in the front matter of its
// file.
type Front struct {
	File     string         // as people are shown it
	Settings map[string]any // by dotted key: texts, truths, numbers, and lists of them
	Lines    map[string]int // where each of them stands
}

// front reads what the prompt's files say of settings. They may set what a
// procedure's table may, except for the prompt itself.
func (l *loader) front(list []Front, problem *Problem) source {
	if problem != nil {
		l.complain(*problem)
	}
	var src source
	for _, f := range list {
		keys := slices.SortedFunc(maps.Keys(f.Settings), func(a, b string) int {
			return cmp.Or(cmp.Compare(f.Lines[a], f.Lines[b]), cmp.Compare(a, b))
		})
		for _, key := range keys {
			l.frontSetting(&src, key, f.Settings[key], place{file: f.File, line: f.Lines[key]})
		}
	}
	return src
}

func (l *loader) frontSetting(src *source, key string, value any, at place) {
	path, ok := splitKey(key)
	if !ok {
		l.complain(at.problem(key, setting.Quote(key)+" is not a key", "write it like loop.max_iterations"))
		return
	}
	r, is, ok := l.lookUp(path, at)
	if !ok {
		return
	}
	if is != aSetting || gateAt(path) >= 0 || inNamed(path) || key == "prompt" || onlyAtTop(key) || executes(key) {
		l.complain(at.problem(key, key+" cannot be set in a prompt", "set it in "+FileName))
		return
	}
	v, what, hint := r.Read(tomlLike(value))
	l.keep(src, path, entry{r, v, "prompt", at}, what, hint)
}

// executes tells whether a key says what the runner runs, what it writes or
// sends and where, or what an agent may do: a prompt is a file that agents write
// to.
func executes(key string) bool {
	return key == "stop.scripts" || beginsWith(key, "hooks.", "permissions.", "notify.", "trace.", "metrics.")
}

// tomlLike is a value in the types that TOML's have.
func tomlLike(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = tomlLike(item)
		}
		return items
	}
	return v
}
