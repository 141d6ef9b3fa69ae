package agent

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/valyala/fastjson"

	"github.com/refrain-loop/refrain/internal/text"
)

// value is one JSON value of a line, good until the next line is read. A value
// that is not there answers every question with nothing, so that an event of a
// later version is read as far as it is understood.
type value struct{ v *fastjson.Value }

// parser reads JSON lines. It keeps its memory from line to line.
type parser struct{ fast fastjson.Parser }

// Each value of a line costs some 80 bytes of memory, even a lone digit, so
// that a line of nothing but commas would need twenty times its length.
const maxValues = 300_000

// maxDepth is less than what the fast parser follows.
const maxDepth = 250

// parse reads one line; ok is false when it holds no JSON object or array.
func (p *parser) parse(line []byte) (v value, ok bool) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' && line[0] != '[' {
		return value{}, false
	}
	if len(line) > maxValues && bytes.Count(line, []byte{','}) > maxValues {
		return value{}, false
	}
	fast, err := p.fast.ParseBytes(line)
	if err != nil {
		fast, err = p.again(line)
	}
	return value{fast}, err == nil
}

// again reads a line that the fast parser refused, which is torn or nested too
// deep. What lies deep is nothing that anyone asks for.
func (p *parser) again(line []byte) (*fastjson.Value, error) {
	var whole any
	if err := json.Unmarshal(line, &whole); err != nil {
		return nil, err
	}
	flat, err := json.Marshal(prune(whole, maxDepth))
	if err != nil {
		return nil, err
	}
	return p.fast.ParseBytes(flat)
}

// prune cuts off what is nested deeper than depth.
func prune(v any, depth int) any {
	switch v := v.(type) {
	case map[string]any:
		if depth == 0 {
			return nil
		}
		for key, inner := range v {
			v[key] = prune(inner, depth-1)
		}
	case []any:
		if depth == 0 {
			return nil
		}
		for i, inner := range v {
			v[i] = prune(inner, depth-1)
		}
	}
	return v
}

// peek is the type of the event on the line when it is the first thing there,
// as it is in every dialect, else nil. It lets a decoder pass over lines that
// carry nothing without reading them.
func peek(line []byte) []byte {
	rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
	if !ok {
		return nil
	}
	end := bytes.IndexByte(rest, '"')
	if end < 0 {
		return nil
	}
	return rest[:end]
}

func (v value) get(keys ...string) value { return value{v.v.Get(keys...)} }

// has tells whether there is a value, and not null.
func (v value) has(keys ...string) bool {
	found := v.v.Get(keys...)
	return found != nil && found.Type() != fastjson.TypeNull
}

// str is a text, fit to be stored and shown; any other value is empty.
func (v value) str(keys ...string) string {
	return text.Valid(string(v.v.GetStringBytes(keys...)))
}

// is tells whether the text is word. Unlike str it makes no copy.
func (v value) is(word string, keys ...string) bool {
	return word != "" && string(v.v.GetStringBytes(keys...)) == word
}

// int is a whole number; some agents write theirs as 1130.71.
func (v value) int(keys ...string) int { return int(v.float(keys...)) }

// float is a number of a sane size: the fast parser also takes NaN and 1e999,
// which no journal can hold.
func (v value) float(keys ...string) float64 {
	n := v.v.GetFloat64(keys...)
	if !(math.Abs(n) < 1<<53) {
		return 0
	}
	return n
}

func (v value) bool(keys ...string) bool { return v.v.GetBool(keys...) }

// list is the elements of an array; any other value has none.
func (v value) list(keys ...string) []value {
	var list []value
	for _, element := range v.v.GetArray(keys...) {
		list = append(list, value{element})
	}
	return list
}

// each visits the fields of an object.
func (v value) each(visit func(key string, v value), keys ...string) {
	if object := v.v.GetObject(keys...); object != nil {
		object.Visit(func(key []byte, inner *fastjson.Value) { visit(string(key), value{inner}) })
	}
}

// raw is the JSON text of the value, or nothing.
func (v value) raw(keys ...string) string {
	found := v.v.Get(keys...)
	if found == nil {
		return ""
	}
	return text.Valid(string(found.MarshalTo(nil)))
}

// shown is a value as a line worth showing: a text as it is, anything else as
// JSON, on one line and not too long.
func (v value) shown(keys ...string) string {
	text := v.str(keys...)
	if text == "" && v.has(keys...) {
		text = v.raw(keys...)
	}
	return oneLine(text)
}

// maxShown bounds what is shown of a tool call.
const maxShown = 400

// oneLine folds white space and cuts at maxShown.
func oneLine(s string) string { return text.Shorten(text.Fold(text.Cut(s, 4*maxShown)), maxShown) }
