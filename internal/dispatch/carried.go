package dispatch

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/request"
)

// runCarried takes a parked run of here to the remote, and hands it in.
func (o *submitOptions) runCarried(ctx context.Context, s *site, req request.Request, asJSON bool) error {
	if req.Words != "" || req.Prompt != "" || req.File != "" || req.Procedure != "" || len(req.Command) > 0 || len(req.Flags) > 0 || request.Sets(s.flags, "fleet.base") {
		return cli.UsageError("a run that is carried is what it was begun as", "leave out all but --name, --queue, --remote, --branch, --priority and --wait; \"refrain fleet raise\" changes its limits")
	}
	_, entry, err := s.Find(o.carry)
	if err != nil {
		return err
	}
	note, err := entry.Carried()
	if err != nil {
		return err
	}
	meant := s.settings.Remote
	if meant == "" && note != nil {
		meant = note.Remote
	}
	if meant == "" {
		if meant, err = s.place.Usual(ctx); err != nil {
			return err
		}
	}
	far, err := s.remote(ctx, meant)
	if err != nil {
		return err
	}
	spec := terms(s.settings)
	spec.ID, spec.Remote, spec.Carried, spec.Request = entry.ID, far.URL, true, entry.Flags
	name, err := s.carriedName(o.name, entry)
	if err != nil {
		return err
	}
	spec.Name = name
	if spec.Branch, err = s.carriedBranch(ctx, far, entry, note, o.where.branch, spec); err != nil {
		return err
	}
	if err := harmless(s.Dir(), spec); err != nil {
		return err
	}
	if err := carriedCommits(s, entry.Flags); err != nil {
		return err
	}
	if o.dry {
		s.tellWorries()
		return foresee(s.post, []fleet.Spec{spec}, asJSON)
	}
	service, err := s.reach(ctx, serverOf(s.settings)) // before it leaves
	if err != nil {
		return err
	}
	defer service.Close()
	if spec.Leg, err = s.push(ctx, entry, note, meant); err != nil {
		return err
	}
	if err := o.handIn(ctx, s, service, []fleet.Spec{spec}, asJSON); err != nil {
		s.Warn(entry.Name+" is on "+far.Name+" by now, and does not go on here", "say the same again, or take it back: refrain carry fetch "+entry.Name+" "+far.Name+" --trust")
		return err
	}
	return nil
}

// push takes a run to the remote, unless it is there, and gives the leg that it is in
// there.
func (s *site) push(ctx context.Context, entry journal.Entry, note *journal.Carried, meant string) (leg int, err error) {
	if note != nil && note.Away && note.There && note.Remote == meant {
		return note.Leg, nil
	}
	place := s.place
	place.Store, place.Hide = place.Store.At(entry.Tree), app.Secrets(s.Dir())
	moved, err := place.Push(ctx, entry.Name, meant)
	if err != nil {
		return 0, err
	}
	for _, c := range moved.Cut {
		s.Say("too large to travel, and stays: %s (%d bytes)", c.File, c.Size)
	}
	return moved.Leg, nil
}

// carriedBranch is the branch that the work of a run of here becomes: the one that is
// wanted, or that the run works on. It is the same before the run has left and after.
func (s *site) carriedBranch(ctx context.Context, far *carry.Far, entry journal.Entry, note *journal.Carried, wanted string, spec fleet.Spec) (string, error) {
	tree, err := git.Open(ctx, entry.Tree, nil)
	if err != nil {
		return "", err
	}
	branch := entry.Branch()
	if wanted != "" {
		branch = wanted
	} else if branch == "" {
		if note != nil && note.Away { // what is checked out by now is something else
			branch = note.Branch
		} else if branch, err = tree.Branch(ctx); err != nil {
			return "", err
		}
		if usual, err := s.usualBranch(ctx, far); err != nil || branch != "" && branch == usual {
			return "", cmp.Or(err, cli.UsageError(
				fmt.Sprintf("%s works on %s, the branch of %s from which others begin, and each of its iterations would be pushed there", entry.Name, branch, far.Name),
				fmt.Sprintf("give its work a branch: --branch refrain/%s; or say that you mean it: --branch %s", entry.Name, branch),
			))
		}
	}
	// One that works on no branch has its work where others have it.
	if branch, err = s.branchOf(cmp.Or(branch, s.settings.Branch), spec.Name, spec.ID); err != nil {
		return "", err
	}
	head, err := tree.Head(ctx)
	if err != nil {
		return "", err
	}
	return branch, s.untaken(ctx, far, branch, head)
}

// carriedName is what a run is called in the fleet: as here, with a part of its id, for
// every folder has a run-1.
func (s *site) carriedName(wanted string, entry journal.Entry) (string, error) {
	var req request.Request
	if err := json.Unmarshal(entry.Flags, &req); err != nil {
		return "", err
	}
	return s.name(wantedName(wanted, entry.Name), entry.ID)
}

func wantedName(name, run string) wanted { return wanted{name: name, about: run} }
