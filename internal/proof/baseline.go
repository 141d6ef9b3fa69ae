package proof

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Baseline runs the gates before the first iteration, in the work tree and in a
// clean checkout, and settles where each judges claims. It is nil when it was
// interrupted.
func (j *Judge) Baseline(ctx context.Context, at checkpoint.Checkpoint) (*loop.RunBaseline, []gate.Both) {
	b := &loop.RunBaseline{Checkpoint: at.ID, Proof: loop.InWorkspace}
	begins := j.First == nil || j.First.Tree == at.Tree
	j.untouched = begins || j.Accepted
	defer func() { j.untouched = false }()
	if j.known.Flags = goFlags(j.Env); j.untouched || j.Proof.Setup != "" || len(j.Proof.Copy) > 0 {
		j.known.Seed = nil // what is there to be installed may be another
	}
	if !j.Proof.Baseline {
		return j.unmeasured(ctx, b, at), nil
	}
	both := j.inWorkspace(ctx, at)
	reachable := j.Store != nil && j.Store.CanRestore()
	problem := ""
	if reachable && (j.Proof.Mode == "auto" || j.Proof.Mode == "clean") {
		problem = j.inClean(ctx, at, both)
	}
	for _, one := range both {
		if one.Work.Interrupted || one.Clean != nil && one.Clean.Interrupted {
			return nil, nil
		}
		b.Gates = append(b.Gates, one.Baseline())
		j.warnOfKey(one)
	}
	if begins && !j.tryOutside(ctx, at, b, both) {
		return nil, nil
	}
	b.SetUp = reachable && problem == "" && len(both) > 0 && both[0].Clean != nil
	j.choose(b, both, problem, reachable)
	if begins {
		j.knowBefore(b, both)
	}
	j.known.Around = lookAround(j.Env, j.lines(), j.Proof)
	j.remember()
	return b, both
}

// warnOfKey says that a gate may be red for the lack of a key that only agents
// get.
func (j *Judge) warnOfKey(one gate.Both) {
	lacks := one.Work.Lacks
	if one.Clean != nil {
		lacks = cmp.Or(lacks, one.Clean.Lacks)
	}
	if lacks != "" {
		j.Tell(&loop.Warning{
			Text: fmt.Sprintf("gate %s failed and speaks of %s, which only agents are given", one.Work.Name, lacks),
			Hint: fmt.Sprintf("if the gate needs it, set sandbox.env = [%q]", lacks),
		})
	}
}

// choose settles where each gate judges claims.
func (j *Judge) choose(b *loop.RunBaseline, both []gate.Both, problem string, reachable bool) {
	place := loop.InWorkspace
	switch {
	case j.Proof.Mode == "none":
		b.Proof = ""
		return
	case j.Proof.Mode == "workspace":
	case !reachable:
		b.Why = "there are no git checkpoints to make a clean checkout from"
	case j.Proof.Mode == "clean":
		place = loop.InClean
		b.Why = gate.Missing(both, problem) // it may yet be mended; until then no claim can be proven
	default:
		b.Why = gate.Missing(both, problem)
		place = loop.InClean
	}
	for i := range b.Gates {
		b.Gates[i].Judged = place
		if j.Proof.Mode == "auto" && !both[i].Agree() {
			b.Gates[i].Judged = loop.InWorkspace
		}
		if b.Gates[i].Judged == loop.InClean {
			b.Proof = loop.InClean
		}
	}
	if len(b.Gates) == 0 { // reviewers alone
		b.Proof = place
	}
}

// knowBefore remembers each gate as it was where it judges claims.
func (j *Judge) knowBefore(b *loop.RunBaseline, both []gate.Both) {
	for i, one := range both {
		g := j.named(one.Work.Name)
		counts, other := one.Work, one.Clean
		if b.Gates[i].Judged == loop.InClean && one.Clean != nil {
			counts, other = *one.Clean, &one.Work
		}
		if ended(g, counts) { // else it is found out when that is needed
			j.note(g, before(counts, other))
		}
	}
}

// unmeasured is what holds without a baseline: nothing is known of a clean
// checkout, so claims are judged there only when that was asked for.
func (j *Judge) unmeasured(ctx context.Context, b *loop.RunBaseline, at checkpoint.Checkpoint) *loop.RunBaseline {
	switch {
	case j.Proof.Mode == "none":
		b.Proof = ""
	case j.Proof.Mode == "clean":
		b.Proof = loop.InClean
		// What is installed and copied is the user's now, and the agent's later.
		rooms := newRooms(j)
		defer rooms.close()
		if _, err := rooms.enter(ctx, at.Tree, io.Discard); err != nil {
			b.Why = err.Error()
		}
		b.SetUp = b.Why == "" && rooms.problem() == ""
		j.known.Around = lookAround(j.Env, j.lines(), j.Proof)
	case j.Proof.Mode == "auto":
		b.Why = "proof.baseline is off, so nobody knows whether a clean checkout would do"
	}
	j.remember()
	return b
}

func (j *Judge) inWorkspace(ctx context.Context, at checkpoint.Checkpoint) []gate.Both {
	var list []gate.Both
	for _, g := range j.Gates {
		if g.Review {
			continue // there is nothing to review yet
		}
		list = append(list, gate.Both{Work: j.here(ctx, loop.State{}, g, at)})
		if list[len(list)-1].Work.Interrupted {
			break
		}
	}
	return list
}

// inClean runs the same gates in the clean checkout, and says why that could not
// be set up.
func (j *Judge) inClean(ctx context.Context, at checkpoint.Checkpoint, both []gate.Both) (problem string) {
	rooms := newRooms(j)
	defer rooms.close()
	for i := range both {
		if both[i].Work.Interrupted {
			return ""
		}
		r := j.there(ctx, loop.State{}, j.named(both[i].Work.Name), rooms, at.Tree, at)
		both[i].Clean = &r
		if r.Interrupted {
			return ""
		}
		if both[i].Work.OK && !r.OK { // a gate that is not steady looks like one that lacks something
			if again := j.there(ctx, loop.State{}, j.named(both[i].Work.Name), rooms, at.Tree, at); again.OK || again.Interrupted {
				both[i].Clean = &again
			}
		}
	}
	return rooms.problem()
}

// tryOutside runs gates that are red in the sandbox once more outside of it, where
// no agent has been yet: what a gate lacks is found out before anything is paid for.
// It tells whether it came to its end.
func (j *Judge) tryOutside(ctx context.Context, at checkpoint.Checkpoint, b *loop.RunBaseline, both []gate.Both) bool {
	if j.Unconfined == nil {
		return true
	}
	apart := *j
	apart.Tell = func(loop.Payload) {} // it is no verdict on the work
	apart.File = func(string, loop.Place, string) (io.WriteCloser, string) { return nowhere{}, "" }
	apart.Exec = func(ctx context.Context, s proc.Spec) (loop.Exit, error) {
		s.Role, s.Untouched = proc.Own, true
		return j.Unconfined(ctx, s)
	}
	for i, one := range both {
		if one.Work.OK {
			continue
		}
		r := apart.here(ctx, loop.State{}, j.named(one.Work.Name), at)
		if r.Interrupted {
			return false
		}
		b.Gates[i].Outside = r.OK
	}
	return true
}

// nowhere keeps nothing.
type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) Close() error                { return nil }
