package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/peer"
	"github.com/refrain-loop/refrain/internal/text"
)

// actor does what pages want.
type actor struct{ runs }

// takeTime is how long a live run has to take a command.
const takeTime = 30 * time.Second

// order reads what a page wants, from a client that may want something: not from an
// agent of a run.
func (s actor) order(w http.ResponseWriter, r *http.Request, into any) bool {
	if s.Inside != nil {
		if why := peer.Barred(r, s.Tunnel, s.Inside); why != "" {
			refuse(w, http.StatusForbidden, why, "use the command of that name in a terminal; for a tunnel, start \"refrain serve --tunnel\"")
			return false
		}
	}
	limits := http.NewResponseController(w)
	_ = limits.SetReadDeadline(time.Now().Add(bodyTime)) // a recorder has none
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	_ = limits.SetReadDeadline(time.Time{})
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("a request has at most %d bytes", tooLarge.Limit), "")
		return false
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "the request could not be read: "+err.Error(), "")
		return false
	}
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		refuse(w, http.StatusBadRequest, "the request is not understood: "+err.Error(), "")
		return false
	}
	_ = limits.SetWriteDeadline(time.Time{}) // what it waits for may take its time
	return true
}

// command is what a page wants of a live run.
type command struct {
	Command string `json:"command"`
	Text    string `json:"text"`
	Key     string `json:"key"`
	Value   string `json:"value"`
	// Question is the one that is answered, as the page showed it.
	Question string `json:"question"`
	Wait     bool   `json:"wait"`
}

// obeyed is what came of it.
type obeyed struct {
	OK     bool        `json:"ok"`
	Run    string      `json:"run"`
	Effect string      `json:"effect,omitempty"`
	State  loop.Status `json:"state,omitempty"`
	Why    string      `json:"why,omitempty"`
	Hint   string      `json:"hint,omitempty"`
	Equal  string      `json:"equal,omitempty"`
	Left   *[]string   `json:"left_running,omitempty"`
}

// command gives a live run a command, as the command line does.
func (s actor) command(w http.ResponseWriter, r *http.Request) {
	one, ok := s.theRun(w, r)
	if !ok {
		return
	}
	var c command
	if !s.order(w, r, &c) {
		return
	}
	out := obeyed{Run: one.entry.Name, Equal: s.equal(one, c.args)}
	no := func(state loop.Status, why, hint string) {
		out.State, out.Why, out.Hint = state, why, hint
		answer(w, http.StatusConflict, out)
	}
	holder, alive := one.store.Holder()
	switch {
	case !alive || holder.Run != one.entry.Name:
		no(one.store.Status(one.entry), one.entry.Name+" is not running", "its page tells how it ended, and how to go on")
		return
	case holder.Socket == "" && s.Do == nil:
		no("", one.entry.Name+" takes no commands", "it is just starting, or could not open its socket")
		return
	}
	ctx := r.Context()
	if !c.Wait {
		limited, cancel := context.WithTimeout(ctx, takeTime)
		defer cancel()
		ctx = limited
	}
	do := control.Dial(holder.Socket).Do
	if s.Do != nil {
		do = func(ctx context.Context, c control.Command) (control.Answer, error) {
			return s.Do(ctx, one.store, one.entry.Name, c)
		}
	}
	told, err := do(ctx, control.Command{Command: c.Command, Text: c.Text, Key: c.Key, Value: c.Value, Question: c.Question, NoWait: !c.Wait})
	var refused *control.Refused
	switch {
	case errors.As(err, &refused):
		no(refused.State, refused.Why, "")
	case errors.Is(err, control.ErrNobody):
		no("", "nobody answers: the run has just ended, or its socket is gone", "its page tells which")
	case errors.Is(err, control.ErrSilent):
		no("", one.entry.Name+" does not answer: its runner is stopped, or hangs", fmt.Sprintf("its process is %d", holder.PID))
	case err != nil:
		s.explain(w, http.StatusInternalServerError, err)
	default:
		out.OK, out.Effect, out.State = true, told.Effect, told.State
		if c.Wait && out.State.Ended() {
			out.Left = s.leftOf(ctx, one)
		}
		answer(w, http.StatusOK, out)
	}
}

// leftOf looks which processes a run has left that has just ended. Its runner may be
// about to leave itself.
func (s actor) leftOf(ctx context.Context, one ship) *[]string {
	for range 50 {
		if h, held := one.store.Holder(); !held || h.Run != one.entry.Name {
			break
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil
		}
	}
	entry, err := one.store.Load(one.entry.Name)
	if err != nil {
		return nil
	}
	return s.LookClosely(one.store, entry).Left
}

// args are what a person would type behind "refrain".
func (c command) args(run string) []string {
	switch c.Command {
	case control.StopNow:
		return []string{"stop", run, "--now"}
	case control.Note:
		return []string{"note", run, c.Text}
	case control.Raise:
		return []string{"raise", run, c.Key + "=" + c.Value}
	case control.Approve:
		if c.Text != "" {
			return []string{"approve", run, c.Text}
		}
	}
	return []string{c.Command, run}
}

// equal is the command line that does the same to a run, wherever it is typed.
func (s actor) equal(one ship, args func(run string) []string) string {
	if away := one.run.Away; away != nil {
		return text.JoinArgs(append([]string{"refrain", "fleet"}, args(away.Called)...))
	}
	return equalIn(one.entry.Tree, args(one.entry.Name))
}

// equalIn is the command line that does the same in a work tree.
func equalIn(tree string, args []string) string {
	return text.JoinArgs(append([]string{"refrain", "-C", tree}, args...))
}

// rollback is where a page wants the files of a run back to.
type rollback struct {
	Iteration  *int   `json:"iteration"`
	Checkpoint string `json:"checkpoint"`
	Confirm    bool   `json:"confirm"`
	// Shown is what the page has shown that it would do: with another list, nothing is done.
	Shown string `json:"shown"`
}

// rolledBack is what that did, or would do.
type rolledBack struct {
	OK      bool         `json:"ok"`
	Dry     bool         `json:"dry,omitempty"`
	To      string       `json:"to"`
	Kept    string       `json:"kept,omitempty"`
	Changes loop.Changes `json:"changes"`
	Shown   string       `json:"shown,omitempty"` // what confirms this list, and no other
	Commits []string     `json:"commits,omitempty"`
	Equal   string       `json:"equal"`
	Undo    string       `json:"undo,omitempty"`
}

func (s actor) rollBack(w http.ResponseWriter, r *http.Request) {
	one, ok := s.theRun(w, r)
	if !ok {
		return
	}
	var want rollback
	if !s.order(w, r, &want) {
		return
	}
	if (want.Iteration == nil) == (want.Checkpoint == "") || want.Iteration != nil && *want.Iteration < 0 {
		refuse(w, http.StatusBadRequest, "a rollback needs an iteration, or a checkpoint", "0 is the tree before the first iteration")
		return
	}
	if one.run.Away != nil {
		refuse(w, http.StatusConflict, s.actions(one, one.run)["rollback"].Why, "")
		return
	}
	// A rollback that was begun is finished, though the page has gone.
	ctx := context.WithoutCancel(r.Context())
	h, err := history.Open(ctx, one.store, one.entry)
	if err != nil {
		s.explain(w, http.StatusConflict, err)
		return
	}
	var to checkpoint.Checkpoint
	name := want.Checkpoint
	if want.Iteration != nil {
		name = strconv.Itoa(*want.Iteration)
		to, err = h.At(ctx, *want.Iteration)
	} else {
		to, err = h.Kept.Load(ctx, want.Checkpoint)
	}
	if err != nil {
		s.explain(w, http.StatusNotFound, err)
		return
	}
	out := rolledBack{OK: true, Dry: !want.Confirm, To: to.ID, Equal: equalIn(one.entry.Tree, []string{"rollback", one.entry.Name + "/" + name, "--yes"})}
	undone, err := h.RollBack(ctx, to, want.Iteration, func(c loop.Changes) bool {
		out.Changes, out.Shown = c, listed(c)
		return want.Confirm && (want.Shown == "" || want.Shown == out.Shown)
	})
	if held := (*journal.HeldError)(nil); errors.As(err, &held) {
		s.explain(w, http.StatusConflict, err)
		return
	}
	if err != nil {
		s.explain(w, http.StatusInternalServerError, err)
		return
	}
	if want.Confirm && want.Shown != "" && want.Shown != out.Shown {
		out.OK, out.Dry = false, true
		answer(w, http.StatusConflict, struct {
			rolledBack
			Why  string `json:"why"`
			Hint string `json:"hint"`
		}{out, "files have changed since you looked: nothing was put back", "look at the list again"})
		return
	}
	if undone != nil {
		out.Kept, out.Changes, out.Commits = undone.Kept, undone.Changes, undone.Commits
		out.Undo = equalIn(one.entry.Tree, []string{"rollback", one.entry.Name + "/" + undone.Kept})
	}
	answer(w, http.StatusOK, out)
}

// listed is a list of changes as one word.
func listed(c loop.Changes) string {
	sum := sha256.New()
	for _, p := range c.Paths {
		fmt.Fprintf(sum, "%q %q\n", p.Change, p.Path)
	}
	fmt.Fprint(sum, c.Created, c.Modified, c.Deleted, c.LinesAdded, c.LinesRemoved)
	return hex.EncodeToString(sum.Sum(nil)[:12])
}
