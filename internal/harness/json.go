package harness

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/refrain-loop/refrain/internal/text"
)

// deepest is how far objects may be nested in each other.
const deepest = 100

var errNoObject = errors.New("no object of JSON")

// readJSON reads an object, with the comments and commas that some who read it
// allow. Nothing is an empty object.
func readJSON(content []byte) (*table, error) {
	if content == nil {
		return nil, nil
	}
	content = bytes.TrimPrefix(content, []byte("\uFEFF"))
	if !json.Valid(content) {
		content = text.PlainJSON(content)
	}
	if !json.Valid(content) {
		return nil, errNoObject
	}
	value, err := readValue(content, 0)
	if err != nil {
		return nil, err
	}
	t, ok := value.(*table)
	if !ok {
		return nil, errNoObject
	}
	return t, nil
}

func readValue(text []byte, depth int) (any, error) {
	text = bytes.TrimSpace(text)
	if depth > deepest {
		return nil, errNoObject
	}
	if len(text) == 0 || text[0] != '{' {
		var b bytes.Buffer
		if err := json.Compact(&b, text); err != nil {
			return nil, err
		}
		// As it is written again, so that "&&" is the same script both ways.
		var escaped bytes.Buffer
		json.HTMLEscape(&escaped, b.Bytes())
		return leaf(escaped.String()), nil
	}
	t := &table{}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, err
		}
		value, err := readValue(raw, depth+1)
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		t.set(name, value)
	}
	return t, nil
}

// MarshalJSON writes a table in its order.
func (t *table) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, key := range t.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(t.values[key])
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// MarshalJSON writes a leaf as it was read.
func (l leaf) MarshalJSON() ([]byte, error) { return []byte(l), nil }

func writeJSON(t *table) ([]byte, error) {
	text, err := json.MarshalIndent(t, "", "  ")
	return append(text, '\n'), err
}
