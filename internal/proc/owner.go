package proc

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

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
