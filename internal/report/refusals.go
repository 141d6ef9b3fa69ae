package report

import (
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// Most different refusals, and most places of each, that are listed; the rest is
// counted.
const (
	mostRefusals = 200
	mostPlaces   = 50
)

// refusal is a claim that was not taken, however often it was made.
type refusal struct {
	kind   loop.ClaimKind
	text   string
	why    string
	near   bool // it only looked like a claim
	times  int
	places []place
	at     []time.Time
}

type refusals struct {
	list []refusal
	more int
	last place // where the last one was, and why
	why  string
}

func (r *refusals) add(at place, when time.Time, p *loop.ClaimRefused) {
	if r.last == at && r.why == p.Why && len(r.list) > 0 {
		return // judged again, after its runner had died
	}
	r.last, r.why = at, p.Why
	why := view.Fit(p.Why, mostText)
	i := slices.IndexFunc(r.list, func(o refusal) bool { return o.near == p.NearMiss && o.kind == p.Kind && o.why == why })
	if i < 0 {
		if len(r.list) == mostRefusals {
			r.more++
			return
		}
		r.list = append(r.list, refusal{kind: p.Kind, why: why, near: p.NearMiss})
		i = len(r.list) - 1
	}
	one := &r.list[i]
	one.text = view.Fit(p.Text, mostText)
	if one.times++; one.times <= mostPlaces {
		one.places = append(one.places, at)
		one.at = append(one.at, when)
	}
}
