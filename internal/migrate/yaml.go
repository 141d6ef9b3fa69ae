package migrate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

// maxYAML and maxDeep bound what the library is given: it takes long for things
// that lie deep in others.
const (
	maxYAML = 128 << 10
	maxDeep = 64
)

// readYAML reads a file into a struct. What the struct does not have is passed over.
func readYAML(file string, text []byte, to any) (err error) {
	if len(text) > maxYAML {
		return &Error{file, 0, fmt.Sprintf("it is larger than %d KB", maxYAML>>10)}
	}
	for i, line := range strings.Split(string(text), "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " -\t"))
		if indent > maxDeep || strings.Count(line, "[")+strings.Count(line, "{") > maxDeep || strings.Count(line, ": ") > maxDeep {
			return &Error{file, i + 1, "this lies too deep in other things"}
		}
	}
	defer func() { // a text that the library did not expect is a mistake in the file, and no reason to crash
		if p := recover(); p != nil {
			err = &Error{file, 0, "this cannot be read as YAML"}
		}
	}()
	err = yaml.Unmarshal(text, to)
	var ours *Error
	var theirs yaml.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &ours):
		ours.File = file
		return ours
	case errors.As(err, &theirs):
		line := 0
		if at := theirs.GetToken(); at != nil && at.Position != nil {
			line = at.Position.Line
		}
		return &Error{file, line, "this cannot be read as YAML: " + firstLine(theirs.GetMessage())}
	}
	return &Error{file, 0, "this cannot be read as YAML: " + firstLine(err.Error())}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
