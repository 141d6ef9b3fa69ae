package proc

import (
	"path/filepath"
	"slices"
)

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
