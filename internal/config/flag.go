package config

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/setting"
)

// Flag is a setting from the command line. A run stores its flags, masked, to
// resume under them.
type Flag struct {
	Name  string `json:"name"` // as typed: "--max-iterations", "--set"
	Key   string `json:"key"`
	Value string `json:"value"`
}

const setFlag = "--set"

// ParseSet reads the argument of --set: KEY=VALUE, where VALUE is a TOML value
// or else plain text. Load checks the key and the value.
func ParseSet(arg string) (Flag, error) {
	key, value, ok := strings.Cut(arg, "=")
	key = strings.TrimSpace(key)
	if !ok || key == "" {
		p := place{file: setFlag}.problem(key, "no KEY=VALUE in "+setting.Quote(key), "write it like --set loop.max_iterations=5")
		return Flag{}, &Errors{[]Problem{p}}
	}
	return Flag{Name: setFlag, Key: key, Value: value}, nil
}

// Masked is the flag without what is secret in it.
func (f Flag) Masked() Flag {
	if f.Name == gateFlag {
		f.Value = setting.MaskLine(f.Value)
		return f
	}
	path, ok := splitKey(f.Key)
	if !ok {
		return f
	}
	switch r, is := find(path); {
	case is != aSetting:
	case r.Secret && f.Value != "":
		f.Value = setting.Mask
	case r.Kind.Command():
		if value, what, _ := readText(r, f.Value, true); what == "" {
			f.Value = r.Masked(value)
		}
	}
	return f
}

func (l *loader) flags(flags []Flag) source {
	var src source
	for _, f := range flags {
		l.flag(&src, f)
	}
	return src
}

func (l *loader) flag(src *source, f Flag) {
	at := place{file: f.Name}
	if f.Name == gateFlag {
		l.gate(src, f, at)
		return
	}
	path, ok := splitKey(f.Key)
	if !ok {
		l.complain(at.problem(f.Key, setting.Quote(f.Key)+" is not a key", "write it like loop.max_iterations"))
		return
	}
	if gateAt(path) >= 0 {
		l.complain(at.problem(setting.JoinKey(path), "a gate cannot be set with "+f.Name, "add one with "+gateFlag+" COMMAND, or write [[gate]] in "+FileName))
		return
	}
	r, is, ok := l.lookUp(path, at)
	if !ok {
		return
	}
	if is == table {
		key := setting.JoinKey(path)
		l.complain(at.problem(key, key+" is a table, not a key", "set one key in it, like "+key+".NAME=VALUE"))
		return
	}
	src.open(path, at)
	if r.Secret && f.Value == setting.Mask { // stored with a run, and told of when no other source sets it
		l.keep(src, path, entry{r, setting.Mask, "flag", at}, "", "")
		return
	}
	// Only --set speaks TOML: --until 42 means the text.
	value, what, hint := readText(r, f.Value, f.Name == setFlag)
	l.keep(src, path, entry{r, value, "flag", at}, what, hint)
}

// readText is a row's Read for what a flag or a variable says. With asTOML the
// text is a TOML value if it is one, and plain text otherwise.
func readText(r setting.Row, s string, asTOML bool) (value any, what, hint string) {
	if asTOML || !r.Kind.Plain {
		if v, ok := tomlValue(s); ok {
			if _, ok := r.Kind.Read(v); ok {
				return r.Read(v)
			}
		}
	}
	if r.Kind.FromText != nil {
		return r.Read(r.Kind.FromText(s))
	}
	return r.Read(s)
}
