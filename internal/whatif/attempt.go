package whatif

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// attemptReplay is an attempt that is under way.
type attemptReplay struct {
	iter, n int
	began   time.Time
	phase   loop.Phase
	used    *loop.Usage // as far as the agent has told
	heard   int64       // the number of the event that told it
}

// inside goes through an attempt, up to its end if it has one. It tells whether
// the supposed run ends in it: an agent is ended in the middle of its work when a
// budget is used up or the time is over.
func (r *replay) inside(stretch []loop.Event, end *loop.IterationFinished) bool {
	told, err := r.usages(stretch, end)
	if err != nil {
		r.err = err
		return true
	}
	lastGate := -1
	for i, e := range stretch {
		if _, ok := e.Payload.(*loop.GateFinished); ok {
			lastGate = i
		}
	}
	for i, e := range stretch {
		for len(told) > 0 && told[0].Seq < e.Seq {
			if told = r.use(told, end); told == nil {
				return true
			}
		}
		watched := r.attempt.phase == loop.PreHooks || r.attempt.phase == loop.Executing || r.attempt.phase == loop.Gates && i <= lastGate
		if over, ok := r.timesOut(r.time.at(e.Time), end); ok && watched {
			r.cut(over, loop.OnMaxTime, end)
			return true
		}
		r.follow(e.Payload)
		if p, ok := e.Payload.(*loop.CommandReceived); ok {
			e.Payload = r.heed(p)
		}
		r.sum(r.time.at(e.Time), e)
	}
	for len(told) > 0 {
		if told = r.use(told, end); told == nil {
			return true
		}
	}
	return false
}

// follow keeps where the attempt stands.
func (r *replay) follow(p loop.Payload) {
	switch p := p.(type) {
	case *loop.IterationPhase:
		r.attempt.phase = p.Phase
	case *loop.AgentExited, *loop.HookFinished:
		r.attempt.phase = loop.Pending
	}
}

// usages is what the agent told while it worked. It is worth reading only where
// the supposed run could end by it.
func (r *replay) usages(stretch []loop.Event, end *loop.IterationFinished) ([]loop.Event, error) {
	if len(stretch) == 0 {
		return nil, nil
	}
	now, was := r.terms.supposed.Limits(), r.terms.old.Limits()
	tighter := now.CostUSD > 0 && (was.CostUSD == 0 || now.CostUSD < was.CostUSD) || now.Tokens > 0 && (was.Tokens == 0 || now.Tokens < was.Tokens)
	raised := slices.ContainsFunc(stretch, func(e loop.Event) bool {
		p, ok := e.Payload.(*loop.CommandReceived)
		return ok && p.Limits != nil
	})
	if _, late := r.timesOut(r.time.at(stretch[len(stretch)-1].Time), end); !tighter && !raised && !late {
		return nil, nil
	}
	told, err := r.rec.usages(r.attempt.iter, r.attempt.n)
	if err != nil {
		return nil, err
	}
	if len(told) == 0 && end != nil && end.Outcome.Usage != nil && r.newlyOver(end.Outcome.Usage) {
		r.notes = append(r.notes, fmt.Sprintf("what the agent of iteration %d used up while it worked is no longer kept, only what it came to in the end", r.attempt.iter))
	}
	return slices.DeleteFunc(told, func(e loop.Event) bool { return e.Seq <= r.attempt.heard }), nil
}

// use takes in what the agent told next. It gives what is left, and nil when the
// agent is ended by it. What came in one piece was heard before the agent could
// be ended.
func (r *replay) use(told []loop.Event, end *loop.IterationFinished) []loop.Event {
	first := told[0]
	if over, ok := r.timesOut(r.time.at(first.Time), end); ok && r.attempt.phase == loop.Executing {
		r.cut(over, loop.OnMaxTime, end)
		return nil
	}
	over := false
	for len(told) > 0 && told[0].Time.Equal(first.Time) {
		r.attempt.used, r.attempt.heard = &told[0].Payload.(*loop.AgentUsage).Usage, told[0].Seq
		over = over || r.newlyOver(r.attempt.used)
		told = told[1:]
	}
	if over {
		r.cut(first.Time.Add(r.time.shift), loop.OnBudget, end)
		return nil
	}
	return told
}

// newlyOver tells whether an attempt that used so much has used up what the run
// was supposed to use, and the record has no end there.
func (r *replay) newlyOver(used *loop.Usage) bool {
	return r.over(used, r.terms.supposed.Limits()) && !r.over(used, r.terms.old.Limits())
}

func (r *replay) over(used *loop.Usage, l loop.Limits) bool {
	spent := r.state.Totals
	return l.CostUSD > 0 && spent.CostUSD+used.Cost() >= l.CostUSD || l.Tokens > 0 && spent.Tokens+used.Tokens() >= l.Tokens
}

// wasCut is why the record's own runner ended an attempt before it was over;
// empty when it did not.
func wasCut(p *loop.IterationFinished) loop.Cause {
	switch o := p.Outcome; {
	case o.Result != loop.Interrupted:
	case o.Exit == nil && p.Verdict.Reason == loop.ByTime:
		return loop.OnMaxTime
	case o.Exit != nil && (o.Exit.Cause == loop.OnMaxTime || o.Exit.Cause == loop.OnBudget):
		return o.Exit.Cause
	}
	return ""
}

// outlives tells whether an attempt that was cut short in the record would have
// gone on.
func (r *replay) outlives(p *loop.IterationFinished) bool {
	switch wasCut(p) {
	case loop.OnMaxTime:
		return r.spare() > 0
	case loop.OnBudget:
		return !r.over(p.Outcome.Usage, r.terms.supposed.Limits())
	}
	return false
}

// spare is how much more time the supposed run has left than the recorded one
// had. Waits end some milliseconds late, which is no difference.
func (r *replay) spare() time.Duration {
	now, was := r.terms.supposed.Limits().Time.Duration(), r.terms.old.Limits().Time.Duration()
	if now == 0 {
		return math.MaxInt64
	}
	return (now - was - r.time.drift).Round(time.Second)
}

// timesOut tells whether, and when, the run's time is over before a moment. An
// attempt that ended so in the record is as it was, unless there was less time
// left for it.
func (r *replay) timesOut(at time.Time, end *loop.IterationFinished) (time.Time, bool) {
	over, limited := r.timeOver()
	if end != nil && wasCut(end) == loop.OnMaxTime && r.spare() >= 0 {
		return over, false
	}
	return over, limited && over.Before(at)
}

// cut ends the attempt at a moment. What it had done by then, nobody knows; if it
// made progress, it is taken to have begun with that.
func (r *replay) cut(at time.Time, cause loop.Cause, end *loop.IterationFinished) {
	r.time.now = later(r.time.now, at)
	if r.attempt.phase == loop.Gates {
		r.leaveOpen()
		return
	}
	o := loop.Outcome{
		Result: loop.Interrupted, Usage: r.attempt.used,
		Duration: loop.Millis(r.time.now.Sub(r.attempt.began)), EndedAt: r.time.now,
	}
	if r.attempt.phase != loop.PreHooks {
		o.Exit = &loop.Exit{Cause: cause}
	}
	if end != nil {
		o.Agent, o.Model, o.Progress, o.ProgressBy = end.Outcome.Agent, end.Outcome.Model, end.Outcome.Progress, end.Outcome.ProgressBy
	}
	v := loop.Decide(r.facts(&o, r.time.now, r.stopping), r.terms.rules)
	r.sum(r.time.now, loop.Event{Iter: r.state.Next(), Attempt: r.attempt.n, Payload: &loop.IterationFinished{Outcome: o, Verdict: v}})
	r.stopOrGoOn(v)
}

// leaveOpen ends the run while gates judge an attempt whose agent has ended: the
// attempt counts when the next runner has judged it.
func (r *replay) leaveOpen() {
	v := loop.Decide(r.facts(nil, r.time.now, r.stopping), r.terms.rules)
	r.sum(r.time.now, loop.Event{Payload: &loop.RunRule{Verdict: v}})
	r.stopOrGoOn(v)
}

func (r *replay) stopOrGoOn(v loop.Verdict) {
	if v.Action != loop.Stop {
		r.goesOn, r.lost, r.live = true, true, r.state.Live
		return
	}
	r.stop(v, true)
}

// usages is what the agent of an attempt told of what it used, as it went on.
// Agents say much else, which is not worth decoding.
func (rec *record) usages(iter, attempt int) ([]loop.Event, error) {
	f, err := files.OpenFile(filepath.Join(rec.store.AttemptDir(rec.entry.Name, iter, attempt), "events.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // never written, or dropped
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []loop.Event
	lines := bufio.NewReaderSize(f, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return list, nil // what is torn was never heard
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", f.Name(), err)
		}
		if !bytes.Contains(line, []byte(`"type":"agent.usage"`)) {
			continue
		}
		e, err := journal.Decode(line)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", f.Name(), err)
		}
		if _, ok := e.Payload.(*loop.AgentUsage); ok {
			list = append(list, e)
		}
	}
}
