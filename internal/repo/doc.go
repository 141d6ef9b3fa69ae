// Package repo looks at a work tree, to see what an agent did to it, and to put
// it back.
//
// A Store keeps checkpoints: the whole work tree at one moment, what git tracks
// and what it does not ignore. What happened is the difference of two of them,
// whatever the agent did to its own repository meanwhile; a Restore makes the
// files what they were; a Proof is a clean checkout of one. The user's index,
// branches, stash and objects are never written. Without git a checkpoint is a
// list of files, which can be compared but not restored. A Print answers only
// whether anything changed, and keeps nothing.
//
// Files that git ignores and the runner's own are in no checkpoint. Files that
// the user named as notes are, but do not count as changes. Whether a change is
// progress is for others to decide.
//
// Beside that, the package does for a run what a user would do by hand: commits,
// branches and linked work trees.
package repo
