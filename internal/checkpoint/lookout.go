package checkpoint

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/watch"
)

// lookout knows where to look for what has changed in a large tree, so that git need
// not look at every file. In doubt it says that all is to be looked at.
type lookout struct {
	top   string
	from  int // how many files make a tree a large one; 0: it is never used
	start func(top string, folders []string) (*watch.Tree, error)

	watch   *watch.Tree
	pending map[string]bool // what may have changed since it was last looked at
	added   []string        // folders of files that the last look has found
	glances int             // since the last look at everything
	told    bool            // that nobody can watch
	note    string
}

const (
	// narrow is how many places are looked at one by one: from there on git is as fast
	// when it looks everywhere.
	narrow = 300
	// besidesAtMost is how many there may be with those that no index has, and
	// argumentsAtMost how long they may be in all: git is told them as arguments, and the
	// system limits how much these may take, on some to 256 KB.
	besidesAtMost   = 2 * narrow
	argumentsAtMost = 64 << 10
	// glancesAtMost is how often in a row it is only looked at what was told: what is
	// not told is found then.
	glancesAtMost = 15
)

// begin watches the files of an index, if nobody does and they are many. Whatever
// happens from now on is told, so all is to be looked at after it.
func (l *lookout) begin(ctx context.Context, repo *shadow) {
	l.pending, l.added, l.glances = map[string]bool{}, nil, 0
	if l.watch != nil || l.from == 0 || l.told {
		return
	}
	x, err := readIndex(ctx, repo.index(), repo.format)
	if err != nil || len(x.entries) < l.from {
		return // there will be one, or more
	}
	if l.watch, err = l.start(l.top, x.folders()); err != nil {
		l.watch, l.told = nil, true
		l.note = "git.watch does nothing here, and every file is looked at each time: " + err.Error()
	}
}

// end ends the watch, if there is one.
func (l *lookout) end() {
	if l.watch != nil {
		l.watch.Close()
		l.watch = nil
	}
}

// places tells where to look, besides at what every look is at; all: everywhere.
func (l *lookout) places() (list []string, all bool) {
	if l.watch == nil {
		return nil, true
	}
	err := l.watch.Add(l.added)
	l.added = nil
	told, known := l.watch.Changed()
	if err != nil || !known {
		l.end()
		return nil, true
	}
	for _, name := range told {
		l.pending[name] = true
		all = all || path.Base(name) == ruleFile || name == ""
	}
	if l.glances++; all || l.glances > glancesAtMost || len(l.pending) > narrow {
		return nil, true
	}
	return outermost(l.pending), false
}

// outermost leaves out what is in a folder that is among the names: git treats a folder
// as a whole only if nobody asks for something in it.
func outermost(names map[string]bool) (list []string) {
next:
	for name := range names {
		for dir := range above(name) {
			if names[dir] {
				continue next
			}
		}
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// besides is places with more of them.
func besides(places, more []string) []string {
	all := map[string]bool{}
	for _, name := range slices.Concat(places, more) {
		all[name] = true
	}
	return append([]string{}, outermost(all)...)
}

// tooMuch tells whether there are more places than git can be told.
func tooMuch(places []string) bool {
	size := 0
	for _, name := range places {
		size += len(name) + 1
	}
	return len(places) > besidesAtMost || size > argumentsAtMost
}

// looked says that what was to be looked at was, or everything, which files are new or
// others, and which are gone. A folder that has become a repository git tells of only
// when its index has nothing in it any more, and so at the next look.
func (l *lookout) looked(everything bool, kept, gone []string) {
	if l.watch == nil {
		return
	}
	if everything {
		l.glances = 0
		l.watch.Looked()
	}
	clear(l.pending)
	seen := map[string]bool{}
	for _, name := range gone {
		for dir := range above(name) {
			if _, err := os.Lstat(filepath.Join(l.top, filepath.FromSlash(dir), ".git")); err == nil {
				l.pending[dir] = true
			}
		}
	}
	for _, name := range kept {
		for dir := range above(name) {
			seen[dir] = true
		}
	}
	for dir := range seen {
		l.added = append(l.added, dir)
	}
	slices.SortFunc(l.added, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
}

// doubt says that everything is to be looked at next.
func (l *lookout) doubt() { l.glances = glancesAtMost }

// notes is what people should know, once.
func (l *lookout) notes() (notes []string) {
	if l.note != "" {
		notes = append(notes, l.note)
	}
	l.note = ""
	return notes
}
