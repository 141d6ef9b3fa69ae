package ledger

import (
	"bytes"
	"encoding/json"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Line is one event as it stands in its file.
type Line struct {
	Seq     int64
	Time    string
	Iter    int
	Attempt int
	Type    loop.Type
	Raw     []byte

	rest []byte // what comes after its type; nil when nobody has found that
}

// Event reads the rest of it.
func (l Line) Event() (loop.Event, error) { return journal.Decode(l.Raw) }

// parse reads what every event has.
func parse(raw []byte) (Line, bool) {
	if l, ok := scan(raw); ok {
		return l, true
	}
	var h struct {
		Seq     int64     `json:"seq"`
		Time    string    `json:"time"`
		Iter    int       `json:"iter"`
		Attempt int       `json:"attempt"`
		Type    loop.Type `json:"type"`
	}
	if json.Unmarshal(raw, &h) != nil || h.Type == "" {
		return Line{}, false
	}
	return Line{Seq: h.Seq, Time: h.Time, Iter: h.Iter, Attempt: h.Attempt, Type: h.Type, Raw: raw}, true
}

// scan reads the beginning of a line as our journals write it. A long run has a million
// of them, and a decoder that is ready for everything takes ten times as long.
func scan(raw []byte) (Line, bool) {
	l, s := Line{Raw: raw}, scanner{rest: raw, ok: true}
	l.Seq = s.number(`{"seq":`)
	l.Time = string(s.word(`,"time":"`))
	s.word(`,"run":"`)
	if s.has(`,"iter":`) {
		l.Iter = int(s.number(`,"iter":`))
	}
	if s.has(`,"attempt":`) {
		l.Attempt = int(s.number(`,"attempt":`))
	}
	l.Type = loop.Type(s.word(`,"type":"`))
	l.rest = s.rest
	return l, s.ok && l.Type != "" && len(l.rest) > 0
}

// scanner takes one field after the other from the beginning of a line, as long as they
// are the ones that are expected.
type scanner struct {
	rest []byte
	ok   bool
}

func (s *scanner) has(name string) bool { return s.ok && bytes.HasPrefix(s.rest, []byte(name)) }

func (s *scanner) number(name string) (n int64) {
	if s.ok = s.has(name); !s.ok {
		return 0
	}
	i := len(name)
	for ; i < len(s.rest) && '0' <= s.rest[i] && s.rest[i] <= '9'; i++ {
		n = 10*n + int64(s.rest[i]-'0')
	}
	s.ok = i > len(name) && i < len(name)+18 // more would not fit
	s.rest = s.rest[i:]
	return n
}

// word is a text in which nothing is escaped.
func (s *scanner) word(name string) []byte {
	if s.ok = s.has(name); !s.ok {
		return nil
	}
	word, rest, found := bytes.Cut(s.rest[len(name):], []byte{'"'})
	s.ok, s.rest = found && bytes.IndexByte(word, '\\') < 0, rest
	return word
}
