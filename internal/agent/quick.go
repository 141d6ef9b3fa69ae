package agent

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/loop"
)

// quick reads one of our own events as programs that mean well write it: its type
// first, no spaces between, fields of the names that we gave them, each once. It gives
// nil for any other line, which may be one all the same.
func quick(line []byte) loop.Payload {
	r := reader{rest: line}
	if !r.skip(`{"type":"`) {
		return nil
	}
	kind, ok := r.word()
	if !ok {
		return nil
	}
	p, field := fieldsOf(string(kind))
	if p == nil {
		return nil
	}
	seen := 0
	for !r.skip("}") {
		if !r.skip(`,"`) {
			return nil
		}
		key, ok := r.word()
		if !ok || !r.skip(":") {
			return nil
		}
		to, bit := field(string(key))
		if to == nil || seen&(1<<bit) != 0 || !r.value(to) {
			return nil
		}
		seen |= 1 << bit
	}
	if len(r.rest) > 0 {
		return nil
	}
	return p
}

// fieldsOf gives a new event of a type that there is much of, and where a value of it
// goes, with a number of its own.
func fieldsOf(kind string) (loop.Payload, func(key string) (to any, n int)) {
	switch kind {
	case "agent.text":
		p := new(loop.AgentText)
		return p, func(key string) (any, int) {
			switch key {
			case "text":
				return &p.Text, 0
			case "cut":
				return &p.Cut, 1
			case "plain":
				return &p.Plain, 2
			}
			return nil, 0
		}
	case "agent.tool":
		p := new(loop.AgentTool)
		return p, func(key string) (any, int) {
			switch key {
			case "id":
				return &p.ID, 0
			case "name":
				return &p.Name, 1
			case "input":
				return &p.Input, 2
			case "shell":
				return &p.Shell, 3
			}
			return nil, 0
		}
	case "agent.tool_result":
		p := new(loop.AgentToolResult)
		return p, func(key string) (any, int) {
			switch key {
			case "id":
				return &p.ID, 0
			case "name":
				return &p.Name, 1
			case "output":
				return &p.Output, 2
			case "failed":
				return &p.Failed, 3
			case "denied":
				return &p.Denied, 4
			case "exit":
				return &p.Exit, 5
			}
			return nil, 0
		}
	}
	return nil, nil
}

// reader takes a line apart. What it says no to is left as it was, or the line is
// given up.
type reader struct{ rest []byte }

func (r *reader) skip(text string) bool {
	if len(r.rest) < len(text) || string(r.rest[:len(text)]) != text {
		return false
	}
	r.rest = r.rest[len(text):]
	return true
}

// word is a string whose quote is open and in which nothing is escaped.
func (r *reader) word() ([]byte, bool) {
	end := bytes.IndexByte(r.rest, '"')
	if end < 0 || bytes.IndexByte(r.rest[:end], '\\') >= 0 {
		return nil, false
	}
	word := r.rest[:end]
	r.rest = r.rest[end+1:]
	return word, true
}

func (r *reader) value(to any) bool {
	switch to := to.(type) {
	case *string:
		return r.skip(`"`) && r.text(to)
	case *bool:
		*to = r.skip("true")
		return *to || r.skip("false")
	case **int:
		n := 0
		for n < len(r.rest) && n < 18 && '0' <= r.rest[n] && r.rest[n] <= '9' {
			n++
		}
		if n == 0 || n > 1 && r.rest[0] == '0' {
			return false
		}
		number, err := strconv.Atoi(string(r.rest[:n]))
		*to, r.rest = &number, r.rest[n:]
		return err == nil
	}
	return false
}

// text is a string whose quote is open.
func (r *reader) text(to *string) bool {
	end, escaped := 0, false
	for {
		n := bytes.IndexByte(r.rest[end:], '"')
		if n < 0 {
			return false
		}
		back := bytes.IndexByte(r.rest[end:end+n], '\\')
		if back < 0 {
			end += n
			break
		}
		escaped = true
		if end += back + 2; end > len(r.rest) {
			return false
		}
	}
	raw := r.rest[:end]
	if escaped {
		r.rest = r.rest[end+1:]
		return utf8.Valid(raw) && json.Unmarshal(append(append([]byte{'"'}, raw...), '"'), to) == nil
	}
	for _, c := range raw {
		if c < ' ' {
			return false
		}
	}
	if !utf8.Valid(raw) {
		return false
	}
	*to, r.rest = string(raw), r.rest[end+1:]
	return true
}
