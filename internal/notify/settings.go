package notify

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Settings say what is told, when, and to whom. A channel whose first field is
// empty is off.
type Settings struct {
	On           []string      // kinds; an empty list tells nothing
	WaitingAfter time.Duration // a wait that lasts longer is told
	Every        time.Duration // the least time between two of a kind
	PerHour      int           // 0 is no limit
	Quiet        string        // such as 22:00-07:00, in local time; "" is never

	Desktop bool
	Bell    bool
	Log     files.Named // a file that keeps every message
	Command string      // a line for the shell
	Role    proc.Role   // of who brought Command along: the project's does not leave the sandbox
	Webhook Webhook
	Slack   string // the URL of an incoming webhook
	Discord string // likewise
	Ntfy    Ntfy
	Email   Email

	// What is known of the run. A run that starts tells it too; one that is
	// resumed does not.
	Run       string
	Procedure string
	Dir       string // also where Command runs

	Terminal io.Writer // where the bell is; nil is nowhere
	Plain    bool      // the terminal shows no notice of its own
	Env      []string  // of programs, complete
	Exec     Exec      // nil is proc.Run

	// Warn hears what went wrong. It is called from other goroutines than those
	// of the caller, the last time before Close returns; nil is nobody.
	Warn func(loop.Warning)
}

// Exec runs a process to its end, and whatever that has started.
type Exec func(context.Context, proc.Spec) (loop.Exit, error)

// Webhook is a server that takes messages as JSON.
type Webhook struct {
	URL      string
	Template string // of the body, over Message; "" is the message as it is
	Secret   string // signs the body; "" is no signature
	Headers  map[string]string
}

// Ntfy is a topic of an ntfy server.
type Ntfy struct {
	URL   string // with the topic
	Token string
}

// Email is how to send mail.
type Email struct {
	To       []string
	From     string
	Server   string // host or host:port
	User     string
	Password string
}

// channels is every way to a person. A new one is one file and one line here.
// Each makes its Notifier, or none when it is off.
var channels = []struct {
	name string
	make func(Settings) (Notifier, error)
}{
	{"log", newLog},
	{"desktop", newDesktop},
	{"terminal", newTerminal},
	{"webhook", newWebhook},
	{"slack", newSlack},
	{"discord", newDiscord},
	{"ntfy", newNtfy},
	{"email", newEmail},
	{"command", newCommand},
}

// New makes a sender. An error begins with the key of the setting that is
// wrong. Nothing runs before the first message.
func New(s Settings) (*Sender, error) {
	if s.Exec == nil {
		s.Exec = proc.Run
	}
	if s.Warn == nil {
		s.Warn = func(loop.Warning) {}
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	quiet, err := parseQuiet(s.Quiet)
	if err != nil {
		return nil, fmt.Errorf("notify.quiet: %w", err)
	}
	sender := &Sender{
		on:    s.On,
		story: story{run: s.Run, procedure: s.Procedure, dir: s.Dir, waitingAfter: s.WaitingAfter},
		rate:  rate{every: s.Every, perHour: s.PerHour, quiet: quiet, last: map[Kind]time.Time{}},
	}
	for _, c := range channels {
		notifier, err := c.make(s)
		if err != nil {
			return nil, err
		}
		if notifier != nil {
			sender.lanes = append(sender.lanes, &lane{name: c.name, to: notifier, warn: s.Warn, work: &sender.work})
		}
	}
	return sender, nil
}

// parseQuiet reads 22:00-07:00.
func parseQuiet(text string) (quiet, error) {
	if text == "" {
		return quiet{}, nil
	}
	first, last, _ := strings.Cut(text, "-")
	from, err := minute(first)
	if err != nil {
		return quiet{}, fmt.Errorf("%q is not like 22:00-07:00", text)
	}
	to, err := minute(last)
	if err != nil {
		return quiet{}, fmt.Errorf("%q is not like 22:00-07:00", text)
	}
	if from == to {
		return quiet{}, fmt.Errorf("%q has no length; to be told nothing, leave notify.on empty", text)
	}
	return quiet{from, to}, nil
}

// check looks at what belongs to no channel.
func (s Settings) check() error {
	for _, kind := range s.On {
		if !slices.Contains(Kinds(), Kind(kind)) {
			return fmt.Errorf("notify.on: there is no %q: choose from %s", kind, names(Kinds()))
		}
	}
	switch {
	case s.WaitingAfter < 0:
		return fmt.Errorf("notify.waiting_after: %s is less than nothing", s.WaitingAfter)
	case s.Every < 0:
		return fmt.Errorf("notify.every: %s is less than nothing", s.Every)
	case s.PerHour < 0:
		return fmt.Errorf("notify.per_hour: %d is less than nothing", s.PerHour)
	}
	return nil
}

func names(kinds []Kind) string {
	var list []string
	for _, k := range kinds {
		list = append(list, string(k))
	}
	return strings.Join(list, ", ")
}
