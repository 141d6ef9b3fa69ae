// Package git does for a run what a user would do by hand, in the user's own
// repository: it looks what is not committed, commits, makes branches and linked
// work trees, and finds the locks that a dead git has left.
//
// An agent can write to that repository. So every git that does not act for the
// user runs no program that a repository names, and looks for none but this
// repository; and what decides how git acts, be it in the repository or in the
// user's home, is noted before an agent runs and put back after it.
//
// What the files held at some moment is for package checkpoint to know, which runs
// its git through this package. Whether a change is progress is for others to
// decide.
package git
