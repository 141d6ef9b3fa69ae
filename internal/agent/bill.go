package agent

import (
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/price"
)

// bill adds up the tokens of messages that may come more than once.
type bill struct {
	total   loop.Usage
	context int // tokens in the agent's own context after the last message
	seen    map[string]loop.Usage
}

// add counts a message of claude's dialect by its id. It tells whether the sum
// has changed.
func (b *bill) add(message value, subagent, cachedInput bool) bool {
	u := usageOf(message.get("usage"), cachedInput)
	if u.Tokens() == 0 {
		return false
	}
	if !subagent {
		b.context = u.Tokens()
	}
	id := message.str("id")
	before, again := b.seen[id]
	if again && before == u {
		return false
	}
	if b.seen == nil {
		b.seen = map[string]loop.Usage{}
	}
	b.seen[id] = u
	b.total.Input += u.Input - before.Input
	b.total.Output += u.Output - before.Output
	b.total.CacheRead += u.CacheRead - before.CacheRead
	b.total.CacheWrite += u.CacheWrite - before.CacheWrite
	if !again {
		b.total.Turns++
	}
	return true
}

// count adds a turn of the agent's own that comes only once.
func (b *bill) count(turn loop.Usage) {
	b.total.Input += max(0, turn.Input)
	b.total.Output += max(0, turn.Output)
	b.total.CacheRead += max(0, turn.CacheRead)
	b.total.CacheWrite += max(0, turn.CacheWrite)
	b.total.CostUSD += max(0, turn.CostUSD)
	b.context = max(0, turn.Tokens())
}

// usageOf reads Anthropic's names for tokens. Vendors disagree on whether
// cached tokens are a part of the input; here they never are.
func usageOf(v value, cachedInput bool) loop.Usage {
	u := loop.Usage{
		Input:      max(0, v.int("input_tokens")),
		Output:     max(0, v.int("output_tokens")),
		CacheRead:  max(0, v.int("cache_read_input_tokens")),
		CacheWrite: max(0, v.int("cache_creation_input_tokens")),
	}
	if cachedInput {
		u.Input = max(0, u.Input-u.CacheRead-u.CacheWrite)
	}
	return u
}

// since is what a session has used since it had used before.
func since(u, before loop.Usage) loop.Usage {
	return loop.Usage{
		Input:      max(0, u.Input-before.Input),
		Output:     max(0, u.Output-before.Output),
		CacheRead:  max(0, u.CacheRead-before.CacheRead),
		CacheWrite: max(0, u.CacheWrite-before.CacheWrite),
	}
}

// paid is what is paid for of a usage.
func paid(u loop.Usage) price.Tokens {
	return price.Tokens{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}
}
