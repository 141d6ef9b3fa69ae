package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
)

// partly is a JSON file that an agent writes all the time, and that has keys on which
// it acts in later sessions.
type partly struct {
	path string
	keys []string // a * is any name
}

// maxPartly is more than an agent keeps in such a file.
const maxPartly = 32 << 20

// partlyOf are those of some agents.
func partlyOf(p Place, names []string) []partly {
	var list []partly
	for _, name := range names {
		state := agent.TraitsOf(name).State
		if state.Partly.File == "" {
			continue
		}
		path := filepath.Join(p.Home, state.Partly.File)
		if folder := p.folder(state); folder != filepath.Join(p.Home, state.Folder) {
			path = filepath.Join(folder, state.Partly.File)
		}
		if !slices.ContainsFunc(list, func(one partly) bool { return one.path == path }) {
			list = append(list, partly{path, state.Partly.Keys})
		}
	}
	return list
}

// values are the values of keys, by their paths, whose names have a 0 between them.
// What is empty is as good as not there.
type values map[string]any

const between = "\x00"

// note notes the values that the file has. One that is not there has none.
func (p partly) note(ctx context.Context, known note) (note, error) {
	stamp := p.stamp()
	if known.Kind == keys && known.Stamp == stamp && stamp != "" {
		return known, nil
	}
	_, found, err := p.read(ctx)
	if err != nil {
		return note{}, err
	}
	text, err := json.Marshal(found)
	return note{Kind: keys, Text: text, Stamp: stamp}, err
}

// stamp is by which the file is not read again; empty: nothing tells.
func (p partly) stamp() string {
	info, err := os.Stat(p.path)
	if err != nil || !files.TellsWrites(info) {
		return ""
	}
	return files.Stamp(info)
}

// read reads the file, and the values of its keys.
func (p partly) read(ctx context.Context) (doc map[string]any, found values, err error) {
	found = values{}
	text, err := files.ReadFile(ctx, p.path, maxPartly)
	if files.Absent(err) || err == nil && len(bytes.TrimSpace(text)) == 0 {
		return map[string]any{}, found, nil
	}
	if err == nil {
		err = decode(text, &doc)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, key := range p.keys {
		found.add(doc, strings.Split(key, "."), "")
	}
	return doc, found, nil
}

// decode reads JSON; numbers stay as they are written.
func decode(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(to)
}

func (v values) add(in any, names []string, above string) {
	if len(names) == 0 {
		if !isEmpty(in) {
			v[strings.TrimSuffix(above, between)] = in
		}
		return
	}
	table, _ := in.(map[string]any)
	for name, below := range table {
		if names[0] == "*" || names[0] == name {
			v.add(below, names[1:], above+name+between)
		}
	}
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// putBack puts back the values that are others than those noted, and names their keys.
// The file stays the one that it is: a sandbox was opened for that one.
func (p partly) putBack(ctx context.Context, was note, aside func(string) (string, error)) (changed []string, kept string, err error) {
	if stamp := p.stamp(); stamp != "" && stamp == was.Stamp {
		return nil, "", nil
	}
	doc, now, err := p.read(ctx)
	if err != nil {
		return nil, "", err
	}
	before := values{}
	if err := decode(was.Text, &before); err != nil {
		return nil, "", err
	}
	all := maps.Clone(before)
	maps.Copy(all, now)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if !reflect.DeepEqual(before[path], now[path]) {
			changed = append(changed, strings.ReplaceAll(path, between, "."))
			set(doc, strings.Split(path, between), before[path])
		}
	}
	if len(changed) == 0 {
		return nil, "", nil
	}
	if kept, err = aside(p.path); err != nil {
		return nil, "", err
	}
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return nil, "", err
	}
	return changed, kept, files.WriteOver(p.path, text)
}

// set gives a key its value; nil is none.
func set(table map[string]any, path []string, value any) {
	name := path[0]
	if len(path) == 1 {
		if table[name] = value; value == nil {
			delete(table, name)
		}
		return
	}
	below, ok := table[name].(map[string]any)
	if !ok {
		if value == nil {
			return
		}
		below = map[string]any{}
		table[name] = below
	}
	set(below, path[1:], value)
}

// copyAside keeps a copy of a file in the folder of the guard.
func (r *restorer) copyAside(path string) (string, error) {
	if err := os.MkdirAll(r.aside, 0o700); err != nil {
		return "", err
	}
	kept := filepath.Join(r.aside, strings.TrimSuffix(filepath.Base(files.Temp(filepath.Base(path))), files.TempMark))
	return kept, files.Copy(path, kept, files.NoSync)
}

// tellKeys tells which keys of a file were put back.
func tellKeys(path string, changed []string, kept string) loop.Warning {
	const most = 3
	named := strings.Join(changed[:min(most, len(changed))], ", ")
	if len(changed) > most {
		named += fmt.Sprintf(" and %d more", len(changed)-most)
	}
	return loop.Warning{
		Key:  "kept.keys " + path,
		Text: fmt.Sprintf("%s in %s was changed while an agent worked that acts on it in later sessions; it was put back", named, path),
		Hint: ifYou + kept,
	}
}
