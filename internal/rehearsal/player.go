package rehearsal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// player plays one attempt.
type player struct {
	world
	stage              *part  // nil: it is a process of its own
	dir                string // where it works
	out, err           io.Writer
	prompt             string
	iteration, attempt int
	session            string // that it goes on with, or has told

	tools int    // calls so far, for their ids
	said  string // the last text, which becomes the result's
}

// act is what a step does. An error ends the attempt.
type act func(*player) error

// ending is an end that the script asked for.
type ending struct {
	code  int
	cause *loop.AgentError // nil: it ends well
}

func (e *ending) Error() string { return fmt.Sprintf("the script ends with exit %d", e.code) }

func (p *player) play(s Script) error {
	steps, err := s.at(p.iteration)
	if err != nil {
		return err
	}
	for _, step := range steps {
		if step.attempt != 0 && step.attempt != p.attempt {
			continue
		}
		if err := step.do(p); err != nil {
			return err
		}
	}
	return nil
}

// finish prints the result and gives the exit status.
func (p *player) finish(err error) int {
	end := new(ending)
	if err != nil && !errors.As(err, &end) {
		end = &ending{1, &loop.AgentError{Kind: loop.ErrAgent, Message: err.Error()}}
	}
	result := &loop.AgentResult{OK: end.cause == nil, Error: end.cause, Text: p.said}
	if err := p.emit(result); err != nil {
		fmt.Fprintln(p.err, "rehearsal:", err)
		return 1
	}
	return end.code
}

// fill puts the counts and the session into a text of the script.
func (p *player) fill(text string) string {
	return strings.NewReplacer(
		"{iteration}", strconv.Itoa(p.iteration),
		"{attempt}", strconv.Itoa(p.attempt),
		"{session}", p.session,
	).Replace(text)
}

// say prints text as the agent's own.
func (p *player) say(text string) error {
	p.said = text
	return p.emit(&loop.AgentText{Text: text})
}

// call shows the begin of a tool's work. Its result carries the same id.
func (p *player) call(name, input string) (id string, err error) {
	p.tools++
	id = fmt.Sprintf("tool-%d", p.tools)
	return id, p.emit(&loop.AgentTool{ID: id, Name: name, Input: input, Shell: name == "Bash"})
}

func (p *player) emit(event loop.Payload) error {
	line, err := encode(event)
	if err != nil {
		return err
	}
	return p.print(line)
}

func (p *player) print(b []byte) error {
	if _, err := p.out.Write(b); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// encode writes an event as one line: its type, then the payload's own fields.
func encode(event loop.Payload) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // a claim should look like one in the transcript
	if err := enc.Encode(event); err != nil {
		return nil, fmt.Errorf("encode %s: %w", event.Type(), err)
	}
	fields := bytes.TrimPrefix(b.Bytes(), []byte("{"))
	return append(fmt.Appendf(nil, `{"type":%q,`, event.Type()), fields...), nil
}
