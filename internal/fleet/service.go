package fleet

import (
	"context"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Service is a fleet as people ask it.
type Service interface {
	// Submit hands a run to the fleet. A *ExistsError says that one of the name is
	// under way.
	Submit(ctx context.Context, s Spec) error
	// List gives the runs that a filter lets through, the newest first.
	List(ctx context.Context, f Filter) ([]Row, error)
	// Find gives one, by its name, its id or the beginning of that. *UnknownError.
	Find(ctx context.Context, word string) (Row, error)
	// Order tells a run something, and waits for what comes of it.
	Order(ctx context.Context, run string, o Order) (Answer, error)
	// Wait waits until a run is over.
	Wait(ctx context.Context, run string) (Row, error)
	// Workers are those who have asked for work lately.
	Workers(ctx context.Context, queue string) ([]Worker, error)
	// Account is what a queue may use, and has used. Set changes it, where it is
	// given.
	Account(ctx context.Context, queue string, set *Allowance) (Account, error)
	// Schedule has a run submitted again and again. Schedules lists those there are, and
	// Unschedule ends one.
	Schedule(ctx context.Context, p Plan) error
	Schedules(ctx context.Context) ([]Planned, error)
	Unschedule(ctx context.Context, name string) error

	Close()
}

// Filter says which runs are meant; what is empty lets everything through.
type Filter struct {
	State  loop.Status
	Remote string
	Queue  string
	Over   bool // those that are over, too
	Most   int  // 0: all of them
}

// Row is a run of a fleet as people see it. What "refrain ls --json" gives too has the
// same name here.
type Row struct {
	Run        string      `json:"run"`
	ID         string      `json:"id"`
	State      loop.Status `json:"state"` // queued until its first leg begins
	Reason     loop.Reason `json:"reason,omitempty"`
	Why        string      `json:"why,omitempty"`
	Proven     *bool       `json:"proven,omitempty"` // only when it is over
	Iterations int         `json:"iterations"`
	CostUSD    float64     `json:"cost_usd,omitempty"`
	Tokens     int64       `json:"tokens,omitempty"`
	WaitUntil  time.Time   `json:"wait_until,omitzero"`
	StartedAt  time.Time   `json:"started_at,omitzero"`
	EndedAt    time.Time   `json:"ended_at,omitzero"`

	Place
	Procedure string `json:"procedure,omitempty"`
	Queue     string `json:"queue"`
	Leg       int    `json:"leg"`
	Worker    string `json:"worker,omitempty"` // who has it now, or had it last
	Live      bool   `json:"live"`             // a worker is at it
	By        string `json:"by,omitempty"`

	Paused bool    `json:"paused,omitempty"`
	Orders []Order `json:"orders,omitempty"` // that the next leg will hear
	Lost   int     `json:"lost,omitempty"`   // legs that ended without a word
	Wrong  string  `json:"wrong,omitempty"`  // what the last leg came to, where that was nothing
}

// Place is where the work of a run is.
type Place struct {
	Remote string `json:"remote"`
	Branch string `json:"branch,omitempty"`
	Head   string `json:"head,omitempty"` // the commit of that
	At     string `json:"at,omitempty"`   // what the ref of the run is at
}

// The states that only a fleet has.
const (
	Queued  loop.Status = "queued"  // it waits for a worker
	Carried loop.Status = "carried" // a person has fetched it, and it goes on there
	Failed  loop.Status = "failed"  // leg after leg came to nothing: it waits for a person
)

// Worker is who does legs.
type Worker struct {
	Name  string    `json:"worker"`
	Queue string    `json:"queue"`
	Seen  time.Time `json:"seen"`
	Busy  int       `json:"busy"`
	Slots int       `json:"slots"` // it has of the account's now
}

// Allowance is what the runs of a queue may use together; nil is as it was.
type Allowance struct {
	Slots   *int       `json:"slots,omitempty"`    // agents at once
	CostUSD *float64   `json:"cost_usd,omitempty"` // 0: no limit
	Tokens  *int64     `json:"tokens,omitempty"`   // 0: no limit
	Until   *time.Time `json:"until,omitempty"`    // no agent is started before; zero: at once
}

// Plan is a run that is submitted again and again.
type Plan struct {
	Name string `json:"name"`
	When string `json:"when"` // as cron has it, or "every 6h"
	Spec Spec   `json:"spec"` // each run gets an id, a name and a branch of its own
}

// Planned is a plan, and when it is next.
type Planned struct {
	Name   string      `json:"name"`
	When   string      `json:"when"`
	Remote string      `json:"remote"`
	Next   []time.Time `json:"next,omitempty"`
	Last   []string    `json:"last,omitempty"` // the names of the last runs
	Paused bool        `json:"paused,omitempty"`
}
