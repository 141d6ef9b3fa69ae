package refrain

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/steer"
)

// Control steers the run while it is live, whichever process it lives in. When it
// is not, its methods give a *RefusedError that says how it ended.
func (r *Record) Control() *Control { return &Control{wheel: there{r}} }

// Follow gives the events of the run after a number, 0 for all of them, each once
// and in order: first those of the past, and then those to come, until the run is
// over. When it cannot go on, an error is the last thing that it gives: the cause
// of a ctx that is done, or why the records cannot be read.
func (r *Record) Follow(ctx context.Context, after int64) iter.Seq2[Event, error] {
	return r.Control().Subscribe(ctx, after)
}

// there is a run that is reached by its files and its socket.
type there struct{ record *Record }

func (t there) do(ctx context.Context, cmd steer.Command) (steer.Answer, error) {
	r := t.record
	holder, held := r.store.At(r.Tree).Holder()
	if !held || holder.Run != r.Run {
		state := t.status().State
		return steer.Answer{Effect: fmt.Sprintf("%s is not running: it is %s", r.Run, state), State: state}, nil
	}
	if holder.Socket == "" {
		return steer.Answer{Effect: r.Run + " takes no commands: it is just starting, or could not open its socket"}, nil
	}
	answer, err := control.Dial(holder.Socket).Do(ctx, control.Command{Command: cmd.Name, Text: cmd.Text, Key: cmd.Key, Value: cmd.Value})
	if refused, ok := errors.AsType[*control.Refused](err); ok {
		return steer.Answer{Effect: refused.Why, State: refused.State}, nil
	}
	if errors.Is(err, control.ErrNobody) {
		return steer.Answer{Effect: "the run has ended"}, nil
	}
	return steer.Answer{OK: err == nil, Effect: answer.Effect, State: answer.State}, err
}

func (t there) status() Snapshot {
	s, _ := t.record.Snapshot() // zero when the records are gone
	return s
}

func (t there) stats() Stats {
	s, _ := t.record.Stats()
	return s
}

func (t there) events(ctx context.Context, after int64) iter.Seq2[Event, error] {
	return publicEvents(control.Follow(ctx, t.record.store, t.record.Run, after))
}

func (t there) id() string { return t.record.ID }
