package migrate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// readJSON reads a file into a struct. What the struct does not have is passed over.
func readJSON(file string, text []byte, to any) error {
	err := json.Unmarshal(text, to)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return &Error{file, lineAt(text, syntax.Offset), "this is no JSON: " + syntax.Error()}
	case errors.As(err, &kind):
		return &Error{file, lineAt(text, kind.Offset), fmt.Sprintf("%s cannot be a %s", kind.Field, kind.Value)}
	}
	return &Error{file, 0, strings.TrimPrefix(err.Error(), "json: ")}
}

func lineAt(text []byte, offset int64) int {
	return 1 + bytes.Count(text[:min(max(offset, 0), int64(len(text)))], []byte("\n"))
}
