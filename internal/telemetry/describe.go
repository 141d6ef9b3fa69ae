package telemetry

import (
	"cmp"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// attributesOf is what came of an attempt. A span of one is, in GenAI's words,
// the invocation of an agent.
func (s *spans) attributesOf(o loop.Outcome) []attribute {
	agent := cmp.Or(o.Agent, s.agent)
	list := slices.Concat(
		textAttr(genOperation, invokeAgent), textAttr(genAgent, agent), textAttr(genProvider, providers[agent]),
		textAttr(genRequestModel, s.model), textAttr(genResponseModel, o.Model), textAttr(genConversation, o.Session),
		textAttr(ownResult, o.Result), attributesOfUsage(o.Usage),
	)
	if x := o.Exit; x != nil {
		list = slices.Concat(list, textAttr(ownCause, x.Cause), textAttr(ownSignal, x.Signal))
		if x.Code != nil {
			list = append(list, whole(processExit, *x.Code)...)
		}
	}
	if o.Progress != nil {
		list = append(list, truth(ownProgress, *o.Progress)...)
	}
	if c := o.Changes; c != nil {
		list = slices.Concat(list, whole(ownFiles, c.Created+c.Modified+c.Deleted), whole(ownCommits, c.Commits))
	}
	if t := o.Tests; t != nil {
		list = slices.Concat(list, whole(ownTestsPassed, t.Passed), whole(ownTestsFailed, t.Failed))
	}
	if c := o.Claim; c != nil {
		list = slices.Concat(list, textAttr(ownClaim, c.Kind), truth(ownProven, c.Proven), textAttr(ownLevel, view.Level(view.ClaimProof(&o))))
	}
	if o.Error != nil {
		list = append(list, textAttr(errorType, o.Error.Kind)...)
	} else if _, failed := failure(o); failed {
		list = append(list, textAttr(errorType, o.Result)...)
	}
	return list
}

func attributesOfUsage(u *loop.Usage) []attribute {
	if u == nil {
		return nil
	}
	return slices.Concat(
		known(genInput, u.Input+u.CacheRead+u.CacheWrite), known(genOutput, u.Output),
		known(genCacheRead, u.CacheRead), known(genCacheWrite, u.CacheWrite),
		attributesOfCost(u.Cost(), u.Estimated()), known(ownContext, u.ContextPercent), known(ownTurns, u.Turns),
	)
}

func attributesOfCost(usd float64, estimated bool) []attribute {
	if usd == 0 {
		return nil
	}
	return slices.Concat(number(ownCost, usd), truth(ownCostEstimated, estimated))
}

func attributesOfVerdict(v loop.Verdict) []attribute {
	return slices.Concat(textAttr(ownVerdict, v.Action), textAttr(ownRule, v.Rule), textAttr(ownReason, v.Reason), textAttr(ownWhy, v.Why))
}

func attributesOfEnd(p *loop.RunFinished) []attribute {
	t, f := p.Totals, view.Changed(p.Net, p.Totals)
	return slices.Concat(
		textAttr(ownState, p.State), textAttr(ownReason, p.Reason), textAttr(ownWhy, p.Why), truth(ownProven, p.Proven), textAttr(ownLevel, p.Level()), textAttr(ownSignal, p.Signal),
		whole(ownIterations, t.Iterations), whole(ownCommits, t.Commits), whole(ownFiles, f.Files),
		known(ownTokens, t.Tokens), attributesOfCost(t.CostUSD, t.CostEstimated),
	)
}

// failure tells whether an attempt failed, and why. One that was skipped or
// interrupted did not: somebody wanted that.
func failure(o loop.Outcome) (why string, failed bool) {
	switch o.Result {
	case loop.OK, loop.Skipped, loop.Interrupted:
		return "", false
	}
	if o.Error != nil && o.Error.Message != "" {
		return o.Error.Message, true
	}
	for _, g := range o.Gates {
		if !g.OK && !g.Known {
			return cmp.Or(g.Why, "gate "+g.Name+" did not pass"), true
		}
	}
	return "the attempt ended as " + string(o.Result), true
}

func number(key string, n float64) []attribute { return []attribute{{key, numberValue{n}}} }

// newSpan does not begin before the run, also when the clock was put back.
func (s *spans) newSpan(id, parent spanID, name string, start time.Time) *span {
	return &span{
		Trace: traceOf(s.run), ID: id, Parent: parent, Name: name, Kind: kindInternal,
		Start: max(nanosOf(start), nanosOf(s.started)),
	}
}

// child makes a part of the attempt or of the run. It does not begin before
// that, nor before this runner.
func (s *spans) child(e loop.Event, name string, start time.Time, about []attribute) *span {
	parent := rootOf(s.run)
	if s.attempt != nil {
		parent = s.attempt.ID
	}
	one := s.newSpan(spanOf(s.run, "event", e.Seq, e.Time.UnixNano()), parent, name, start)
	one.Start = max(one.Start, s.here().Start)
	one.add(about)
	return one
}

// begin opens a tool or a gate. One that is open under the same key never told
// its end.
func (s *spans) begin(e loop.Event, key, name string, about []attribute) {
	if old := s.open[key]; old != nil {
		s.emit(old, e.Time)
		delete(s.open, key)
	}
	if len(s.open) >= maxOpen {
		return
	}
	s.open[key] = s.child(e, name, e.Time, about)
}

// take gives an open tool or gate, which is then no longer open.
func (s *spans) take(key string) *span {
	one := s.open[key]
	delete(s.open, key)
	return one
}

func (s *spans) end(one **span, at time.Time) {
	if *one != nil {
		s.emit(*one, at)
		*one = nil
	}
}

// emit sends a span that is over. It ends after all that is in it, also when
// the clock was put back.
func (s *spans) emit(one *span, at time.Time) {
	one.End = max(nanosOf(at), one.Start)
	for _, m := range one.Events {
		one.End = max(one.End, m.Time)
	}
	s.send(*one)
}

func (s *span) add(lists ...[]attribute) {
	s.Attributes = append(s.Attributes, slices.Concat(lists...)...)
}

func (s *span) fail(why string) {
	s.Status = status{Code: statusError, Message: text.Cut(why, maxText)}
}

func named(what, procedure string) string {
	if procedure == "" {
		return what
	}
	return what + " " + procedure
}
