package migrate

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/refrain-loop/refrain/internal/setting"
)

// document is what a file of theirs says, whatever its format, and where.
type document struct {
	file   string
	values map[string]any

	// line is that of a key; an item of a list has its number as a part of its path.
	line func(path []string) int

	loose bool                     // a number may stand for a text, as YAML has it
	used  func(path []string) bool // what it says is said again elsewhere; nil: nothing is
	more  []string                 // what else is in the file, and not read
}

// fit puts what a file says into a struct, whose fields have their keys as tags: the
// tag "-" is for those of the struct itself, and a field without a name is for what is
// known and means nothing here. It gives the keys that the struct does not have, at
// any depth. One mechanism for all formats, so that no reader can pass over a key.
func (d document) fit(to any) (unknown []string, err error) {
	f := fitting{document: d}
	if err := f.put(nil, d.values, reflect.ValueOf(to).Elem()); err != nil {
		return nil, err
	}
	return f.unknown, nil
}

// fitting is a document while it is put into a struct.
type fitting struct {
	document
	unknown []string
}

// put puts one value into its place. What is null is as if it were not there.
func (f *fitting) put(path []string, value any, to reflect.Value) error {
	if value == nil {
		return nil
	}
	switch to.Kind() {
	case reflect.Pointer:
		inner := reflect.New(to.Type().Elem())
		if err := f.put(path, value, inner.Elem()); err != nil {
			return err
		}
		to.Set(inner)
		return nil
	case reflect.Interface:
		to.Set(reflect.ValueOf(value))
		return nil
	case reflect.String:
		if s, ok := f.text(value); ok {
			to.SetString(s)
			return nil
		}
	case reflect.Bool:
		if b, ok := value.(bool); ok {
			to.SetBool(b)
			return nil
		}
	case reflect.Uint32, reflect.Uint64:
		if n, ok := number(value); ok && !to.OverflowUint(n) {
			to.SetUint(n)
			return nil
		}
	case reflect.Slice:
		if list, ok := value.([]any); ok {
			to.Set(reflect.MakeSlice(to.Type(), len(list), len(list)))
			return f.items(path, list, to)
		}
	case reflect.Map:
		if table, ok := value.(map[string]any); ok {
			to.Set(reflect.MakeMap(to.Type()))
			return f.entries(path, table, to)
		}
	case reflect.Struct:
		if table, ok := value.(map[string]any); ok {
			return f.fields(path, table, to)
		}
	}
	return f.wrong(path, fmt.Sprintf("must be %s, not %s", kindOf(to.Type()), saidAs(value)))
}

func (f *fitting) items(path []string, list []any, to reflect.Value) error {
	for i, item := range list {
		if err := f.put(below(path, strconv.Itoa(i)), item, to.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (f *fitting) entries(path []string, table map[string]any, to reflect.Value) error {
	for _, key := range slices.Sorted(maps.Keys(table)) {
		value := reflect.New(to.Type().Elem()).Elem()
		if err := f.put(below(path, key), table[key], value); err != nil {
			return err
		}
		to.SetMapIndex(reflect.ValueOf(key), value)
	}
	return nil
}

func (f *fitting) fields(path []string, table map[string]any, to reflect.Value) error {
	known := map[string]bool{}
	if err := f.known(path, table, to, known); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if at := below(path, key); !known[key] && (f.used == nil || !f.used(at)) {
			f.miss(at)
		}
	}
	return nil
}

// known fills the fields of a struct, and notes their keys.
func (f *fitting) known(path []string, table map[string]any, to reflect.Value, keys map[string]bool) error {
	for i := range to.NumField() {
		field := to.Type().Field(i)
		key := field.Tag.Get("key")
		switch key {
		case "":
			continue // it is ours
		case "-":
			if err := f.known(path, table, to.Field(i), keys); err != nil {
				return err
			}
			continue
		}
		keys[key] = true
		if field.Name == "_" {
			continue
		}
		if err := f.put(below(path, key), table[key], to.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

// miss notes a key that nobody knows. In a list of tables it is noted once for all.
func (f *fitting) miss(path []string) {
	path = slices.DeleteFunc(slices.Clone(path), func(part string) bool {
		_, err := strconv.Atoi(part)
		return err == nil
	})
	if key := setting.JoinKey(path); !slices.Contains(f.unknown, key) {
		f.unknown = append(f.unknown, key)
	}
}

// wrong says that the value of a key cannot be.
func (d document) wrong(path []string, what string) error {
	if len(path) == 0 {
		return &Error{d.file, 0, "it " + what}
	}
	return &Error{d.file, d.line(path), setting.JoinKey(path) + " " + what}
}

// text is a value as a text.
func (d document) text(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case bool, int64, uint64, float64:
		return fmt.Sprint(v), d.loose
	}
	return "", false
}

// number is a value as a whole number, 0 or more.
func number(value any) (uint64, bool) {
	switch v := value.(type) {
	case int64:
		return uint64(max(v, 0)), v >= 0
	case uint64:
		return v, true
	case json.Number:
		n, err := strconv.ParseUint(v.String(), 10, 64)
		return n, err == nil
	}
	return 0, false
}

// kindOf is what a field takes, in words.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Uint32, reflect.Uint64:
		return "a whole number, 0 or more"
	case reflect.Slice:
		return "a list"
	}
	return "a table"
}

// saidAs is what a value is, in words. The value itself may be a secret.
func saidAs(value any) string {
	switch v := value.(type) {
	case string:
		return "a text"
	case bool:
		return fmt.Sprint(v)
	case int64, uint64, float64, json.Number:
		return fmt.Sprint(v)
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	}
	return "a time"
}

// below is the path of what is called name below path.
func below(path []string, name string) []string { return append(slices.Clone(path), name) }

// noteUnknown lists the keys that nobody knows, and what else was not read.
func (im *Import) noteUnknown(d document, unknown []string, what string) {
	for _, key := range unknown {
		im.note(d.file, key, what)
	}
	for _, rest := range d.more {
		im.note(d.file, "", rest)
	}
}
