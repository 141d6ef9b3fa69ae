// Package watch tells which files of a tree may be others than they were: it has the
// system say who writes to its folders, so that nobody has to look at every file.
//
// What it says is more than has changed, never less, as far as the system tells: what
// is written by way of another name of a file it does not see where that name is outside
// of the tree, in a folder that is not watched, or gone when it is asked.
// Where it may have missed something it says that it does not know, and is of no use
// any more. What counts in the tree is for others to decide.
package watch

import "errors"

// ErrElsewhere says that this system does not tell.
var ErrElsewhere = errors.New("only Linux tells who writes to a folder")

const (
	// tooMany is how many names are remembered: then it is faster to look at all.
	tooMany = 10_000
	// reading is how many bytes of events are read at once.
	reading = 64 << 10
)
