package telemetry

import (
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// newSpan does not begin before the run, also when the clock was put back.
func (s *spans) newSpan(id, parent spanID, name string, start time.Time) *span {
	return &span{
		Trace: traceOf(s.run), ID: id, Parent: parent, Name: name, Kind: kindInternal,
		Start: max(nanosOf(start), nanosOf(s.started)),
	}
}

// child makes a part of the attempt or of the run. It does not begin before
// that, nor before this runner.
func (s *spans) child(e loop.Event, name string, start time.Time, about []attribute) *span {
	parent := rootOf(s.run)
	if s.attempt != nil {
		parent = s.attempt.ID
	}
	one := s.newSpan(spanOf(s.run, "event", e.Seq, e.Time.UnixNano()), parent, name, start)
	one.Start = max(one.Start, s.here().Start)
	one.add(about)
	return one
}

// begin opens a tool or a gate. One that is open under the same key never told
// its end.
func (s *spans) begin(e loop.Event, key, name string, about []attribute) {
	if old := s.open[key]; old != nil {
		s.emit(old, e.Time)
		delete(s.open, key)
	}
	if len(s.open) >= mostOpen {
		return
	}
	s.open[key] = s.child(e, name, e.Time, about)
}

// take gives an open tool or gate, which is then no longer open.
func (s *spans) take(key string) *span {
	one := s.open[key]
	delete(s.open, key)
	return one
}

func (s *spans) end(one **span, at time.Time) {
	if *one != nil {
		s.emit(*one, at)
		*one = nil
	}
}

// emit sends a span that is over. It ends after all that is in it, also when
// the clock was put back.
func (s *spans) emit(one *span, at time.Time) {
	one.End = max(nanosOf(at), one.Start)
	for _, m := range one.Events {
		one.End = max(one.End, m.Time)
	}
	s.send(*one)
}

func (s *span) add(lists ...[]attribute) {
	s.Attributes = append(s.Attributes, slices.Concat(lists...)...)
}

func (s *span) fail(why string) {
	s.Status = status{Code: statusError, Message: text.Cut(why, mostText)}
}

func named(what, procedure string) string {
	if procedure == "" {
		return what
	}
	return what + " " + procedure
}
