package web

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Overview is all that the first page shows.
type Overview struct {
	Version    string       `json:"version"`
	Boot       string       `json:"boot"`
	Now        time.Time    `json:"now"`
	Here       string       `json:"here,omitempty"`
	Starts     bool         `json:"starts"` // a run can be started from the page
	Machine    Machine      `json:"machine"`
	Runs       []Row        `json:"runs"`
	More       int          `json:"more,omitempty"`
	Unreadable []Unreadable `json:"unreadable,omitempty"`

	versions map[string]int64
}

// Machine is what all runs come to together.
type Machine struct {
	Live           int     `json:"live"`
	Needs          int     `json:"needs"`
	SpendToday     float64 `json:"spend_today_usd"`
	SpendEstimated bool    `json:"spend_estimated,omitempty"`
	Limits         []Limit `json:"limits"`
}

// Limit is what a provider has told one of the runs, and holds for all of them.
type Limit struct {
	Agent string    `json:"agent"`
	Kind  string    `json:"kind"`
	Until time.Time `json:"until,omitzero"`
	At    time.Time `json:"at"`
	Run   string    `json:"run"`
	Tree  string    `json:"tree"`
}

// usualFinished is how many runs that are over are listed, unless more are wanted.
const usualFinished = 200

// survey looks at everything.
func (s *Server) survey(finished int) (Overview, error) {
	now := time.Now()
	if err := s.fleet.look(now); err != nil {
		return Overview{}, err
	}
	ships, bad := s.fleet.rows()
	o := Overview{
		Version: s.Version, Boot: s.boot, Now: now.UTC(), Here: s.Here, Starts: s.Program != nil,
		Runs: []Row{}, Unreadable: bad, versions: map[string]int64{},
	}
	for _, one := range ships {
		if one.row.Group == isOver {
			if finished--; finished < 0 {
				o.More++
				continue
			}
		}
		o.Runs = append(o.Runs, one.row)
		o.versions[one.row.ID] = one.version
	}
	o.Machine = s.machine(ships, now)
	return o, nil
}

// machine adds up what all runs come to.
func (s *Server) machine(ships []*ship, now time.Time) Machine {
	m := Machine{Limits: []Limit{}}
	if s.Limits != nil {
		if list, err := s.Limits(now); err == nil { // else nobody knows of any
			m.Limits = append(m.Limits, list...)
		}
	}
	m.SpendToday, m.SpendEstimated = s.fleet.spendToday(now)
	for _, one := range ships {
		if !one.row.State.Ended() {
			m.Live++
		}
		if one.row.Group == needsYou {
			m.Needs++
		}
	}
	return m
}

// spendToday is what all runs have cost since midnight, where people are.
func (f *fleet) spendToday(now time.Time) (usd float64, estimated bool) {
	y, month, d := now.Local().Date()
	midnight := time.Date(y, month, d, 0, 0, 0, 0, time.Local)
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.byID {
		if cost := s.spentToday(midnight); cost > 0 {
			usd += cost
			estimated = estimated || s.row.CostEstimated
		}
	}
	return usd, estimated
}

func (s *Server) overview(w http.ResponseWriter, r *http.Request) {
	finished := usualFinished
	if text := r.URL.Query().Get("finished"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			refuse(w, http.StatusBadRequest, fmt.Sprintf("%.100q is not a number of runs", text), "")
			return
		}
		finished = n
	}
	o, err := s.survey(finished)
	if err != nil {
		s.fail(w, err)
		return
	}
	answer(w, http.StatusOK, o)
}

// fail answers when something went wrong that is not the client's.
func (s *Server) fail(w http.ResponseWriter, err error) {
	refuse(w, http.StatusInternalServerError, err.Error(), "")
}

// lookEvery is how often the runs are looked at for a page that is open.
const lookEvery = time.Second

// overviewStream keeps a page up to date. It remembers which row the page has of each
// run, and sends what is newer: a page that is slow gets fewer of them, never old ones.
func (s *Server) overviewStream(w http.ResponseWriter, r *http.Request) {
	out := newEvents(w, r)
	had, machine := map[string]int64(nil), Machine{}
	for n := 1; ; n++ {
		o, err := s.survey(usualFinished)
		if err == nil {
			err = sendNews(out, fmt.Sprintf("%s-%d", s.boot, n), had, machine, o)
			had, machine = o.versions, o.Machine
		}
		if err != nil {
			return // the page connects again
		}
		if once(r) {
			_ = out.rest("") // who has gone comes again
			return
		}
		if s.closing.Err() != nil {
			_ = out.bye(s.Farewell) // there is nobody to tell
			return
		}
		if !out.wait(s.closing, lookEvery) {
			if s.closing.Err() == nil {
				return
			}
			s.fleet.forgetLook() // the last look is a fresh one
		}
	}
}

// fleetNews is what has changed.
type fleetNews struct {
	Now     time.Time `json:"now"`
	Changed []Row     `json:"changed,omitempty"`
	Gone    []string  `json:"gone,omitempty"`
}

func sendNews(out *events, id string, had map[string]int64, machine Machine, o Overview) error {
	if had == nil {
		return out.send("snapshot", id, o)
	}
	news := fleetNews{Now: o.Now}
	for _, row := range o.Runs {
		if had[row.ID] != o.versions[row.ID] {
			news.Changed = append(news.Changed, row)
		}
	}
	for run := range had {
		if _, still := o.versions[run]; !still {
			news.Gone = append(news.Gone, run)
		}
	}
	if len(news.Changed)+len(news.Gone) > 0 {
		if err := out.send("runs", id, news); err != nil {
			return err
		}
	}
	if !machine.same(o.Machine) {
		return out.send("machine", id, o.Machine)
	}
	return nil
}

func (m Machine) same(o Machine) bool {
	return fmt.Sprint(m) == fmt.Sprint(o)
}
