package fleet

import (
	"maps"
	"slices"
	"time"
)

// Account is what the workers of a queue share: an account with a provider. It says how
// many agents may work for it at once, what they may spend together, and until when the
// provider turns everybody away. Workers draw portions of it for a while, so no run asks
// for its turn, and a limit that one meets is known to all.
type Account struct {
	Queue   string    `json:"queue"`
	Slots   int       `json:"slots"`              // agents at once; 0: as many as the workers have room for
	CostUSD float64   `json:"cost_usd,omitempty"` // that may be spent; 0: no limit
	Tokens  int64     `json:"tokens,omitempty"`   // likewise
	Until   time.Time `json:"until,omitzero"`     // nobody works before

	SpentUSD    float64            `json:"spent_usd"`
	SpentTokens int64              `json:"spent_tokens"`
	Portions    map[string]Portion `json:"portions,omitempty"` // by worker
}

// Portion is what one worker has of an account, until it ends.
type Portion struct {
	Slots int       `json:"slots"`
	Busy  int       `json:"busy"`
	Seen  time.Time `json:"seen"`
	Ends  time.Time `json:"ends"`
	Until time.Time `json:"until,omitzero"`  // nobody works before
	Broke bool      `json:"broke,omitempty"` // nothing is left to spend
}

// Draw is a worker that says what it has used, and asks for more.
type Draw struct {
	Worker string    `json:"worker"`
	Busy   int       `json:"busy"`            // agents at work
	Want   int       `json:"want"`            // it has room for
	Spent  float64   `json:"spent,omitempty"` // since the last draw
	Tokens int64     `json:"tokens,omitempty"`
	Until  time.Time `json:"until,omitzero"` // a limit that it met
	Gone   bool      `json:"gone,omitempty"` // it leaves
}

// Broke tells whether nothing is left to spend.
func (a Account) Broke() bool {
	return a.CostUSD > 0 && a.SpentUSD >= a.CostUSD || a.Tokens > 0 && a.SpentTokens >= a.Tokens
}

// Deal gives a worker its portion. Nobody gets more than a fair share while others want
// some, but what is in use is not taken away.
func (a Account) Deal(d Draw, now time.Time, lasts time.Duration) (Account, Portion) {
	a.Portions = maps.Clone(a.Portions)
	if a.Portions == nil {
		a.Portions = map[string]Portion{}
	}
	maps.DeleteFunc(a.Portions, func(worker string, p Portion) bool { return !now.Before(p.Ends) || worker == d.Worker })
	a.SpentUSD += max(0, d.Spent)
	a.SpentTokens += max(0, d.Tokens)
	if d.Until.After(a.Until) {
		a.Until = d.Until
	}
	if d.Gone {
		return a, Portion{Until: a.Until, Broke: a.Broke()}
	}
	p := Portion{Slots: max(d.Busy, d.Want), Busy: d.Busy, Seen: now, Ends: now.Add(lasts), Until: a.Until, Broke: a.Broke()}
	if a.Slots > 0 {
		taken := 0
		for _, worker := range slices.Sorted(maps.Keys(a.Portions)) {
			taken += a.Portions[worker].Slots
		}
		share := (a.Slots + len(a.Portions)) / (len(a.Portions) + 1)
		p.Slots = max(d.Busy, min(d.Want, share))
		p.Slots = max(0, min(p.Slots, a.Slots-taken))
	}
	if p.Broke {
		p.Slots = min(p.Slots, d.Busy)
	}
	a.Portions[d.Worker] = p
	return a, p
}

// Allow changes what may be used.
func (a Account) Allow(w Allowance) Account {
	if w.Slots != nil {
		a.Slots = *w.Slots
	}
	if w.CostUSD != nil {
		a.CostUSD = *w.CostUSD
	}
	if w.Tokens != nil {
		a.Tokens = *w.Tokens
	}
	if w.Until != nil {
		a.Until = *w.Until
	}
	return a
}

// Workers are those who hold portions, by name.
func (a Account) Workers() []Worker {
	var list []Worker
	for _, name := range slices.Sorted(maps.Keys(a.Portions)) {
		p := a.Portions[name]
		list = append(list, Worker{Name: name, Queue: a.Queue, Seen: p.Seen, Busy: p.Busy, Slots: p.Slots})
	}
	return list
}
