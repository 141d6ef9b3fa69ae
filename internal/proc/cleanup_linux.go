package proc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// CleanUp ends what earlier runners of these runs have left in a work tree, and
// waits until it is gone. It tells how many processes that were. The error says
// that some could not be ended; it is an errors.ErrUnsupported on a system on
// which they cannot be found.
//
// It belongs between taking the lock of a run and starting anything for it. A
// lock and the id of a run say nothing of a copy, so only who was started in
// this very tree, by a runner that is dead, is ended. This process counts as
// dead: it has no runner of these runs at work. A keeper that is still at it is
// given the time to finish, for it sees more than marks.
//
// Spared programs, with all that they start, are left alone here too.
func CleanUp(ctx context.Context, spare []string, tree string, runs ...string) (ended int, err error) {
	if len(runs) == 0 {
		return 0, nil
	}
	l := litter{tree: tree, runs: runs}
	if err := awaitKeepers(ctx, l); err != nil {
		return 0, err
	}
	held := endAbandoned(l, spare)
	ended, err = killMarked(ctx, target{spare: spare, match: l.abandoned})
	return ended + held, err
}

// awaitKeepers waits for the keepers of earlier runners, and ends those that
// do not end by themselves. Their wardens come last, for they end what a dead
// keeper kept.
func awaitKeepers(ctx context.Context, l litter) error {
	for began := time.Now(); ; {
		t, err := readTable()
		if err != nil {
			return err
		}
		waited, left := time.Since(began), 0
		for _, e := range t.all {
			if mark, ok := keeperMark(e.pid); !ok || !l.kept(mark) || e.ended() {
				continue
			}
			left++
			if waited > 2*ladder.patience || waited > ladder.patience && !isWarden(e.pid) {
				e.kill()
			}
		}
		if left == 0 {
			return nil
		}
		if err := rest(ctx); err != nil {
			return err
		}
	}
}

// isWarden tells a keeper's warden from a keeper.
func isWarden(pid int) bool {
	argv := argvOf(pid)
	return len(argv) > 2 && argv[2] == wardenName
}

// litter is what runs have started in one work tree.
type litter struct {
	tree string
	runs []string
}

// has tells whether a process with this environment is among it, whoever its
// runner is.
func (l litter) has(pid int, env []string) bool {
	if !slices.Contains(l.runs, value(env, runName)) {
		return false
	}
	if o, ok := ownerIn(value(env, runnerName)); ok {
		return o.tree == treeKey(l.tree)
	}
	return l.holds(pid, env)
}

// abandoned is has for those whose runner is dead.
func (l litter) abandoned(pid int, env []string) bool {
	return l.has(pid, env) && runnerGone(value(env, runnerName))
}

// kept tells the same of the keeper of such a run, whose mark is among its
// arguments.
func (l litter) kept(mark Mark) bool {
	o, ok := ownerIn(mark.Runner)
	return ok && slices.Contains(l.runs, mark.Run) && o.tree == treeKey(l.tree) && runnerGone(mark.Runner)
}

// runnerGone tells whether no runner can be at work for this mark. Who asks has
// none. A mark that does not say whose it is counts in its own tree only, and
// there whoever asks has the lock.
func runnerGone(runner string) bool {
	o, ok := ownerIn(runner)
	return !ok || o.self() || o.gone()
}

// holds tells whether a process whose mark names no tree is in this one: by what
// its runner told it, else by where it is. An earlier version made such marks,
// and a process can take the half of its mark away.
func (l litter) holds(pid int, env []string) bool {
	tree := realTree(l.tree)
	if told := value(env, projectName); told != "" {
		return realTree(told) == tree
	}
	dir, err := workDir(pid)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(tree, dir)
	return err == nil && filepath.IsLocal(rel)
}

// projectName is where the runner tells its children which work tree is theirs.
const projectName = "REFRAIN_PROJECT_DIR"

// Left lists the processes that carry the mark of a run in a work tree, with all
// that descend from them, each as its program and its id. It ends nothing. Who
// has taken its mark away is not found.
func Left(spare []string, tree, run string) ([]string, error) {
	found, err := findMarked(target{spare: spare, match: litter{tree: tree, runs: []string{run}}.has})
	if err != nil {
		return nil, err
	}
	list := []string{} // never nil: somebody has looked
	for _, e := range found {
		list = append(list, fmt.Sprintf("%s (pid %d)", program(e.pid), e.pid))
	}
	slices.Sort(list)
	return list, nil
}

// Descends tells whether a process is another one, or descends from it. One that
// is gone is taken to.
func Descends(pid, root int) bool {
	for seen := 0; pid > 1 && seen < 1000; seen++ {
		if pid == root {
			return true
		}
		e, err := readEntry(pid)
		if err != nil {
			return true // who is gone before it is looked at has something to hide
		}
		pid = e.parent
	}
	return false
}

// Kept tells whether a process was started by a run, be it live or not: it carries the
// mark of one or is a keeper, or descends from such. What the records of runs say does
// not matter. One that is gone is taken to.
func Kept(pid int) bool {
	for seen := 0; pid > 1 && seen < 1000; seen++ {
		if isKeeper(pid) || value(environOf(pid), runName) != "" {
			return true
		}
		e, err := readEntry(pid)
		if err != nil {
			return true
		}
		pid = e.parent
	}
	return false
}

// self tells whether the runner is this process.
func (o owner) self() bool { return o.space == pidSpace() && o.pid == os.Getpid() }

// gone tells whether the runner has surely ended. Of one whose number was given
// in another space, such as a container, nobody here can tell.
func (o owner) gone() bool {
	if o.space != pidSpace() {
		return false
	}
	e, err := readEntry(o.pid)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH)
	}
	return e.ident != o.ident || e.ended()
}

// value is that of a variable; empty when it is not set.
func value(env []string, name string) string {
	for _, v := range env {
		if rest, ok := strings.CutPrefix(v, name+"="); ok {
			return rest
		}
	}
	return ""
}
