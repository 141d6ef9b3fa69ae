package control

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// The commands that a run takes.
const (
	Pause   = "pause"
	Resume  = "resume"
	Stop    = "stop"
	StopNow = "stop_now"
	Skip    = "skip"
	Reboot  = "reboot"
	Note    = "note"
	Approve = "approve"
	Raise   = "raise"
	Park    = "park"
)

// commands says of each what has to come with it.
var commands = map[string]func(Command) error{
	Pause:   nothingElse,
	Resume:  nothingElse,
	Stop:    nothingElse,
	StopNow: nothingElse,
	Skip:    nothingElse,
	Reboot:  nothingElse,
	Note:    someText,
	Approve: nothingElse,
	Raise:   keyAndValue,
	Park:    nothingElse,
}

// Commands lists every command, sorted.
func Commands() []string { return slices.Sorted(maps.Keys(commands)) }

// Command is a wish of a person's.
type Command struct {
	Command string `json:"command"`
	Text    string `json:"text,omitempty"`  // of a note; with approve, the answer that is not the usual one
	Key     string `json:"key,omitempty"`   // of the setting to raise
	Value   string `json:"value,omitempty"` // and what to raise it to
	// Question is, with approve, the one that is answered: another that has been asked
	// meanwhile is not. Empty: whichever it is.
	Question string `json:"question,omitempty"`

	NoWait bool `json:"no_wait,omitempty"` // answer when it is taken, not when it has taken effect
	Inside bool `json:"-"`                 // it comes from a process of the run itself; the server finds that out
}

// Answer is what came of a command.
type Answer struct {
	OK     bool        `json:"ok"`
	Effect string      `json:"effect,omitempty"`
	State  loop.Status `json:"state,omitempty"` // of the run, after the command
	Why    string      `json:"why,omitempty"`   // it was refused
}

// Refused is the error for a command that the run did not take.
type Refused struct {
	Command string
	State   loop.Status // of the run; empty when it did not say
	Why     string
}

func (r *Refused) Error() string { return r.Command + " was refused: " + r.Why }

// check finds what is wrong with a command before the run hears of it.
func (c Command) check() error {
	check, ok := commands[c.Command]
	if !ok {
		return fmt.Errorf("there is no command %q, but %s", c.Command, strings.Join(Commands(), ", "))
	}
	return check(c)
}

func nothingElse(Command) error { return nil }

func someText(c Command) error {
	if strings.TrimSpace(c.Text) == "" {
		return errors.New("a note needs a text")
	}
	return nil
}

func keyAndValue(c Command) error {
	if c.Key == "" || c.Value == "" {
		return errors.New("raise needs the key of a setting and its new value")
	}
	return nil
}
