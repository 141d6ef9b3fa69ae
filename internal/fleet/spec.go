package fleet

import (
	"encoding/json"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Spec is a run that somebody wants: everything that a worker needs to begin it, and
// nothing that is secret.
type Spec struct {
	ID     string `json:"id"`     // of the run, from journal.NewID
	Name   string `json:"name"`   // for people; no two runs of a fleet that are under way have the same
	Remote string `json:"remote"` // of the repository: a URL that workers can reach
	Base   string `json:"base"`   // the branch or commit that it begins at; empty: the remote's default branch
	Branch string `json:"branch"` // that the work becomes, on the remote
	Dir    string `json:"dir,omitempty"`

	// Request is the request.Request of the run, as a resume knows it, and Words is the
	// sentence that goes with it.
	Request json.RawMessage `json:"request"`
	Words   string          `json:"words,omitempty"`

	Queue    string        `json:"queue"`              // whose workers may have it: those of an account
	Priority int           `json:"priority,omitempty"` // 1 goes first, 5 last; 0: 3
	Sticky   bool          `json:"sticky"`             // rather the worker that has its files
	Quantum  Quantum       `json:"quantum,omitzero"`
	Lease    time.Duration `json:"lease"` // a worker that is not heard for so long has lost the run

	// Carried says that the run is on the remote already, and Leg is the one it is in
	// there.
	Carried bool `json:"carried,omitempty"`
	Leg     int  `json:"leg,omitempty"`

	Submitted time.Time `json:"submitted"`
	By        string    `json:"by,omitempty"`
}

// Quantum is how much one worker does before others have a turn.
type Quantum struct {
	Iterations int           `json:"iterations,omitempty"` // 0: any number
	Time       time.Duration `json:"time,omitempty"`       // 0: as long as it takes; an attempt that has begun comes to its end
	Patience   time.Duration `json:"patience,omitempty"`   // a longer wait is waited for without a worker; 0: two minutes; below: every wait is
}

// Turn is one leg to be done.
type Turn struct {
	Spec   Spec    `json:"spec"`
	Leg    int     `json:"leg"` // higher than that of every leg before
	Orders []Order `json:"orders,omitempty"`

	// At is what the ref of the run was at when a leg last told; empty: no leg has, and
	// the run may still have to be begun.
	At string `json:"at,omitempty"`
	// Hurry says that a person does not want to wait for what the run waits for.
	Hurry bool `json:"hurry,omitempty"`
}

// Order is a person's wish, with the words of control.Command.
type Order struct {
	Command  string `json:"command"`
	Text     string `json:"text,omitempty"`
	Key      string `json:"key,omitempty"`
	Value    string `json:"value,omitempty"`
	Question string `json:"question,omitempty"`
}

// Answer is what came of an order.
type Answer struct {
	OK     bool        `json:"ok"`
	Effect string      `json:"effect,omitempty"`
	State  loop.Status `json:"state,omitempty"`
	Why    string      `json:"why,omitempty"` // it was refused
}

// Standing is how a run stands after a leg. It is small: its records have the rest.
type Standing struct {
	State      loop.Status `json:"state"`
	Reason     loop.Reason `json:"reason,omitempty"`
	Why        string      `json:"why,omitempty"`
	Proven     bool        `json:"proven,omitempty"`
	Iterations int         `json:"iterations"`
	CostUSD    float64     `json:"cost_usd,omitempty"`
	Tokens     int64       `json:"tokens,omitempty"`

	// Parked, and until when; with the rule and the agent that it waits for.
	Until time.Time `json:"until,omitzero"`
	Rule  string    `json:"rule,omitempty"`
	Agent string    `json:"agent,omitempty"`

	Leg    int    `json:"leg"`            // that the run is in, on the remote
	At     string `json:"at,omitempty"`   // what its ref is at
	Head   string `json:"head,omitempty"` // the commit of its branch
	Worker string `json:"worker,omitempty"`
	Host   string `json:"host,omitempty"` // the queue of the worker that has its files

	// Taken says that somebody else has the run: another worker, or, when Away, a person
	// who has fetched it.
	Taken bool `json:"taken,omitempty"`
	Away  bool `json:"away,omitempty"`
	// Stuck says that what was done could not be kept, and only this worker has it.
	Stuck bool `json:"stuck,omitempty"`
	// Person says that it waits for one: for an answer, to be told to go on, or, where it
	// is stuck, to look after what keeps it from being kept.
	Person bool `json:"person,omitempty"`
	// Failed says that the leg came to nothing, and that no other one will come to more
	// before a person has looked after it; Why says after what.
	Failed bool `json:"failed,omitempty"`
	// Broke says that the account has nothing left to spend.
	Broke bool `json:"broke,omitempty"`
}

// Over tells whether there is no next leg.
func (s Standing) Over() bool { return s.State.Ended() && s.State != loop.Parked }

// Progress is what a live leg tells of itself.
type Progress struct {
	Leg        int         `json:"leg"`
	Worker     string      `json:"worker"`
	Host       string      `json:"host"`
	State      loop.Status `json:"state"`
	Iterations int         `json:"iterations"`
	CostUSD    float64     `json:"cost_usd,omitempty"`
	Tokens     int64       `json:"tokens,omitempty"`
	At         string      `json:"at,omitempty"`
}
