package migrate

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// readJSON reads a file into a struct, and gives the keys that it does not have.
func readJSON(file string, text []byte, to any) (unknown []string, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	d := document{file: file, line: func(path []string) int { return jsonLine(text, path) }}
	err = json.Unmarshal(text, new(json.RawMessage)) // all of it: a decoder reads the first value alone
	if err == nil {
		err = decoder.Decode(&d.values)
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return nil, &Error{file, lineAt(text, syntax.Offset), "this is no JSON: " + syntax.Error()}
	case errors.As(err, &kind):
		return nil, &Error{file, 0, "it must be a table, as { … } is"}
	case err != nil:
		return nil, &Error{file, 0, strings.TrimPrefix(err.Error(), "json: ")}
	}
	return d.fit(to)
}

func lineAt(text []byte, offset int64) int {
	return 1 + bytes.Count(text[:min(max(offset, 0), int64(len(text)))], []byte("\n"))
}

// jsonLine is the line on which a key of a JSON file stands; 0: it is not there.
func jsonLine(text []byte, path []string) int {
	decoder := json.NewDecoder(bytes.NewReader(text))
	for _, part := range path {
		if !enter(decoder, part) {
			return 0
		}
	}
	at := decoder.InputOffset()
	rest := text[at:]
	return lineAt(text, at+int64(len(rest)-len(bytes.TrimLeft(rest, ", \t\r\n")))) // before an item there may be a comma
}

// enter goes on to the value of a key, or to an item by its number.
func enter(decoder *json.Decoder, part string) bool {
	open, err := decoder.Token()
	if err != nil || open != json.Delim('{') && open != json.Delim('[') {
		return false
	}
	for i := 0; decoder.More(); i++ {
		name := strconv.Itoa(i)
		if open == json.Delim('{') {
			key, _ := decoder.Token()
			name, _ = key.(string)
		}
		if name == part {
			return true
		}
		if decoder.Decode(new(json.RawMessage)) != nil {
			return false
		}
	}
	return false
}
