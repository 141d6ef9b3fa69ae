package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/ledger"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// runs is what pages ask of one run.
type runs struct{ *Server }

// Run is all that the head of a run's page shows.
type Run struct {
	Version string    `json:"version"`
	Boot    string    `json:"boot"`
	Now     time.Time `json:"now"`

	Row    Row         `json:"row"`
	Status view.Status `json:"status"`
	Seq    int64       `json:"seq"`

	Sentence string      `json:"sentence"`
	Next     string      `json:"next,omitempty"`
	NextAt   time.Time   `json:"next_at,omitzero"`
	Limits   loop.Limits `json:"limits"`

	Promise string `json:"promise,omitempty"`
	Prompt  string `json:"prompt,omitempty"`
	Command string `json:"command,omitempty"`

	Attempt int               `json:"attempt,omitempty"`
	Open    bool              `json:"open,omitempty"`
	Gate    *loop.GateStarted `json:"gate,omitempty"`
	Context int               `json:"context,omitempty"`

	Actions  map[string]Able `json:"actions"`
	Raisable []string        `json:"raisable"`
	Steps    []Step          `json:"steps,omitempty"`
}

// Able tells whether something can be done, and why not.
type Able struct {
	OK  bool   `json:"ok"`
	Why string `json:"why,omitempty"`
}

// Step is a command to type, and what it is for.
type Step struct {
	Command string `json:"command"`
	For     string `json:"for"`
}

// describe is the head of a run's page.
func (s runs) describe(one ship, run *view.Run, seq int64, now time.Time) Run {
	row := rowOf(run, one.entry.Tree, seq, now)
	row.Repository = repositoryAt(run, one.repo)
	if run.State.Ended() && one.row.State.Ended() {
		row.Group = one.row.Group // the fleet knows whether another one came after it
	}
	d := Run{
		Version: s.Version, Boot: s.boot, Now: now.UTC(),
		Row: row, Status: run.Status(now), Seq: seq,
		Sentence: row.Why, Limits: run.Limits,
		Promise: run.Promise, Prompt: text.Shorten(text.Line(run.Prompt), 100), Command: commandOf(one),
		Attempt: run.Attempt, Open: run.Open, Gate: run.Gate, Context: run.ContextPercent(),
		Actions: s.actions(one, run), Raisable: s.Raisable,
	}
	d.Next, d.NextAt = whatNext(run)
	for _, step := range run.Next() {
		d.Steps = append(d.Steps, Step{step.Command, step.For})
	}
	return d
}

// commandOf is the command line that a run was given, if it was one: of an agent that is
// known by its name, that says more.
func commandOf(one ship) string {
	var asked struct {
		Command []string `json:"command"`
	}
	if json.Unmarshal(one.entry.Flags, &asked) != nil || len(asked.Command) == 0 {
		return ""
	}
	return text.Line(text.JoinArgs(asked.Command))
}

// whatNext says what happens next, and when, where that is known.
func whatNext(run *view.Run) (string, time.Time) {
	switch {
	case run.Asked != nil && run.Pausing:
		return "it pauses when the question is answered", run.Asked.Until
	case run.Asked != nil && run.Asked.Until.IsZero():
		return "it waits for your answer", time.Time{}
	case run.Asked != nil:
		return fmt.Sprintf("without an answer it takes %q", text.Line(run.Asked.Default)), run.Asked.Until
	case run.Wait != nil:
		return "then it goes on by itself", run.Wait.Until
	case run.State == loop.Paused:
		return "nothing begins until you let it go on", time.Time{}
	case run.State.Ended():
		return "", time.Time{}
	case run.Pausing:
		return "it pauses when this iteration is over", time.Time{}
	case run.Open && run.Phase == loop.Executing && len(run.Gates) > 0:
		var names []string
		for _, g := range run.Gates {
			names = append(names, text.Line(g.Name))
		}
		return "when the agent has ended, the gates run: " + strings.Join(names, ", "), time.Time{}
	case run.Open && run.Phase == loop.Executing:
		return "when the agent has ended, the run looks at what it did", time.Time{}
	case run.Open:
		return "then it is decided whether the run goes on", time.Time{}
	}
	return "the next iteration begins", time.Time{}
}

// actions tells what can be done with a run now. The run itself has the last word.
func (s runs) actions(one ship, run *view.Run) map[string]Able {
	yes := Able{OK: true}
	no := func(format string, args ...any) Able { return Able{Why: fmt.Sprintf(format, args...)} }
	can := func(ok bool, why string) Able {
		if ok {
			return yes
		}
		return no("%s", why)
	}
	all := map[string]Able{}
	if run.Away != nil {
		defer func() { // the files are not here
			away := no("its files are elsewhere: go on with it here by \"refrain carry fetch\"")
			all["restart"], all["rollback"] = away, away
		}()
	}
	rests := run.Away.Rests(run.State)
	if run.State.Ended() && !rests {
		for _, c := range control.Commands() {
			all[c] = no("the run is over: it is %s", run.State)
		}
		goesOn := can(history.CanGoOn(run.State), "the run is done: there is nothing to go on with")
		back := yes
		switch h, held := one.store.Holder(); {
		case one.entry.Gone:
			goesOn, back = no("its work tree is gone"), no("its work tree is gone")
		case held:
			busy := no("%s is live in this work tree", cmp.Or(h.Run, "another run"))
			goesOn, back = busy, busy
		}
		all["restart"], all["rollback"] = goesOn, back
		return all
	}
	waits := run.State == loop.Waiting && run.Asked == nil
	all[control.Pause] = can(run.State != loop.Paused, "the run is paused already")
	if run.Pausing {
		all[control.Pause] = no("the run pauses already: resume takes that back")
	}
	all[control.Resume] = can(run.State == loop.Paused || waits || rests || run.Pausing, "the run is "+string(run.State)+": there is nothing to resume")
	all[control.Skip] = can(run.Open && run.Phase == loop.Executing, "no agent is running: there is nothing to skip")
	all[control.Reboot] = can(run.Sum.Counting.Keep, "every iteration begins a fresh session already")
	all[control.Approve] = can(run.Asked != nil, "the run asks nothing")
	for _, c := range []string{control.Note, control.Raise, control.Stop, control.StopNow} {
		all[c] = yes
	}
	if h, held := one.store.Holder(); held && h.Socket == "" && s.Do == nil {
		for c := range all {
			all[c] = no("the run takes no commands: it is just starting, or could not open its socket")
		}
	}
	all["restart"], all["rollback"] = no("the run is alive"), no("the run is alive: stop it first")
	return all
}

// theRun is the run that an address names. Without one, that is answered.
func (s runs) theRun(w http.ResponseWriter, r *http.Request) (ship, bool) {
	one, ok := s.fleet.find(r.PathValue("id"), time.Now())
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, fmt.Sprintf("there is no run %.100q", r.PathValue("id")), "it may have been deleted, or moved with its project")
	case one.coming:
		refuse(w, http.StatusNotFound, notBegun(one), "look again when it has")
	}
	return one, ok && !one.coming
}

// notBegun says of a run without records what it waits for.
func notBegun(one ship) string {
	said := one.row.Run + " has not begun"
	if one.run.Away != nil {
		said += ": " + one.run.Away.Who
	}
	return text.Line(said)
}

// current is a run as it stands now.
func (s runs) current(one ship) Run {
	entry, err := one.store.Load(one.entry.Name)
	if err != nil {
		entry = one.entry
	}
	one.entry = entry
	return s.describe(one, s.LookClosely(one.store, entry), entry.Seq(), time.Now())
}

func (s runs) run(w http.ResponseWriter, r *http.Request) {
	if one, ok := s.theRun(w, r); ok {
		answer(w, http.StatusOK, s.current(one))
	}
}

func (s runs) runPage(w http.ResponseWriter, r *http.Request) {
	one, ok := s.fleet.find(r.PathValue("id"), time.Now())
	if !ok {
		s.notHere(w, fmt.Sprintf("There is no run %.100q: it may have been deleted, or moved with its project.", r.PathValue("id")))
		return
	}
	if one.coming {
		s.notHere(w, notBegun(one)+".")
		return
	}
	// The page is about to ask for all attempts: of a long run, they are read while the
	// browser is still busy with the page.
	s.wg.Go(func() { _ = s.ledgers.of(one).Read(func(*ledger.Book) {}) }) // who asks hears what is wrong
	s.pages.paint(w, http.StatusOK, "run.html", painted{Version: s.Version, Page: "run", First: s.current(one)})
}
