// Package repo looks at a work tree, to see what an agent did to it.
//
// Today it answers one question: has anything changed between two moments? A
// Print is taken at each and compared. Files that git ignores, files that the
// user named as notes, and the runner's own never count. Nothing is written, not
// even to git's index.
//
// Whether a change is progress is for others to decide.
package repo
