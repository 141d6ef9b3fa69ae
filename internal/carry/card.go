package carry

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
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

	Leg    int       `json:"leg"`            // how often it has changed hands
	Worker string    `json:"worker"`         // who moved it last
	Held   bool      `json:"held,omitempty"` // and goes on with it; else it is anybody's
	Nonce  string    `json:"nonce"`          // no two cards are the same
	At     time.Time `json:"at"`

	Head       string `json:"head"`             // the commit that was checked out
	Branch     string `json:"branch,omitempty"` // that was at it
	Checkpoint string `json:"checkpoint"`       // of the work tree
	Tree       string `json:"tree"`             // what that holds
	Prefix     string `json:"prefix,omitempty"` // from the top of the work tree to the folder of the run

	Chunks []int  `json:"chunks"` // how long each piece of the journal is
	Sum    string `json:"sum"`    // of all of them
	Cut    []Cut  `json:"cut,omitempty"`
}

// Cut is a file that stays, since it is too large.
type Cut struct {
	File string `json:"file"`
	Size int64  `json:"size"`
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
	case !isObject().MatchString(c.Head), !isObject().MatchString(c.Checkpoint), !isObject().MatchString(c.Tree):
		return wrong("it does not say what belongs to the run")
	case c.Leg < 1 || c.Leg > 1<<30:
		return wrong("it does not say whose the run is")
	case !journal.IsName(c.Name):
		return wrong("no run is called so")
	}
	for _, n := range c.Chunks {
		if n < 1 || n > mostChunk {
			return wrong("a piece of the journal is empty, or too large")
		}
	}
	return c, nil
}

// follow has a card speak of a journal that goes on from that of the card before: the
// pieces that are there stay.
func (c *Card) follow(before *Card, journal []byte) error {
	c.Chunks = nil
	known := 0
	if before != nil {
		for _, n := range before.Chunks {
			known += n
		}
		if known > len(journal) || sumOf(journal[:known]) != before.Sum {
			return errors.New("the journal here does not go on from what was carried away before")
		}
		c.Chunks = append(c.Chunks, before.Chunks...)
	}
	for known < len(journal) {
		n := min(len(journal)-known, mostPiece)
		c.Chunks = append(c.Chunks, n)
		known += n
	}
	c.Sum = sumOf(journal)
	return nil
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// sign makes the card one of its own.
func (c *Card) sign(worker string, held bool) {
	c.Format, c.Worker, c.Held, c.Nonce, c.At = format, worker, held, rand.Text(), time.Now().UTC().Truncate(time.Second)
}
