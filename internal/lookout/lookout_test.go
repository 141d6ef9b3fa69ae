package lookout

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/show"
	"github.com/refrain-loop/refrain/internal/view"
)

func (w *world) find(word string) *Run {
	w.t.Helper()
	r, err := w.Lookout.Find(w.t.Context(), word)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *world) entry(r *Run) (journal.Store, journal.Entry) {
	w.t.Helper()
	store, ok := r.Store()
	if !ok {
		w.t.Fatalf("no records of %s: %v", r.Row().Run, r.Trouble())
	}
	entry, err := store.Load(r.Name())
	if err != nil {
		w.t.Fatal(err)
	}
	return store, entry
}

func parked() *loop.RunParked { return &loop.RunParked{Why: "the worker leaves"} }

func done() *loop.RunFinished {
	return &loop.RunFinished{State: loop.Done, Reason: loop.ByGates, Why: "the agent says so"}
}

func TestARunOfTheFleetIsShownAsOneThatWasFetched(t *testing.T) {
	for _, end := range []loop.Payload{parked(), done()} {
		w := newWorld(t)
		w.leg("nightly", parked())
		row := w.leg("nightly", end)

		// Somebody looks from anywhere.
		r := w.find("nightly")
		away, there := w.entry(r)
		page := func(store journal.Store, entry journal.Entry, run func() *view.Run) (string, string) {
			var text, asJSON bytes.Buffer
			p := show.Page{Out: &text, Program: "refrain", Called: entry.Name, Store: store, Entry: entry, Run: run}
			wanted := show.Plain(false)
			if err := p.Show(t.Context(), 0, wanted); err != nil {
				t.Fatal(err)
			}
			p.Out = &asJSON
			if err := p.Show(t.Context(), 0, show.Plain(true)); err != nil {
				t.Fatal(err)
			}
			return text.String(), asJSON.String()
		}
		fleetText, fleetJSON := page(away, there, func() *view.Run { return r.View(away, there) })

		// Somebody else fetches it.
		laptop := w.store("laptop")
		if _, err := (carry.Place{Store: laptop}).Fetch(t.Context(), row.ID, "origin", false); err != nil {
			t.Fatal(err)
		}
		here, err := laptop.Load(w.called(laptop, row.ID))
		if err != nil {
			t.Fatal(err)
		}
		localText, localJSON := page(laptop, here, func() *view.Run { return history.LookNow(laptop, here) })

		where := regexp.MustCompile(`(?m)^  (fleet|remote|files|next) .*\n(^ {14}.*\n)*`)
		without := func(text string) string { return where.ReplaceAllString(text, "") }
		if without(fleetText) != without(localText) || without(localText) == "" {
			t.Errorf("of the fleet:\n%s\nand here:\n%s", fleetText, localText)
		}
		for _, want := range []string{"  fleet       nightly: ", "  remote      " + w.at("hub.git") + ", branch refrain/nightly\n"} {
			if !strings.Contains(fleetText, want) {
				t.Errorf("no %q in\n%s", want, fleetText)
			}
		}
		if strings.Contains(fleetText, "refrain resume") {
			t.Errorf("it cannot be resumed here:\n%s", fleetText)
		}
		if a, b := comparable(t, fleetJSON), comparable(t, localJSON); a != b {
			t.Errorf("of the fleet:\n%s\nand here:\n%s", a, b)
		}
	}
}

// comparable is what scripts hear of a run, but for where it is.
func comparable(t *testing.T, out string) string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dir", "next"} {
		delete(all, name)
	}
	b, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestARunWithoutRecordsIsWhatTheFleetSays(t *testing.T) {
	w := newWorld(t)
	w.say(fleet.Row{Run: "new", ID: "loop_01234567-0123-0123-0123-0123456789ab", State: fleet.Queued, Queue: "team", Place: fleet.Place{Remote: w.at("hub.git")}})
	r := w.find("new")
	if _, ok := r.Store(); ok || r.Trouble() != nil {
		t.Errorf("it has records, or trouble: %v", r.Trouble())
	}
	run := r.Blank()
	if run.State != fleet.Queued || run.Away.Who != "it waits for a worker of queue team" || len(run.Next()) == 0 {
		t.Errorf("run %+v, %+v", run, run.Away)
	}
	// The remote is not asked again at once.
	looks := w.looks
	w.find("new")
	if w.looks != looks {
		t.Error("the remote of a run without records is asked again at once")
	}
}

func TestOnlyWhatMovesIsLookedAt(t *testing.T) {
	w := newWorld(t)
	w.leg("a", parked())
	w.find("a")
	looks := w.looks
	for range 3 {
		w.find("a")
	}
	if w.looks != looks {
		t.Errorf("looked %d times at a run that stays as it is", w.looks-looks)
	}
	w.leg("a", done())
	r := w.find("a")
	if _, entry := w.entry(r); w.looks != looks+1 || entry.Finished == nil {
		t.Errorf("looked %d times, finished: %v", w.looks-looks, entry.Finished)
	}
}

func TestWhoHasARunIsTheFleetsWord(t *testing.T) {
	w := newWorld(t)
	row := w.leg("a", parked())
	r := w.find("a")
	store, entry := w.entry(r)
	if h, held := store.Holder(); !held || h.Run != entry.Name {
		t.Errorf("holder %+v, %v; want the fleet to have it", h, held)
	}
	if run := r.View(store, entry); run.State != loop.Parked || run.PID != 0 {
		t.Errorf("run is %s, process %d", run.State, run.PID)
	}
	// It was stopped where no leg was: the records do not know.
	row.State, row.Reason, row.Why, row.EndedAt = loop.Stopped, loop.ByRequest, "a person stopped it", time.Now()
	w.say(row)
	r = w.find("a")
	run := r.View(store, entry)
	if s := run.Status(time.Now()); s.State != loop.Stopped || s.Why != "a person stopped it" || s.Proven == nil {
		t.Errorf("status %+v", s)
	}
	if _, held := store.Holder(); held {
		t.Error("somebody has a run that is over")
	}
}

func TestWhatADeadWorkerLeftIsNotAtWork(t *testing.T) {
	w := newWorld(t)
	row := w.leg("a", parked())
	r := w.find("a")
	store, entry := w.entry(r)
	// As if the leg had been cut off: the records have no end.
	entry.Parked = nil
	entry.Tail = entry.Tail[:len(entry.Tail)-1]
	row.Live, row.State = true, loop.Running
	w.say(row)
	if run := w.find("a").View(store, entry); run.State != loop.Running {
		t.Errorf("a live run is %s", run.State)
	}
	row.Live, row.State, row.Paused = false, loop.Paused, true
	w.say(row)
	run := w.find("a").View(store, entry)
	if run.State != loop.Paused || run.Open || run.Next()[0].Command != "refrain fleet resume a" {
		t.Errorf("a run that nobody is at is %s, at work: %v, %v", run.State, run.Open, run.Next())
	}
}

func TestARemoteThatIsGoneLeavesWhatWasSeen(t *testing.T) {
	w := newWorld(t)
	row := w.leg("a", parked())
	w.find("a")
	if err := os.Rename(w.at("hub.git"), w.at("away.git")); err != nil {
		t.Fatal(err)
	}
	row.At = strings.Repeat("0", 39) + "1"
	w.say(row)
	r := w.find("a")
	w.entry(r)
	var unreachable *carry.UnreachableError
	if !errors.As(r.Trouble(), &unreachable) {
		t.Errorf("trouble: %v", r.Trouble())
	}
	if err := os.Rename(w.at("away.git"), w.at("hub.git")); err != nil {
		t.Fatal(err)
	}
	w.leg("a", done())
	if r = w.find("a"); r.Trouble() != nil {
		t.Errorf("trouble that is over: %v", r.Trouble())
	}
}

func TestFollowingGoesOnFromLegToLeg(t *testing.T) {
	w := newWorld(t)
	w.leg("a", parked())
	r := w.find("a")
	store, entry := w.entry(r)
	seen := make(chan loop.Event, 100)
	ended := make(chan error, 1)
	go func() {
		defer close(seen)
		for e, err := range control.Follow(t.Context(), store, entry.Name, 0) {
			if err != nil {
				ended <- err
				return
			}
			seen <- e
		}
		ended <- nil
	}()
	var types []string
	next := func() loop.Type {
		e := <-seen
		types = append(types, string(e.Type()))
		return e.Type()
	}
	for next() != "run.parked" {
	}
	w.leg("a", done())
	w.find("a")
	for next() != "run.finished" {
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if all := strings.Join(types, " "); strings.Count(all, "iteration.finished") != 2 || strings.Count(all, "agent.text") != 2 || !strings.Contains(all, "run.parked run.resumed") {
		t.Errorf("heard %s", all)
	}
}

func TestAllRunsAreKept(t *testing.T) {
	w := newWorld(t)
	w.leg("a", parked())
	w.leg("b", done())
	w.say(fleet.Row{Run: "c", ID: "loop_01234567-0123-0123-0123-0123456789ab", State: fleet.Queued, Place: fleet.Place{Remote: w.at("hub.git")}})
	if err := w.lookAll(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range w.Runs() {
		names = append(names, r.Row().Run)
	}
	if strings.Join(names, " ") != "b a c" {
		t.Errorf("runs %v", names)
	}
	stores, err := w.Stores()
	if coming := w.Coming(); err != nil || len(stores) != 2 || len(coming) != 1 || coming[0].Name != "c" {
		t.Errorf("records of %d, %v; and coming: %v", len(stores), err, coming)
	}
	_, entry := w.entry(w.find("b"))
	if run := w.View(stores[0], entry); run.State != loop.Done || run.Away.Called != "b" {
		t.Errorf("run %s, %+v", run.State, run.Away)
	}
	delete(w.rows, "b")
	if err := w.lookAll(t.Context(), 10); err != nil || len(w.Runs()) != 2 {
		t.Errorf("a run that the fleet has forgotten is kept: %v, %v", w.Runs(), err)
	}
	w.down = &fleet.UnreachableError{Address: "x", Err: errors.New("no")}
	if err := w.lookAll(t.Context(), 10); err == nil || len(w.Runs()) != 2 {
		t.Errorf("without the fleet: %v, %v", w.Runs(), err)
	}
}

func TestWhatARunChangedCanBeShown(t *testing.T) {
	w := newWorld(t)
	w.leg("a", parked())
	r := w.find("a")
	store, entry := w.entry(r)
	if err := w.Files(t.Context(), entry); err != nil {
		t.Fatal(err)
	}
	h, err := history.Open(t.Context(), store, entry)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.At(t.Context(), 0); err != nil {
		t.Error(err)
	}
	if _, err := h.At(t.Context(), 1); err != nil {
		t.Error(err)
	}
}

func TestOrdersGoToTheFleet(t *testing.T) {
	w := newWorld(t)
	w.leg("a", parked())
	r := w.find("a")
	answer, err := r.Do(t.Context(), control.Command{Command: control.Note, Text: "hello"})
	if err != nil || !answer.OK || answer.Effect != "heard: note" || len(w.orders) != 1 || w.orders[0] != (fleet.Order{Command: "note", Text: "hello"}) {
		t.Errorf("answer %+v, %v, orders %v", answer, err, w.orders)
	}
	var refused *control.Refused
	if _, err := r.Do(t.Context(), control.Command{Command: control.Skip}); !errors.As(err, &refused) || refused.Why != "no agent is running" || refused.State != loop.Parked {
		t.Errorf("refused: %v", err)
	}
}
