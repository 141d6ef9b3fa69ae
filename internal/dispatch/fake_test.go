package dispatch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

// book is a fleet in a file: what has been handed in, and what stories say of runs,
// workers and orders. Without the file no server answers.
type book struct {
	Server   fleet.Server             `json:"server"` // that was dialled last
	Specs    []fleet.Spec             `json:"specs"`
	Rows     []fleet.Row              `json:"rows"`
	Orders   []given                  `json:"orders"`
	Refuse   string                   `json:"refuse"` // why orders are
	Workers  []fleet.Worker           `json:"workers"`
	Accounts map[string]fleet.Account `json:"accounts"`
	Plans    []fleet.Plan             `json:"plans"`
	Full     int                      `json:"full"` // after so many runs no other is taken
	Legs     []fleet.Turn             `json:"legs"` // for a worker
	Works    int                      `json:"works"`
	Lost     int                      `json:"lost"` // so often a worker finds no server
}

type given struct {
	Run   string      `json:"run"`
	Order fleet.Order `json:"order"`
}

func bookFile() string { return os.Getenv("FLEET") }

func readBook() (*book, error) {
	b, err := os.ReadFile(bookFile())
	if err != nil {
		return nil, &fleet.UnreachableError{Address: "127.0.0.1:7233", Err: errors.New("connection refused")}
	}
	var k book
	if err := json.Unmarshal(b, &k); err != nil {
		return nil, err
	}
	return &k, nil
}

// write puts the book into the place of the old one: somebody may be reading that.
func (k *book) write() error {
	b, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(bookFile()+".new", append(b, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(bookFile()+".new", bookFile())
}

// service is the fleet of a book.
type service struct{ *book }

func dialBook(_ context.Context, s fleet.Server) (fleet.Service, error) {
	k, err := readBook()
	if err != nil {
		var gone *fleet.UnreachableError
		if errors.As(err, &gone) {
			gone.Address = s.Address
		}
		return nil, err
	}
	k.Server = s
	return service{k}, k.write()
}

func (s service) Close() {}

func (s service) Submit(_ context.Context, spec fleet.Spec) error {
	if s.Full > 0 && len(s.Specs) >= s.Full {
		return errors.New("the fleet takes no more")
	}
	if slices.ContainsFunc(s.Rows, func(r fleet.Row) bool { return r.Run == spec.Name && r.EndedAt.IsZero() }) {
		return &fleet.ExistsError{Run: spec.Name}
	}
	s.Specs = append(s.Specs, spec)
	s.Rows = append([]fleet.Row{{
		Run: spec.Name, ID: spec.ID, State: fleet.Queued, Queue: spec.Queue, Leg: spec.Leg, By: spec.By,
		Place: fleet.Place{Remote: spec.Remote, Branch: spec.Branch},
	}}, s.Rows...)
	return s.write()
}

func (s service) List(_ context.Context, f fleet.Filter) ([]fleet.Row, error) {
	var list []fleet.Row
	for _, r := range s.Rows {
		over := !r.EndedAt.IsZero()
		if over && !f.Over || f.State != "" && r.State != f.State || f.Queue != "" && r.Queue != f.Queue || f.Remote != "" && r.Remote != f.Remote {
			continue
		}
		if list = append(list, r); len(list) == f.Most {
			break
		}
	}
	return list, nil
}

func (s service) Find(_ context.Context, word string) (fleet.Row, error) {
	for _, r := range s.Rows {
		if r.Run == word || strings.HasPrefix(r.ID, word) {
			return r, nil
		}
	}
	return fleet.Row{}, &fleet.UnknownError{What: fmt.Sprintf("the fleet has no run %q", word), Do: "\"refrain fleet ls --all\" lists them"}
}

func (s service) Order(_ context.Context, run string, o fleet.Order) (fleet.Answer, error) {
	if s.Refuse != "" {
		return fleet.Answer{State: loop.Running, Why: s.Refuse}, nil
	}
	s.Orders = append(s.Orders, given{run, o})
	return fleet.Answer{OK: true, Effect: strings.TrimSpace("heard " + o.Command + " " + cmp.Or(o.Text, o.Value)), State: loop.Running}, s.write()
}

// Wait waits until a story says that the run is over.
func (s service) Wait(ctx context.Context, run string) (fleet.Row, error) {
	if err := os.WriteFile(bookFile()+".waits", []byte(run), 0o600); err != nil {
		return fleet.Row{}, err
	}
	for {
		k, err := readBook()
		if err != nil {
			return fleet.Row{}, err
		}
		for _, r := range k.Rows {
			if r.Run == run && !r.EndedAt.IsZero() {
				return r, nil
			}
		}
		select {
		case <-ctx.Done():
			return fleet.Row{}, ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (s service) Workers(_ context.Context, queue string) ([]fleet.Worker, error) {
	return slices.DeleteFunc(slices.Clone(s.book.Workers), func(w fleet.Worker) bool { return w.Queue != queue }), nil
}

func (s service) Account(_ context.Context, queue string, set *fleet.Allowance) (fleet.Account, error) {
	a := s.Accounts[queue]
	a.Queue = queue
	if set == nil {
		return a, nil
	}
	a = a.Allow(*set)
	if s.Accounts == nil {
		s.Accounts = map[string]fleet.Account{}
	}
	s.Accounts[queue] = a
	return a, s.write()
}

func (s service) Schedule(_ context.Context, p fleet.Plan) error {
	s.Plans = append(s.Plans, p)
	return s.write()
}

func (s service) Schedules(context.Context) ([]fleet.Planned, error) {
	var list []fleet.Planned
	for _, p := range s.Plans {
		list = append(list, fleet.Planned{Name: p.Name, When: p.When, Remote: p.Spec.Remote})
	}
	return list, nil
}

func (s service) Unschedule(_ context.Context, name string) error {
	i := slices.IndexFunc(s.Plans, func(p fleet.Plan) bool { return p.Name == name })
	if i < 0 {
		return &fleet.UnknownError{What: fmt.Sprintf("there is no schedule %q", name), Do: "\"refrain fleet schedule ls\" lists them"}
	}
	s.Plans = slices.Delete(s.Plans, i, i+1)
	return s.write()
}

// workBook does the legs of a book, each at once, and then waits to be told to leave.
func workBook(ctx context.Context, server fleet.Server, shift fleet.Shift, legs fleet.Legs) error {
	k, err := readBook()
	if err != nil {
		return errors.Join(os.WriteFile(bookFile()+".tried", []byte("once\n"), 0o600), err)
	}
	if k.Works++; k.Works <= k.Lost {
		return errors.Join(k.write(), &fleet.UnreachableError{Address: server.Address, Err: errors.New("connection refused")})
	}
	k.Server = server
	k.Workers = append(k.Workers, fleet.Worker{Name: shift.Name, Queue: shift.Queue, Slots: shift.Slots})
	if err := k.write(); err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, t := range k.Legs {
			_, _ = legs.Run(context.WithoutCancel(ctx), t, fleet.Hooks{})
		}
	}()
	<-ctx.Done()
	legs.Leave(false)
	<-done
	return nil
}

// desk does legs as their words say: "done" is over at once, "slow" when it is told to
// leave, "deaf" when it is told to leave at once, and "bad" comes to nothing.
type desk struct {
	soon, now chan struct{}
}

func newDesk(b Bench) (Desk, error) {
	if b.Root == os.Getenv("BUSY") {
		return nil, errors.New(b.Root + " is in use")
	}
	if err := os.MkdirAll(b.Root, 0o700); err != nil {
		return nil, err
	}
	return &desk{make(chan struct{}), make(chan struct{})}, nil
}

func (d *desk) Run(_ context.Context, t fleet.Turn, _ fleet.Hooks) (fleet.Standing, error) {
	if err := os.WriteFile(bookFile()+".leg", []byte(t.Spec.Words), 0o600); err != nil {
		return fleet.Standing{}, err
	}
	if os.Getenv("REFRAIN_FLEET_API_KEY") != "" {
		return fleet.Standing{}, errors.New("the key is there for agents to read")
	}
	switch t.Spec.Words {
	case "slow":
		<-d.soon
		return fleet.Standing{State: loop.Parked, Iterations: 2, Why: "the worker leaves"}, nil
	case "deaf":
		<-d.now
		return fleet.Standing{State: loop.Parked, Iterations: 1}, nil
	case "bad":
		return fleet.Standing{}, errors.New("no such repository")
	case "taken":
		return fleet.Standing{Taken: true}, nil
	}
	return fleet.Standing{State: loop.Done, Iterations: 3, Proven: true}, nil
}

func (d *desk) Tell(context.Context, string, int, fleet.Order) (fleet.Answer, error) {
	return fleet.Answer{}, nil
}

func (d *desk) Leave(now bool) {
	for _, c := range []chan struct{}{d.soon, d.now} {
		select {
		case <-c:
		default:
			if c == d.soon || now {
				close(c)
			}
		}
	}
}

func (d *desk) Live() int    { return 1 }
func (d *desk) Close() error { return nil }
