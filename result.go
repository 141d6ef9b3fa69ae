package refrain

import (
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Result is how a run ended, or how it already had. Its JSON names are those of
// the journal and of "refrain status --json"; what is not known is left out.
type Result struct {
	Run string `json:"run"` // its name, such as build-7
	ID  string `json:"id"`  // one that no other run anywhere has
	Dir string `json:"dir"` // the folder with its files

	State  Status `json:"state"`            // Done, Exhausted, Aborted, Stopped, CouldNotRun or Parked
	Reason Reason `json:"reason,omitempty"` // the cause in one word
	Why    string `json:"why,omitempty"`    // the cause in one sentence
	// Level is how much stands behind a run that is Done; empty when it is not.
	Level Level `json:"level,omitempty"`
	// Proven says that the work is done, and that the evidence tells it from what
	// was there before: Level is LevelProven, and no other.
	Proven bool `json:"proven"`
	// Proof is what the Level rests on: tests by name, gates, the tree and where it
	// was judged. It is nil when no gate judged the work.
	Proof *Proof `json:"proof,omitempty"`

	Elapsed time.Duration `json:"-"`      // while it was alive, waits included; in JSON it is elapsed_ms
	Totals  Totals        `json:"totals"` // over all attempts: a file that was changed in two counts twice
	// Net is what the run came to: the work tree at its end against that before
	// its first iteration. Nil when that is not known.
	Net *Changes `json:"net,omitempty"`
	// RunsLater is the files that run by themselves when somebody works in the
	// repository, and have changed since the run began: at most 100 of them.
	RunsLater []LaterFile `json:"runs_later,omitempty"`
	Unsaved   []string    `json:"unsaved,omitempty"` // what could not be written to the disk

	// Output is what the agent said in the last attempt that came to its end: the
	// last 64 KiB of it. Record.Transcript has all of it, and of every attempt.
	Output string `json:"output,omitempty"`

	// Started is false when a resume could only have ended again for the same
	// reason, and nothing was started.
	Started bool `json:"started"`
}

// resultOf is the end of a run as the library tells it.
func resultOf(end loop.RunFinished) Result {
	return Result{
		State: end.State, Reason: end.Reason, Why: whyInGo(end.Why), Level: end.Level(), Proven: end.Proven, Proof: end.Proof,
		Elapsed: end.Elapsed.Duration(), Totals: end.Totals, Net: end.Net, RunsLater: end.RunsLater, Unsaved: end.Unsaved,
	}
}

// plainResult is a Result without methods, and timedResult one with its time as
// every other time in JSON is.
type (
	plainResult Result
	timedResult struct {
		plainResult
		Elapsed Span `json:"elapsed_ms"`
	}
)

// MarshalJSON writes the time in milliseconds, as everywhere else.
func (r Result) MarshalJSON() ([]byte, error) {
	return json.Marshal(timedResult{plainResult(r), Span(r.Elapsed)})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Result) UnmarshalJSON(b []byte) error {
	var t timedResult
	if err := json.Unmarshal(b, &t); err != nil {
		return err
	}
	*r = Result(t.plainResult)
	r.Elapsed = t.Elapsed.Duration()
	return nil
}

// maxOutput is how much of what an agent says a Result has.
const maxOutput = 64 << 10

// lastWords hears what the agent says, and keeps the end of it for the last attempt
// that came to its end.
type lastWords struct {
	mu            sync.Mutex
	iter, attempt int
	said          strings.Builder
	over          string // of the last attempt that has ended
	ended         bool
}

func (l *lastWords) Observe(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch p := e.Payload.(type) {
	case *loop.AgentText:
		if e.Iter != l.iter || e.Attempt != l.attempt {
			l.iter, l.attempt = e.Iter, e.Attempt
			l.said.Reset()
		}
		if l.said.Len() > 0 {
			l.said.WriteByte('\n')
		}
		l.said.WriteString(p.Text)
		if l.said.Len() > 2*maxOutput {
			end := text.Last(l.said.String(), maxOutput)
			l.said.Reset()
			l.said.WriteString(end)
		}
	case *loop.IterationFinished:
		l.over, l.ended = "", true
		if e.Iter == l.iter && e.Attempt == l.attempt {
			l.over = l.said.String()
		}
	}
}

// text is the end of what was said.
func (l *lastWords) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return text.Last(l.over, maxOutput)
	}
	return text.Last(l.said.String(), maxOutput)
}
