// Package request is what a person asked for, and what that means in a work
// tree: which settings hold, and what the prompt is made of.
//
// A request can be stored with the run and asked for again by a resume. Nothing
// is started here, and nothing is written but a prompt that somebody wants to
// edit.
package request

import (
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/prompt"
	"github.com/refrain-loop/refrain/internal/setting"
)

// UsageError is a mistake in what was asked for, found before anything ran.
type UsageError struct {
	What  string
	Hint  string
	Cause error // for those who know more of it than its text; may be nil
}

func (e *UsageError) Error() string { return e.What }
func (e *UsageError) Unwrap() error { return e.Cause }

// HintOf is what an error says about what to do; empty when it does not.
func HintOf(err error) string {
	if h, ok := err.(interface{ Hint() string }); ok {
		return h.Hint()
	}
	return ""
}

// Request is what a person asked for, in a form that can be stored with the
// run and asked for again by a resume.
type Request struct {
	Procedure string   `json:"procedure,omitempty"`
	Command   []string `json:"command,omitempty"`     // after "--"
	Prompt    string   `json:"prompt,omitempty"`      // inline, or read from stdin
	File      string   `json:"prompt_file,omitempty"` // absolute
	Context   []string `json:"context,omitempty"`

	// Words is what a person has said, wherever it belongs: it is the prompt of a run
	// that has no other, and else adds to it. Load puts it there.
	Words string `json:"-"`

	Vars map[string]string `json:"vars,omitempty"` // of the prompt\'s template

	// Commands are the {{run}} of the prompt when the run began.
	Commands []string `json:"commands"`

	// Pieces is the prompt as it was when the run began, where that is to stay.
	Title  string         `json:"title,omitempty"`
	Pieces []prompt.Piece `json:"pieces,omitempty"`

	Flags []config.Flag `json:"flags,omitempty"`

	// Untrusted says that nothing which the work tree brings along is read: no
	// settings of it, no hooks, none of the agent's own project files; and that
	// commands in its prompts are shown, not run.
	Untrusted bool    `json:"untrusted,omitempty"`
	Consent   Consent `json:"-"`

	// Extensions is what the program brings along, and ExtensionNames is the names
	// of it, by which a resume knows that something is missing.
	Extensions     Extensions `json:"-"`
	ExtensionNames []string   `json:"brought,omitempty"`
}

// Consent is what may run of what a work tree brings along.
type Consent int

// The ways to agree.
const (
	Remembered  Consent = iota // what a person has said yes to before
	Given                      // all of it: a person has just said so
	OnlyLooking                // nothing: it is shown, and not run
)

// Kind is what sort of run this is; some defaults depend on it.
func (r Request) Kind() config.Kind {
	switch {
	case r.Procedure != "":
		return config.Procedure
	case len(r.Command) > 0:
		return config.AdHocCommand
	}
	return config.AdHocPrompt
}

// Name is the procedure's, and "run" for a run without one.
func (r Request) Name() string {
	if r.Procedure != "" {
		return r.Procedure
	}
	return "run"
}

// hasPrompt tells whether the agent gets a prompt. A command gets none unless
// one was given; every other agent needs one.
func (r Request) hasPrompt() bool {
	return len(r.Command) == 0 || r.Prompt != "" || r.File != ""
}

// Masked is the request as it may be stored: without secrets.
func (r Request) Masked() Request {
	r.Command = setting.MaskArgs(r.Command)
	flags := make([]config.Flag, len(r.Flags))
	for i, f := range r.Flags {
		flags[i] = f.Masked()
	}
	r.Flags = flags
	return r
}

// Again is a stored request with new flags laid over its own. A masked flag
// that is not given again is found by config.Load; a masked argument of the
// command can't be given again.
func (r Request) Again(flags []config.Flag) (Request, error) {
	for _, arg := range r.Command {
		if strings.Contains(arg, setting.Mask) {
			return r, &UsageError{
				What: "the command held a secret, which was not stored, so it cannot be run again",
				Hint: "start a new run with the secret in the environment",
			}
		}
	}
	r.Flags = slices.Concat(r.Flags, flags)
	return r, nil
}

// Sets tells whether one of the flags gives a setting.
func Sets(flags []config.Flag, key string) bool {
	return slices.ContainsFunc(flags, func(f config.Flag) bool { return f.Key == key })
}
