package fakemodel

import (
	"context"
	"net/http"
	"strings"
)

// dialect is one wire format.
type dialect interface {
	// ends tells how the path of its requests ends.
	ends() []string
	// called says of each reply in a conversation whether it called a tool.
	called(body object) []bool

	// stream sends a reply event by event; whole is the same in one piece.
	stream(context.Context, *reply)
	whole(*reply) object

	// faultOf is the column of a preset that is this format's.
	faultOf(preset) fault
	// failure is the body of an error, with what belongs in its header.
	failure(http.Header, Error) object
	// breakOff sends an error as an event of an open stream.
	breakOff(*reply, Error)
}

// dialects is every format that the server speaks.
var dialects = []dialect{anthropic{}, responses{}, chat{}, gemini{}}

// dialectAt is the format of the requests to a path, or nil.
func dialectAt(path string) dialect {
	for _, d := range dialects {
		for _, end := range d.ends() {
			if strings.HasSuffix(path, end) {
				return d
			}
		}
	}
	return nil
}
