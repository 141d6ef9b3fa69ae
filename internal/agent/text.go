package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/loop"
)

// textDecoder reads plain text: each line is something the agent said, and
// the exit status is its last word.
type textDecoder struct{}

func newTextDecoder(Options) Decoder { return textDecoder{} }

func (textDecoder) Decode(line []byte) []loop.Payload {
	return []loop.Payload{&loop.AgentText{Text: clean(string(line))}}
}

func (textDecoder) Close(exit loop.Exit) []loop.Payload {
	if exit.Zero() {
		return []loop.Payload{&loop.AgentResult{OK: true}}
	}
	return []loop.Payload{failure(describe(exit))}
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

// clean makes text fit to be stored and shown: valid UTF-8, no NUL.
func clean(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 { // nearly always, and much faster
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}
