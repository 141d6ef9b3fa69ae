package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// leftOff is the latest run of a procedure here, if it could go on as it is: somebody
// who starts another one may have forgotten it. What cannot be read is told by who
// needs it.
func leftOff(sh *shell, procedure string) (journal.Entry, string, bool) {
	store, err := history.OpenStore(sh.dir)
	if err != nil {
		return journal.Entry{}, "", false
	}
	list, _, err := store.List()
	if err != nil {
		return journal.Entry{}, "", false
	}
	for i := len(list) - 1; i >= 0; i-- {
		e := list[i]
		if e.Tree != store.Tree || e.Procedure != request.ProcedureName(procedure) {
			continue
		}
		how := left(history.LookNow(store, e))
		return e, text.Line(e.Name) + " " + how, how != ""
	}
	return journal.Entry{}, "", false
}

// left is how a run was left that could go on as it is; empty: it could not. One that
// reached a limit needs a higher one, which only a person can give it, and one that
// gave up before its first iteration has nothing to go on with.
func left(run *view.Run) string {
	if run.Max() > 0 && run.Sum.Totals.Iterations >= run.Max() {
		return ""
	}
	how, why := "", ""
	switch run.State {
	case loop.Stopped:
		how = "was stopped"
	case loop.Parked:
		how = "is parked"
	case loop.Crashed:
		how = "died"
	case loop.Aborted, loop.CouldNotRun:
		if run.Iteration == 0 || run.Reason() == loop.ByTampering {
			return ""
		}
		how, why = "gave up", ": "+text.Shorten(text.Line(run.Finished.Why), 100)
	default:
		return ""
	}
	if run.Iteration > 0 {
		how += fmt.Sprintf(" in iteration %d", run.Iteration)
	}
	return how + why
}

// mayOffer tells whether a new run is one that may be begun by mistake in the place of
// one that could go on.
func (o runOptions) mayOffer() bool {
	return o.procedure != "" && !o.dryRun && o.worktree == nil && detached == ""
}

// offerResume asks a person who starts a procedure whether a run of it that could go
// on should do that instead, and does that. Elsewhere start says it.
func (o runOptions) offerResume(sh *shell, cmd *cobra.Command) (taken bool, err error) {
	if !o.mayOffer() || o.detach || o.file == "-" || !sh.person() {
		return false, nil
	}
	entry, how, found := leftOff(sh, o.procedure)
	if !found {
		return false, nil
	}
	fmt.Fprintf(sh.out, "%s.\n[r]esume it  [Enter] start a new run\n> ", how)
	line, err := readLine(sh.in)
	switch answer := strings.ToLower(strings.TrimSpace(line)); {
	case err != nil && answer == "":
		return false, usage("no answer, so nothing was started", fmt.Sprintf("go on with it: refrain resume %s", entry.Name))
	case answer == "":
		return false, nil
	case answer != "r" && answer != "resume":
		return false, usage(fmt.Sprintf("%q is none of the answers, so nothing was started", text.Shorten(answer, 40)), "type r, or Enter alone")
	}
	resume := resumeCommand(sh)
	resume.SetContext(cmd.Context())
	sh.args = []string{"-C", sh.dir, "resume", entry.Name}
	return true, resume.RunE(resume, []string{entry.Name})
}

// noteLeftOff says that a run could go on, where nobody was asked.
func (o runOptions) noteLeftOff(sh *shell) {
	if !o.mayOffer() || sh.person() && o.file != "-" {
		return
	}
	if entry, how, found := leftOff(sh, o.procedure); found {
		fmt.Fprintf(sh.err, "NOTE: %s; \"refrain resume %s\" goes on with it\n", how, entry.Name)
	}
}
