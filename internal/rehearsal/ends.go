package rehearsal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// limit ends the attempt as a provider does that has had enough of us.
func limit(f *values) act {
	kind := f.some("limit")
	_, resets := f.fields["resets_in"]
	var in time.Duration
	if resets {
		in = f.duration("resets_in")
	}
	return func(p *player) error {
		reached := loop.Limit{Kind: kind}
		message := "usage limit reached: " + kind
		if resets {
			reached.Until = p.now().Add(in).UTC().Truncate(time.Millisecond)
			message += ", resets at " + reached.Until.Format(time.RFC3339)
		}
		if err := p.emit(&loop.AgentLimit{Limit: reached}); err != nil {
			return err
		}
		return &ending{1, &loop.AgentError{Kind: loop.ErrUsageLimit, Message: message}}
	}
}

func fault(f *values) act {
	kind, message := f.text("error"), f.text("message")
	if kinds := loop.ErrorKinds(); !slices.Contains(kinds, loop.ErrorKind(kind)) {
		known := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(kinds)), ", "), "[]")
		f.fail("error is %q: write one of %s", kind, known)
	}
	return func(p *player) error {
		return &ending{1, &loop.AgentError{Kind: loop.ErrorKind(kind), Message: p.fill(message)}}
	}
}

func exit(f *values) act {
	code := f.whole("exit", 0, 255, 0)
	return func(*player) error {
		if code == 0 {
			return &ending{}
		}
		return &ending{code, &loop.AgentError{Kind: loop.ErrAgent, Message: fmt.Sprintf("exit %d", code)}}
	}
}

// crash ends the agent where it stands: no result is printed.
func crash(f *values) act {
	f.yes("crash")
	return func(p *player) error { return p.die() }
}
