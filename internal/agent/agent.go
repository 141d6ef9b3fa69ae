// Package agent knows the coding CLIs: how to call each one, and how to read
// what it prints.
//
// It is pure. An Agent turns a prompt into a command; its Decoder turns lines
// of output into events. Neither starts a process, reads a file or looks at
// the environment, so a transcript that was recorded last year decodes as it
// did then. What the events amount to is for package detect to say. The quirks
// of an agent live in that agent's file and nowhere else.
package agent

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Agent is one coding CLI.
type Agent interface {
	// Command is how to start one attempt.
	Command(Call) (Command, error)
	// Decoder reads the output of one attempt. Each attempt needs its own.
	Decoder() Decoder
}

// Decoder reads what one attempt of an agent prints.
type Decoder interface {
	// Decode reads one whole line of stdout, without its newline. The text of
	// an AgentText is whole lines, the last one without its newline. The line
	// is not kept.
	Decode(line []byte) []loop.Payload
	// Close follows the last line. Decode and Close together give exactly one
	// *loop.AgentResult, however the agent ended.
	Close(loop.Exit) []loop.Payload
}

// Call is what one attempt asks of the agent.
type Call struct {
	HasPrompt  bool // false for a command that was given none
	Prompt     string
	PromptFile string // a file with the same text
	Model      string // empty: the agent's own choice
}

// Command is a process to start.
type Command struct {
	Argv  []string
	Env   []string // KEY=VALUE, added to the inherited environment
	Unset []string // names taken out of the inherited environment
	Stdin string
	First string // the first signal when it must end; empty: TERM
}

// Options describe an agent. Which of them apply depends on Name.
type Options struct {
	Name string // one of the back ends: Names

	Command   []string // the program and its arguments
	Prompt    string   // "stdin" (default), "arg", "env" or "file"
	Format    string   // of the output: "text" (default) or "rehearsal"
	ModelFlag string   // what stands before the model's name
	First     string   // "INT", "TERM" or "HUP"; empty: TERM
	Env       map[string]string

	Script string   // what a rehearsal plays
	Self   []string // re-executes this program as the rehearsal's player
}

// backends is every agent there is.
var backends = map[string]func(Options) (Agent, error){
	"command":   newCommand,
	"rehearsal": newRehearsal,
}

// formats is every kind of output that can be read.
var formats = map[string]func() Decoder{
	"text":      newTextDecoder,
	"rehearsal": newRehearsalDecoder,
}

// New makes the agent that o describes.
func New(o Options) (Agent, error) {
	make, ok := backends[o.Name]
	if !ok {
		return nil, &UnknownError{What: "agent", Name: o.Name, Known: Names()}
	}
	if known := []string{"INT", "TERM", "HUP"}; o.First != "" && !slices.Contains(known, o.First) {
		return nil, &UnknownError{What: "first signal", Name: o.First, Known: known}
	}
	return make(o)
}

// Names lists the back ends, sorted.
func Names() []string { return slices.Sorted(maps.Keys(backends)) }

// UnknownError says that an option names something that does not exist.
type UnknownError struct {
	What  string // "agent", "format", …
	Name  string
	Known []string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown %s %q: use one of %s", e.What, e.Name, strings.Join(e.Known, ", "))
}

// environ writes variables as a process takes them, always in the same order.
func environ(vars map[string]string) []string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(vars)) {
		list = append(list, key+"="+vars[key])
	}
	return list
}
