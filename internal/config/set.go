package config

import (
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/tomlfile"
)

// Set gives a file of settings in which a key has another value. Everything else
// stays as it is, comments too. The value is written as a flag has it.
func Set(file []byte, shown, key, value string) ([]byte, error) {
	read, err := Load(Sources{Flags: []Flag{{Name: setFlag, Key: key, Value: value}}})
	if err != nil {
		return nil, err
	}
	path, _ := tomlfile.SplitKey(key)
	row, is := find(path)
	if is != foundSetting || gateAt(path) >= 0 {
		return nil, unsettable(key, "only a single setting can be set so", "write it into "+shown+" yourself")
	}
	if row.Secret {
		return nil, unsettable(key, "it is a secret, and "+shown+" is for everybody to read", "set it in the environment, or in your own settings")
	}
	explained, err := read.Explain(key)
	if err != nil {
		return nil, err
	}
	doc, problem := parseDocument(file, shown)
	if problem != nil {
		return nil, &Errors{[]Problem{*problem}}
	}
	written := string(explained.Value)
	if explained.Blank {
		written = blank{}.TOML()
	}
	changed := tomlfile.Change(string(file), doc.at(path).line, path, written)
	if !tomlfile.OnlyChanged(doc.Values, []byte(changed), path, written) {
		return nil, unsettable(key, "where it stands in "+shown+" it cannot be changed without touching something else", "change it there yourself")
	}
	return []byte(changed), nil
}

func unsettable(key, what, hint string) error {
	return &Errors{[]Problem{{Key: key, What: setting.Quote(key) + " was not set: " + what, Hint: hint}}}
}
