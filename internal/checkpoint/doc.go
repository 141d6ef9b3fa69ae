// Package checkpoint looks at a work tree, to see what an agent did to it, and to
// put it back.
//
// A Store keeps checkpoints: the whole work tree at one moment, what git tracks
// and what it does not ignore. What happened is the difference of two of them,
// whatever the agent did to its own repository meanwhile; a restore makes the
// files what they were; a Checkout is a clean one of them. For all this the
// user's index, branches, stash and objects are read and never written. Without
// git a checkpoint is a list of files, which can be compared but not restored. A
// Fingerprint answers only whether anything changed, and keeps nothing.
//
// Files that git ignores and the runner's own are in no checkpoint, and a restore
// does not delete a file that was ignored then. Files that the user named as
// notes are kept, but do not count as changes. Whether a change is progress is
// for others to decide.
//
// A store needs nothing of the user's repository once it is made, and is put back
// where somebody has written to it. While its run is live it is packed, with all that
// is in it: Tidy.
package checkpoint
