package agent

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// textDecoder reads plain text: each line is something the agent said, and
// the exit status is its last word.
type textDecoder struct{}

func newTextDecoder(Options) Decoder { return textDecoder{} }

func (textDecoder) Decode(line []byte) []loop.Payload {
	return []loop.Payload{&loop.AgentText{Text: text.Valid(string(line)), Plain: true}}
}

func (textDecoder) Speak(said, line []byte) ([]byte, bool) {
	if utf8.Valid(line) && bytes.IndexByte(line, 0) < 0 { // nearly always, and nothing to copy
		return append(said, line...), true
	}
	return append(said, text.Valid(string(line))...), true
}

func (textDecoder) Close(exit loop.Exit) []loop.Payload {
	if exit.Zero() {
		return []loop.Payload{&loop.AgentResult{OK: true}}
	}
	return []loop.Payload{exitFailure(exit)}
}

// exitFailure is the result of an agent that failed and did not say how.
func exitFailure(exit loop.Exit) *loop.AgentResult {
	r := failure(describe(exit))
	r.Error.ByExit = true
	return r
}

// failure is the result of an agent that failed in no special way.
func failure(message string) *loop.AgentResult {
	return &loop.AgentResult{Error: &loop.AgentError{Kind: loop.ErrAgent, Message: message}}
}

// describe says how a process ended. The cause is named when it was the
// runner's doing, because an agent that is told to stop may well exit 0.
func describe(exit loop.Exit) string {
	how := "ended without a status"
	switch {
	case exit.Signal != "":
		how = "ended by signal " + exit.Signal
	case exit.Code != nil:
		how = fmt.Sprintf("exit %d", *exit.Code)
	}
	if exit.Cause == loop.Exited || exit.Cause == loop.Signaled {
		return how
	}
	return fmt.Sprintf("%s (%s)", how, exit.Cause)
}
