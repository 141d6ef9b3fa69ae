package proc

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Mark is what the environment of every process of a run says, so that it can
// be found when all else that knew of it is gone.
type Mark struct {
	Run    string // the id of the run
	Runner string // which runner of it, and where: different for every NewMark
}

// NewMark is the mark for what this process starts for a run in a work tree. A
// copy of the project has runs of the same id, and only the tree tells them
// apart.
func NewMark(run, tree string) Mark {
	return Mark{Run: run, Runner: rand.Text() + "." + thisOwner(tree).String()}
}

// Abandoned tells whether the mark is that of a runner in a work tree which has
// surely ended. This process counts as ended: who asks has no runner there.
func (m Mark) Abandoned(tree string) bool {
	o, ok := ownerIn(m.Runner)
	return ok && o.tree == treeKey(tree) && (o.self() || o.gone())
}

const (
	runName    = "REFRAIN_RUN_ID"
	runnerName = "REFRAIN_RUNNER"
	childName  = "REFRAIN_CHILD" // which child of the keeper a process descends from
)

// child is the mark of one child of the keeper.
func (m Mark) child(id string) string { return childName + "=" + m.Runner + "." + id }

// pause is how long to wait between two tries to end a process.
const pause = 2 * time.Millisecond

// owner is whose a process is: one runner's, in one work tree.
type owner struct {
	ident
	space string // in which the number of the runner means it; elsewhere it is another's
	tree  string
}

// thisOwner is this process, as a runner in a work tree.
func thisOwner(tree string) owner {
	o := owner{ident: ident{pid: os.Getpid()}, space: pidSpace(), tree: treeKey(tree)}
	if e, err := readEntry(o.pid); err == nil {
		o.ident = e.ident
	}
	return o
}

// String is the owner as marks have it.
func (o owner) String() string { return fmt.Sprintf("%d.%d.%s.%s", o.pid, o.started, o.space, o.tree) }

// ownerIn reads the owner in the runner of a mark. One of an earlier version has
// none.
func ownerIn(runner string) (o owner, ok bool) {
	parts := strings.Split(runner, ".")
	if len(parts) != 5 {
		return owner{}, false
	}
	o.space, o.tree = parts[3], parts[4]
	var errs [2]error
	o.pid, errs[0] = strconv.Atoi(parts[1])
	o.started, errs[1] = strconv.ParseUint(parts[2], 10, 64)
	return o, errs[0] == nil && errs[1] == nil
}

// treeKey stands for a work tree in a mark. It is no path: a gate in a clean
// checkout should not learn where the work tree is.
func treeKey(tree string) string {
	sum := sha256.Sum256([]byte(realTree(tree)))
	return fmt.Sprintf("%x", sum[:8])
}

// realTree is the one path of a work tree that may be reached by several.
func realTree(tree string) string {
	if abs, err := filepath.Abs(tree); err == nil {
		tree = abs
	}
	if real, err := filepath.EvalSymlinks(tree); err == nil {
		tree = real
	}
	return tree
}
