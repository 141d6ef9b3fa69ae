package loop

import "slices"

// ClaimKind tells a claim of done from one of blocked.
type ClaimKind string

// The kinds of claim.
const (
	ClaimDone    ClaimKind = "done"
	ClaimBlocked ClaimKind = "blocked"
)

// Claim is what the agent says of its work, and what the runner made of it.
type Claim struct {
	Kind   ClaimKind `json:"kind"`
	Text   string    `json:"text"`
	By     Reason    `json:"by,omitempty"` // how it was made: a promise, the plan, the gates, exit status 0
	Proven bool      `json:"proven"`
	Why    string    `json:"why,omitempty"`   // why it was refused
	Lacks  string    `json:"lacks,omitempty"` // what the evidence lacks, when that is why
}

// Refused tells whether the runner found the claim untrue.
func (c *Claim) Refused() bool { return c != nil && c.Why != "" }

// taken tells whether gates stand behind the claim. Journals of earlier versions
// have no proof.
func (c *Claim) taken(p *Proof) bool {
	return c != nil && c.Kind == ClaimDone && !c.Refused() && (c.Proven || p != nil)
}

// Claims is what became of the claims of a run.
type Claims struct {
	Lacking   Lacking   `json:"lacking,omitzero"`    // what claims were last refused for
	Confirmed int       `json:"confirmed,omitempty"` // claims in a row that were taken
	Refusals  []Refusal `json:"refusals,omitempty"`  // the last claims that were not taken
}

// add takes in the claim of an attempt, if there was one.
func (c Claims) add(o Outcome, counts bool) Claims {
	c.Lacking = c.Lacking.next(o.Claim)
	if o.Claim.taken(o.Proof) {
		c.Confirmed++
	} else if counts {
		c.Confirmed = 0
	}
	return c
}

// Refusal is a claim that was not taken.
type Refusal struct {
	Iteration int    `json:"iteration"`
	Why       string `json:"why"`
}

// maxRefusals is how many of them are kept in full; the total counts all.
const maxRefusals = 6

// refuse keeps why a claim was not taken. An attempt that is judged again, after
// its runner died, is refused once.
func (c Claims) refuse(iteration int, p *ClaimRefused) (after Claims, anew bool) {
	r := Refusal{Iteration: iteration, Why: brief(p.Why)}
	if p.NearMiss || len(c.Refusals) > 0 && c.Refusals[len(c.Refusals)-1] == r {
		return c, false
	}
	c.Refusals = lastN(append(slices.Clip(c.Refusals), r), maxRefusals)
	return c, true
}

// Lacking is what claims were refused for again and again.
type Lacking struct {
	What  string `json:"what,omitempty"`
	Times int    `json:"times,omitempty"`
}

// MaxRefusals is how often a claim is refused for the same want of evidence:
// an agent that did not mend it after two tries will not at the third.
const MaxRefusals = 2

// next counts refusals for one want. Those for red gates say nothing of it.
func (l Lacking) next(c *Claim) Lacking {
	switch {
	case c == nil || c.Kind != ClaimDone:
	case !c.Refused():
		return Lacking{}
	case c.Lacks == "":
	case c.Lacks == l.What:
		l.Times++
	default:
		return Lacking{What: c.Lacks, Times: 1}
	}
	return l
}

// Doubted tells whether the claim was refused for what became of tests: then
// their numbers are no credit.
func (c *Claim) Doubted() bool {
	return c != nil && begins(c.Lacks, LacksTests)
}

// LacksTests begins what a claim lacks whose old tests do not pass.
const LacksTests = "tests"
