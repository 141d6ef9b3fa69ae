// Package agent knows the coding CLIs: how to call each one, and how to read
// what it prints.
//
// It is pure. An Agent turns a prompt into a command; its Decoder turns lines
// of output into events. Neither starts a process, reads a file, a clock or
// the environment, so a transcript that was recorded last year decodes as it
// did then. What the events amount to is for package detect to say. The quirks
// of an agent live in that agent's file and nowhere else.
package agent

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/price"
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

// Finished tells whether the agent has said its last word so far, and that all
// went well. Of an agent whose last word is its exit status nobody can tell.
func Finished(d Decoder) bool {
	f, ok := d.(interface{ Finished() bool })
	return ok && f.Finished()
}

// Speak adds to a text what the agent says with a line of stdout, where its decoder
// takes every line for that and for nothing else: then Decode would give one plain
// AgentText. It tells whether the decoder does.
func Speak(d Decoder, said, line []byte) ([]byte, bool) {
	if s, ok := d.(interface {
		Speak(said, line []byte) ([]byte, bool)
	}); ok {
		return s.Speak(said, line)
	}
	return said, false
}

// Call is what one attempt asks of the agent.
type Call struct {
	HasPrompt  bool // false for a command that was given none
	Prompt     string
	PromptFile string // a file with the same text
	// Room is a folder that the agent can see, for a file that it is to read: see
	// Command.File. Empty: there is none, or nobody would hear what comes of it.
	Room    string
	Model   string // empty: the agent's own choice
	Session string // the agent's own conversation to continue; empty: a fresh one
	// LeftUSD is what may still be spent, for agents that can mind it
	// themselves; 0 is unknown.
	LeftUSD   float64
	Iteration int         // from 1 on; 0: it is only to be shown, or asked something
	Attempt   int         // at this iteration, from 1 on
	Limits    loop.Limits // what will end the run at the latest
	// Confined says that it runs in a sandbox of the runner's. One of its own inside
	// would fail, or have every command fail.
	Confined bool
}

// Command is a process to start.
type Command struct {
	Argv  []string
	Env   []string // KEY=VALUE, added to the inherited environment
	Unset []string // names taken out of the inherited environment
	// Wish is KEY=VALUE for variables that nobody has set.
	Wish  []string
	Stdin string
	First string // the first signal when it must end; empty: TERM
	// StdoutFile says that stdout must be a regular file: the program loses
	// output on a pipe.
	StdoutFile bool
	// File is one that must be there while it works, in the room of the call.
	File File
	// Session is the name that a fresh conversation is told to take. Empty: it takes
	// one of its own.
	Session string
}

// File is a file that is written for an agent. Without a path there is none.
type File struct{ Path, Text string }

// Options describe an agent. Which of them apply depends on Name.
type Options struct {
	Name string // one of the back ends: Names

	Command    []string // the program and its arguments
	Program    string   // what a CLI is called here; empty: its own name
	Prompt     string   // "stdin" (default), "arg", "env" or "file"
	Format     string   // of the output: Formats; empty: the agent's own
	ModelFlag  string   // what stands before the model's name
	ResumeFlag string   // what stands before the session's
	First      string   // "INT", "TERM" or "HUP"; empty: the agent's own
	Env        map[string]string

	Permissions string // what it may do unasked: Permissions; empty: own
	SystemFile  string // a text for its system prompt; empty: none
	MaxTurns    int    // 0: as many as it likes
	Version     string // of the CLI, such as 2.1.197; empty is not known
	Forgets     bool   // no session is gone on with, so none need be kept

	// Untrusted is the folders of a repository from which it is to take nothing
	// but words: the root, and the one that it works in. None: it is trusted.
	// Only a CLI can be told, and not each: see Ignores.
	Untrusted []string

	// What a stream may leave untold.
	Model         string // that the calls will ask for
	ContextWindow int    // in tokens
	// Now is the time at which a line is read. Without it, a limit that
	// "resets at 3 pm" has no known end.
	Now func() time.Time
	// Used is what a session had used up before the attempt, for agents that
	// count from the session's start. Without it, sessions are new ones.
	Used func(session string) loop.Usage
	// Prices are the user's own. They win over the built-in ones.
	Prices []price.Price

	Script string   // what a rehearsal plays
	Self   []string // re-executes this program as the rehearsal's player
}

// backends is every agent there is.
var backends = map[string]func(Options) (Agent, error){
	"aider":     newAider,
	"claude":    newClaude,
	"cline":     newCline,
	"codex":     newCodex,
	"command":   newCommand,
	"copilot":   newCopilot,
	"crush":     newCrush,
	"droid":     newDroid,
	"gemini":    newGemini,
	"grok":      newGrok,
	"kimi":      newKimi,
	"opencode":  newOpencode,
	"pi":        newPi,
	"qwen":      newQwen,
	"rehearsal": newRehearsal,
}

// formats is every kind of output that can be read.
var formats = map[string]func(Options) Decoder{
	"aider":     newAiderDecoder,
	"claude":    newClaudeDecoder,
	"cline":     newClineDecoder,
	"codex":     newCodexDecoder,
	"copilot":   newCopilotDecoder,
	"crush":     newCrushDecoder,
	"droid":     newDroidDecoder,
	"gemini":    newGeminiDecoder,
	"grok":      newGrokDecoder,
	"kimi":      newKimiDecoder,
	"opencode":  newOpencodeDecoder,
	"pi":        newPiDecoder,
	"qwen":      newQwenDecoder,
	"rehearsal": newRehearsalDecoder,
	"text":      newTextDecoder,
}

// Permissions is what an agent may do unasked, from least to most: by its own
// rules; change files; also run commands and commit, inside its own sandbox if
// it has one; anything.
var Permissions = []string{"own", "edits", "work", "full"}

// New makes the agent that o describes.
func New(o Options) (Agent, error) {
	make, ok := backends[o.Name]
	if !ok {
		return nil, &UnknownError{What: "agent", Name: o.Name, Known: Names()}
	}
	if known := []string{"INT", "TERM", "HUP"}; o.First != "" && !slices.Contains(known, o.First) {
		return nil, &UnknownError{What: "first signal", Name: o.First, Known: known}
	}
	if o.Permissions == "" {
		o.Permissions = "own"
	}
	if !slices.Contains(Permissions, o.Permissions) {
		return nil, &UnknownError{What: "permission mode", Name: o.Permissions, Known: Permissions}
	}
	return make(o)
}

// Names lists the back ends, sorted.
func Names() []string { return slices.Sorted(maps.Keys(backends)) }

// Formats lists the kinds of output, sorted.
func Formats() []string { return slices.Sorted(maps.Keys(formats)) }

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
