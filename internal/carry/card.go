package carry

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Prefix is where the runs are on a remote.
const Prefix = "refs/refrain/runs/"

// format is that of a card. Readers refuse a higher one.
const format = 1

// Card says whose a run is, and what belongs to it.
type Card struct {
	Format int         `json:"format"`
	Run    string      `json:"run"` // its id
	Name   string      `json:"name"`
	State  loop.Status `json:"state"`

	Leg    int       `json:"leg"`             // how often it has changed hands
	Worker string    `json:"worker"`          // who moved it last
	Held   bool      `json:"held,omitempty"`  // and goes on with it; else it is anybody's
	Fleet  bool      `json:"fleet,omitempty"` // it is a worker of a fleet, which may be given the run of another
	Nonce  string    `json:"nonce"`           // no two cards are the same
	At     time.Time `json:"at"`

	Head       string `json:"head"`             // the commit that was checked out
	Branch     string `json:"branch,omitempty"` // that was at it
	Checkpoint string `json:"checkpoint"`       // of the work tree
	Tree       string `json:"tree"`             // what that holds
	Prefix     string `json:"prefix,omitempty"` // from the top of the work tree to the folder of the run

	Base      string `json:"base,omitempty"`      // the commit that a run of a fleet began at
	Published string `json:"published,omitempty"` // the one that its branch on the remote was brought to

	// Told is what of the costs of a run of a fleet its account was told of; nil: nobody
	// has said.
	Told *Costs `json:"told,omitempty"`

	Chunks []int  `json:"chunks"` // how long each piece of the journal is
	Sum    string `json:"sum"`    // of all of them
	Cut    []Cut  `json:"cut,omitempty"`
}

// Cut is a file that stays, since it is too large.
type Cut struct {
	File string `json:"file"`
	Size int64  `json:"size"`
}

// Costs are what a run has used up.
type Costs struct {
	USD    float64 `json:"usd,omitempty"`
	Tokens int64   `json:"tokens,omitempty"`
}

// isID is what a run may be called on a remote.
var (
	isID     = text.NewPattern(`^loop_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	isObject = text.NewPattern(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
)

// read reads a card, which may be anybody's.
func readCard(b []byte, id string) (Card, error) {
	var c Card
	if err := json.Unmarshal(b, &c); err != nil {
		return c, &ForeignError{What: "its card: " + err.Error()}
	}
	wrong := func(what string) (Card, error) { return c, &ForeignError{What: "its card: " + what} }
	switch {
	case c.Format > format:
		return c, &ForeignError{What: "a newer version wrote it: use that one"}
	case c.Format < 1 || c.Run != id || !isID().MatchString(c.Run):
		return wrong("it is that of another run")
	case c.Leg < 1 || c.Leg > 1<<30:
		return wrong("it does not say whose the run is")
	case !isObject().MatchString(c.Head):
		return wrong("it does not say what the run is at")
	case !c.Begun() && c.Checkpoint == "" && c.Tree == "" && c.Name == "":
		return c, nil
	case !isObject().MatchString(c.Checkpoint), !isObject().MatchString(c.Tree):
		return wrong("it does not say what belongs to the run")
	case !journal.IsName(c.Name):
		return wrong("no run is called so")
	}
	for _, sha := range []string{c.Base, c.Published} {
		if sha != "" && !isObject().MatchString(sha) {
			return wrong("it does not say where its branch is")
		}
	}
	for _, n := range c.Chunks {
		if n < 1 || n > mostChunk {
			return wrong("a piece of the journal is empty, or too large")
		}
	}
	return c, nil
}

// Begun tells whether there are records. Before, a worker of a fleet has only said that
// it is about to begin.
func (c Card) Begun() bool { return len(c.Chunks) > 0 }

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Bid is who takes a run, and for a worker of a fleet the leg that it is to do: whoever
// has a later one has the run. The zero Bid is a person's.
type Bid struct {
	Worker string
	Leg    int
}

// fleet tells whether a worker of a fleet bids.
func (b Bid) fleet() bool { return b.Leg > 0 }

// beats is a *TakenError where the card that is there keeps the bidder from taking the
// run. What a person holds is not taken by a fleet.
func (b Bid) beats(c Card, remote string) error {
	if b.fleet() && c.Leg < b.Leg && (c.Fleet || !c.Held) || !b.fleet() && !c.Held {
		return nil
	}
	return &TakenError{Run: c.called(), Remote: remote, By: &c}
}

// called is what people call the run.
func (c Card) called() string { return cmp.Or(c.Name, c.Run) }

// sign makes the card one of its own.
func (c *Card) sign(by Bid, held bool) {
	c.Format, c.Worker, c.Held, c.Fleet, c.Nonce, c.At = format, by.Worker, held, by.fleet(), rand.Text(), time.Now().UTC().Truncate(time.Second)
	if by.Worker == "" {
		c.Worker = worker()
	}
}
