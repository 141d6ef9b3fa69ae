package rehearsal

import (
	"fmt"
	"os"
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
			reached.Until = time.Now().Add(in).UTC().Truncate(time.Millisecond)
			message += ", resets at " + reached.Until.Format(time.RFC3339)
		}
		if err := p.emit(&loop.AgentLimit{Limit: reached}); err != nil {
			return err
		}
		return &ending{1, &loop.AgentError{Kind: loop.ErrUsageLimit, Message: message}}
	}
}

// kinds is every error that a script can rehearse.
var kinds = []string{
	string(loop.ErrMissing),
	string(loop.ErrAuth),
	string(loop.ErrBilling),
	string(loop.ErrModel),
	string(loop.ErrUsageLimit),
	string(loop.ErrRateLimit),
	string(loop.ErrOverloaded),
	string(loop.ErrServer),
	string(loop.ErrNetwork),
	string(loop.ErrContextOverflow),
	string(loop.ErrMaxTurns),
	string(loop.ErrAgentBudget),
	string(loop.ErrPermission),
	string(loop.ErrRefusal),
	string(loop.ErrAgent),
}

func fault(f *values) act {
	kind, message := f.text("error"), f.text("message")
	if !slices.Contains(kinds, kind) {
		f.fail("error is %q: write one of %s", kind, strings.Join(kinds, ", "))
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

// crash ends the process where it stands: no result is printed.
func crash(f *values) act {
	f.yes("crash")
	return func(*player) error {
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			return fmt.Errorf("find this process: %w", err)
		}
		if err := self.Kill(); err != nil {
			return fmt.Errorf("kill this process: %w", err)
		}
		return forever()
	}
}
