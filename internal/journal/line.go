package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/seal"
)

// Line is one event as it stands in its file: what every event has, and the rest as
// text. A long run has a million of them, and most readers want only a few.
type Line struct {
	Seq     int64
	Iter    int
	Attempt int
	Type    loop.Type
	Raw     []byte

	time []byte
	run  []byte
	rest []byte // what comes after its type; nil when nobody has found that
}

// ParseLine reads what every event has.
func ParseLine(raw []byte) (Line, bool) {
	if l, ok := scanLine(raw); ok {
		return l, true
	}
	var h head
	if json.Unmarshal(raw, &h) != nil || h.Type == "" {
		return Line{}, false
	}
	return Line{Seq: h.Seq, time: []byte(h.Time), Iter: h.Iter, Attempt: h.Attempt, Type: h.Type, Raw: raw}, true
}

// Time is when it happened.
func (l Line) Time() (time.Time, error) {
	at, err := time.Parse(time.RFC3339, string(l.time))
	if err != nil {
		return time.Time{}, err
	}
	return wholeMillis(at)
}

// Event reads all of it.
func (l Line) Event() (loop.Event, error) { return Decode(l.Raw) }

// Brief reads all of it but, at the end of an iteration, the state: that is the larger
// part of it, and hardly anybody looks at it.
func (l Line) Brief() (loop.Event, error) {
	at, err := l.Time()
	if err != nil || l.rest == nil || bytes.Contains(l.rest, []byte(seal.EventStart)) {
		return l.Event()
	}
	p := loop.NewPayload(l.Type)
	if f, ok := p.(*loop.IterationFinished); ok {
		if !l.ending(f) {
			return l.Event()
		}
	} else if unmarshalRest(l.rest, p) != nil {
		return l.Event()
	}
	return loop.Event{Seq: l.Seq, Time: at, Run: string(l.run), Iter: l.Iter, Attempt: l.Attempt, Payload: p, Seal: seal.Of(l.Raw)}, nil
}

// ending reads the end of an attempt without the state that it carries. It is false
// where somebody has written it in another way than we do.
func (l Line) ending(into *loop.IterationFinished) bool {
	if seal.Of(l.Raw) == "" && !json.Valid(l.Raw) {
		return false // half a line; one with a seal was written to its end
	}
	// Quotes in texts are escaped, so these can only be the names of fields.
	before, _, found := bytes.Cut(l.rest, []byte(`,"state":{"totals":`))
	if !found || !bytes.HasPrefix(before, []byte(`,"outcome":{`)) || !bytes.Contains(before, []byte(`,"verdict":{`)) {
		return false
	}
	return unmarshalRest(append(before[:len(before):len(before)], '}'), into) == nil
}

// unmarshalRest reads the fields that come after a type.
func unmarshalRest(rest []byte, into any) error {
	if string(rest) == "}" {
		return nil
	}
	if !bytes.HasPrefix(rest, []byte(`,"`)) {
		return errors.New("it goes on in another way than we write")
	}
	object := append(make([]byte, 0, len(rest)), rest...)
	object[0] = '{' // where the comma was
	return json.Unmarshal(object, into)
}

// scanLine reads the beginning of a line as our journals write it. A decoder that is
// ready for everything takes ten times as long.
func scanLine(raw []byte) (Line, bool) {
	l, s := Line{Raw: raw}, scanner{rest: raw, ok: true}
	l.Seq = s.number(`{"seq":`)
	l.time = s.word(`,"time":"`)
	l.run = s.word(`,"run":"`)
	if s.has(`,"iter":`) {
		l.Iter = int(s.number(`,"iter":`))
	}
	if s.has(`,"attempt":`) {
		l.Attempt = int(s.number(`,"attempt":`))
	}
	l.Type = typeOf(s.word(`,"type":"`))
	l.rest = s.rest
	return l, s.ok && l.Type != "" && len(l.rest) > 0
}

// typeNames has each type once, for typeOf.
var typeNames = sync.OnceValue(func() map[string]loop.Type {
	list := map[string]loop.Type{}
	for _, t := range loop.Types() {
		list[string(t)] = t
	}
	return list
})

// typeOf is the type of a name as it stands in a line. It keeps nothing of that.
func typeOf(name []byte) loop.Type {
	if t, ok := typeNames()[string(name)]; ok {
		return t
	}
	return loop.Type(name)
}

// scanner takes one field after the other from the beginning of a line, as long as they
// are the ones that are expected.
type scanner struct {
	rest []byte
	ok   bool
}

func (s *scanner) has(name string) bool {
	return s.ok && len(s.rest) >= len(name) && string(s.rest[:len(name)]) == name
}

func (s *scanner) number(name string) (n int64) {
	if s.ok = s.has(name); !s.ok {
		return 0
	}
	digits := s.rest[len(name):]
	i := 0
	for ; i < len(digits) && '0' <= digits[i] && digits[i] <= '9'; i++ {
		n = 10*n + int64(digits[i]-'0')
	}
	s.ok = i > 0 && i < 18 && (digits[0] != '0' || i == 1) // more would not fit
	s.rest = digits[i:]
	return n
}

// word is a text in which nothing is escaped, and no letter but those of ASCII.
func (s *scanner) word(name string) []byte {
	if s.ok = s.has(name); !s.ok {
		return nil
	}
	text := s.rest[len(name):]
	for i, c := range text {
		switch {
		case c == '"':
			s.rest = text[i+1:]
			return text[:i]
		case c < ' ' || c == '\\' || c >= 0x7f:
			s.ok = false
			return nil
		}
	}
	s.ok = false
	return nil
}
