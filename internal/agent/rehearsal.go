package agent

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/price"
	"github.com/refrain-loop/refrain/internal/text"
)

// rehearsal is the built-in agent that plays a script. Its doing half is
// package rehearsal, in a process of its own like any other agent.
type rehearsal struct{ Options }

var rehearsalTraits = Traits{Tokens: true, Cost: true, Sessions: true}

// sessionVar tells the player which session it continues.
const sessionVar = "REFRAIN_SESSION"

func newRehearsal(o Options) (Agent, error) {
	if o.Script == "" {
		return nil, errors.New(`the rehearsal has no script: set agents.rehearsal.script = "FILE"`)
	}
	if len(o.Self) == 0 {
		return nil, errors.New("the rehearsal cannot start: this program does not re-execute itself; call Helper first in main")
	}
	return &rehearsal{o}, nil
}

func (a *rehearsal) Command(c Call) (Command, error) {
	env := environ(a.Env)
	if c.Session != "" {
		env = append(env, sessionVar+"="+c.Session)
	}
	return Command{
		Argv:  append(slices.Clone(a.Self), a.Script),
		Env:   env,
		Unset: []string{sessionVar}, // of a rehearsal that started this runner
		Stdin: c.Prompt,
		First: a.First,
	}, nil
}

func (a *rehearsal) Decoder() Decoder { return newRehearsalDecoder(a.Options) }

// spoken is every event that an agent may report of itself. The others are
// the runner's to write: an agent must not forge them.
var spoken = []loop.Type{
	"agent.session",
	"agent.text",
	"agent.tool",
	"agent.tool_result",
	"agent.usage",
	"agent.limit", "agent.retry",
	"agent.result",
}

// rehearsalDecoder reads our own events, one JSON object a line. Any other
// line is text.
type rehearsalDecoder struct {
	options Options
	ended   bool
	well    bool // and said so
}

func newRehearsalDecoder(o Options) Decoder { return &rehearsalDecoder{options: o} }

func (d *rehearsalDecoder) Decode(line []byte) []loop.Payload {
	p := parse(line)
	if p == nil {
		return textDecoder{}.Decode(line)
	}
	switch p := p.(type) {
	case *loop.AgentResult:
		if d.ended {
			return nil
		}
		d.ended, d.well = true, p.OK && !p.Pending
	case *loop.AgentUsage:
		d.price(&p.Usage)
	case *loop.AgentRetry:
		if limit := d.waits(p); limit != nil {
			return []loop.Payload{p, limit}
		}
	}
	return []loop.Payload{p}
}

// waits is the limit for which somebody waits long before they try again.
func (d *rehearsalDecoder) waits(try *loop.AgentRetry) loop.Payload {
	e, after := try.Error, try.After.Duration()
	if e == nil || e.Kind != loop.ErrUsageLimit && e.Kind != loop.ErrRateLimit || after < soon || d.options.Now == nil {
		return nil
	}
	return &loop.AgentLimit{Limit: loop.Limit{Kind: limitIn(normal(e.Message), e.Kind), Until: d.options.Now().Add(after).UTC()}}
}

func (d *rehearsalDecoder) Finished() bool { return d.well }

// price works out a cost that was not told.
func (d *rehearsalDecoder) price(u *loop.Usage) {
	costs, known := price.Of(d.options.Model, d.options.Prices)
	if u.CostUSD > 0 || !known {
		return
	}
	u.CostUSD = costs.Cost(paid(*u))
	u.CostEstimated = u.CostUSD > 0
}

// Close fails an attempt that never gave its result, whatever its status.
func (d *rehearsalDecoder) Close(loop.Exit) []loop.Payload {
	if d.ended {
		return nil
	}
	d.ended = true
	return []loop.Payload{failure("no final result")}
}

// parse gives the event on the line, or nil when there is none.
func parse(line []byte) loop.Payload {
	p := quick(line)
	if p == nil {
		p = slow(line)
	}
	if p == nil {
		return nil
	}
	for _, said := range texts(p) {
		*said = text.Valid(*said)
	}
	sober(p)
	return p
}

// slow reads an event however it is written.
func slow(line []byte) loop.Payload {
	var head struct {
		Type loop.Type `json:"type"`
	}
	if json.Unmarshal(line, &head) != nil || !slices.Contains(spoken, head.Type) {
		return nil
	}
	p := loop.NewPayload(head.Type)
	if json.Unmarshal(line, p) != nil {
		return nil
	}
	return p
}

// sober takes out of an event what cannot be: a program of the user's may print
// our events too.
func sober(p loop.Payload) {
	switch p := p.(type) {
	case *loop.AgentResult:
		if p.OK = p.OK && p.Error == nil; !p.OK && p.Error == nil {
			p.Error = &loop.AgentError{Kind: loop.ErrAgent, Message: "it says that it failed"}
		}
	case *loop.AgentRetry:
		p.Try, p.Most, p.After, p.Within = max(p.Try, 0), max(p.Most, 0), max(p.After, 0), max(p.Within, 0)
	case *loop.AgentUsage:
		u := &p.Usage
		u.ContextPercent = min(max(u.ContextPercent, 0), 100)
		for _, n := range []*int{&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite, &u.Turns} {
			*n = max(*n, 0)
		}
		u.CostUSD = max(u.CostUSD, 0)
	}
}

// texts points at what the agent was free to write in p.
func texts(p loop.Payload) []*string {
	switch p := p.(type) {
	case *loop.AgentSession:
		return []*string{&p.Session, &p.Model}
	case *loop.AgentText:
		return []*string{&p.Text}
	case *loop.AgentTool:
		return []*string{&p.ID, &p.Name, &p.Input}
	case *loop.AgentToolResult:
		return []*string{&p.ID, &p.Name, &p.Output}
	case *loop.AgentLimit:
		return []*string{&p.Limit.Kind}
	case *loop.AgentRetry:
		if p.Error != nil {
			return []*string{&p.Error.Message}
		}
	case *loop.AgentResult:
		if p.Error == nil {
			return []*string{&p.Text}
		}
		return []*string{&p.Text, &p.Error.Message}
	}
	return nil
}
