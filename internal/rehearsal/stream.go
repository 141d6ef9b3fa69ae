package rehearsal

import (
	"bytes"

	"github.com/refrain-loop/refrain/internal/proc"
)

// stream hands on what the agent prints, as the runner would read it from a pipe.
type stream struct {
	part *part
	sink proc.Sink
	held []byte // the beginning of a line whose end has not come
}

// Write fails when what was printed has moved the runner to end the agent.
func (s *stream) Write(b []byte) (int, error) {
	if err := s.part.alive(); err != nil {
		return 0, err
	}
	s.part.heard = s.part.now()
	if s.sink.Raw != nil {
		_, _ = s.sink.Raw.Write(b) // as for a process: a full disk is not its concern
	}
	s.cut(b)
	s.pause()
	if s.part.over() {
		return len(b), s.part.kill(s.part.cause())
	}
	return len(b), nil
}

// cut hands on whole lines, and of one that is too long whole pieces.
func (s *stream) cut(b []byte) {
	s.held = append(s.held, b...)
	rest := s.held
	for {
		line, after, whole := bytes.Cut(rest, []byte{'\n'})
		if !whole && len(rest) <= proc.MaxLine {
			break
		}
		for len(line) > proc.MaxLine {
			s.hand(line[:proc.MaxLine], true)
			line = line[proc.MaxLine:]
		}
		if !whole {
			rest = line
			break
		}
		s.hand(line, false)
		rest = after
	}
	s.held = append(s.held[:0], rest...)
}

// end hands on a last line that has no newline.
func (s *stream) end() {
	if len(s.held) > 0 {
		s.hand(s.held, false)
	}
	s.pause()
}

func (s *stream) hand(line []byte, more bool) {
	if s.sink.Line != nil {
		s.sink.Line(line, more)
	}
}

func (s *stream) pause() {
	if s.sink.Pause != nil {
		s.sink.Pause()
	}
}
