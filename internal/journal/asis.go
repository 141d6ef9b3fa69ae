package journal

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/seal"
)

// asLine is an event that stands for its line: to write it is to copy that.
type asLine struct {
	name loop.Type
	line []byte
}

func (t *asLine) Type() loop.Type { return t.name }

// told is the event of a line that is to be written as it is. The line is good until the
// next one, and this is good for longer.
func (l Line) told() loop.Event {
	return loop.Event{Seq: l.Seq, Iter: l.Iter, Attempt: l.Attempt, Payload: &asLine{l.Type, bytes.Clone(l.Raw)}}
}

// asIs tells which lines come out of reading and writing as they are, without doing
// either for each of them: that takes thirty times as long as to look at them.
//
// What becomes of a line follows from its shape: from its fields in their order, from
// what kind of value each has, and from which values are empty. So one line of each
// shape is read and written. All that could still change in another one of that shape
// is how its texts, numbers and times are put, and that is looked at in each line.
type asIs struct {
	known map[string]bool
	shape []byte
}

// mostShapes is more than a run has. What comes after them is read and written.
const mostShapes = 4096

// keeps tells whether a line whose beginning was scanned would be written as it is.
func (a *asIs) keeps(l Line) bool {
	at, err := l.Time()
	if err != nil || string(l.time) != at.Format(timeLayout) || bytes.Contains(l.head(), []byte(`":0,`)) {
		return false
	}
	s := shaper{in: l.rest, shape: append(append(a.shape[:0], l.Type...), ' ')}
	if seal.Of(l.Raw) != "" {
		s.shape = append(s.shape, "sealed "...)
	}
	fits := s.fields(0) && len(s.in) == 0 && utf8.Valid(l.rest)
	if a.shape = s.shape; !fits {
		return false
	}
	same, ok := a.known[string(a.shape)]
	if ok {
		return same
	}
	e, err := Decode(l.Raw)
	if err == nil {
		var again []byte
		again, err = Encode(e)
		same = err == nil && bytes.Equal(again, l.Raw)
	}
	if a.known == nil {
		a.known = map[string]bool{}
	}
	if len(a.known) < mostShapes {
		a.known[string(a.shape)] = same
	}
	return same
}

// head is a line up to the value of its type.
func (l Line) head() []byte { return l.Raw[:len(l.Raw)-len(l.rest)] }

// shaper takes the shape of values, one after the other, as long as they are put as we
// put them.
type shaper struct {
	in    []byte // what is left
	shape []byte
}

// deepest is deeper than any event is.
const deepest = 32

// fields are those of an object that has begun, with a comma before each of them.
func (s *shaper) fields(depth int) bool {
	for {
		switch {
		case len(s.in) == 0 || depth > deepest:
			return false
		case s.in[0] == '}':
			return s.take(1)
		case s.in[0] != ',':
			return false
		}
		s.take(1)
		if !s.field(depth) {
			return false
		}
	}
}

func (s *shaper) field(depth int) bool {
	name := s.in
	if _, ok := s.text(); !ok || len(s.in) == 0 || s.in[0] != ':' {
		return false
	}
	s.shape = append(s.shape, name[:len(name)-len(s.in)]...)
	return s.take(1) && s.value(depth+1)
}

// take goes on behind some letters of which the shape has no more.
func (s *shaper) take(n int) bool {
	s.shape = append(s.shape, s.in[:n]...)
	s.in = s.in[n:]
	return true
}

func (s *shaper) value(depth int) bool {
	if len(s.in) == 0 || depth > deepest {
		return false
	}
	switch c := s.in[0]; c {
	case '{':
		s.take(1)
		if len(s.in) > 0 && s.in[0] == '}' {
			return s.take(1)
		}
		return s.field(depth) && s.fields(depth)
	case '[':
		return s.list(depth)
	case '"':
		return s.word()
	case 't', 'f', 'n':
		for _, word := range []string{"true", "false", "null"} {
			if bytes.HasPrefix(s.in, []byte(word)) {
				return s.take(len(word))
			}
		}
		return false
	}
	return s.number()
}

// list is the shape of an array: of several values of one shape in a row, one.
func (s *shaper) list(depth int) bool {
	s.take(1)
	if len(s.in) > 0 && s.in[0] == ']' {
		return s.take(1)
	}
	before := len(s.shape)
	for last := -1; ; {
		at := len(s.shape)
		if !s.value(depth+1) || len(s.in) == 0 {
			return false
		}
		if last >= 0 && bytes.Equal(s.shape[last:at], s.shape[at:]) {
			s.shape = s.shape[:at]
		} else {
			last = at
		}
		switch s.in[0] {
		case ',':
			s.in = s.in[1:]
		case ']':
			return len(s.shape) > before && s.take(1)
		default:
			return false
		}
	}
}

// word is the shape of a text: whether it is empty, and whether it is a time, which
// may be put in several ways.
func (s *shaper) word() bool {
	text, ok := s.text()
	if !ok {
		return false
	}
	switch {
	case len(text) == 0:
		s.shape = append(s.shape, `""`...)
	case len(text) >= len("2026-11-15T12:00:00Z") && text[4] == '-' && text[10] == 'T':
		at, err := time.Parse(time.RFC3339Nano, string(text))
		if err != nil || at.Format(time.RFC3339Nano) != string(text) {
			return false
		}
		kind := byte('T')
		if at.IsZero() {
			kind = 'Z'
		}
		s.shape = append(s.shape, kind)
	default:
		s.shape = append(s.shape, 'S')
	}
	return true
}

// text takes a text off, which is given as it stands between its quotes. It is false
// where we would put a letter in another way, or might.
func (s *shaper) text() (text []byte, ok bool) {
	if len(s.in) == 0 || s.in[0] != '"' {
		return nil, false
	}
	in := s.in[1:]
	for i := 0; i < len(in); i++ {
		switch c := in[i]; {
		case c == '"':
			s.in = in[i+1:]
			return in[:i], true
		case c == '\\':
			if i++; i >= len(in) || bytes.IndexByte([]byte(`"\bfnrt`), in[i]) < 0 {
				return nil, false
			}
		case c < ' ', c == 0xe2 && i+2 < len(in) && in[i+1] == 0x80 && in[i+2]&^1 == 0xa8: // U+2028 and U+2029
			return nil, false
		}
	}
	return nil, false
}

// number is the shape of a number: 0, another whole one, or one with a fraction.
func (s *shaper) number() bool {
	n, whole := 0, true
	for n < len(s.in) && s.in[n] != ',' && s.in[n] != '}' && s.in[n] != ']' {
		whole = whole && ('0' <= s.in[n] && s.in[n] <= '9' || n == 0 && s.in[n] == '-')
		n++
	}
	word := s.in[:n]
	s.in = s.in[n:]
	const most = 12 // digits, so that as many milliseconds fit, too
	switch digits := bytes.TrimPrefix(word, []byte("-")); {
	case string(word) == "0":
		s.shape = append(s.shape, '0')
	case whole:
		s.shape = append(s.shape, '1')
		return len(digits) > 0 && len(digits) <= most && digits[0] != '0'
	default:
		f, err := strconv.ParseFloat(string(word), 64)
		if err != nil {
			return false
		}
		again, err := json.Marshal(f)
		s.shape = append(s.shape, '2')
		return err == nil && bytes.Equal(again, word)
	}
	return true
}
