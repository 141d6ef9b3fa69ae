// Package proc runs processes to their end, and hands on what they print.
//
// Promised of every process: it leads a session and a group of its own, so that
// only the runner hears Ctrl+C; its streams are read to their end at the same
// time, in bounded memory, whatever it prints; one deadline covers it from start
// to end; and Run returns soon after that end even when a stranger holds the
// pipes. No byte that the process wrote is lost, however it ended.
//
// Promised of a process that a Keeper runs, on Linux: nothing that it started
// outlives it, daemonised or not, however it ended, and nothing outlives the
// runner by more than a moment, even when the runner is killed. The keeper is a
// process of its own, the ancestor of all others, to which orphans come back.
// It has a parent of its own, the warden, to which they come when the keeper is
// killed. When both are, the runner, or the next one, ends whoever carries the
// mark of the run in its environment; a process that has wiped its environment
// and left its parents is not found then, and one that forks and ends without a
// pause may get away on a busy machine, unless the kernel holds them together: where
// cgroups can be made, each process of a keeper's has one. Not ended are programs that are to be
// spared, processes of other users, and what a process had another one start
// that was there before, such as a container. When two processes run at once, an
// orphan that wiped its environment and is in no cgroup is ended with the last of them.
//
// Promised of a keeper within a fence: whatever it starts is inside, with all that
// this starts, or nothing is started. With Landlock the keeper stays outside, and
// confines a thread of its own for each start; in namespaces it is inside itself. It
// is their first process there, which nobody inside can end and nobody outlives, so no
// cgroups are needed and no program can be spared beyond the run. All numbers of
// processes that leave the keeper are those that they have outside.
//
// Promised of a mark: it names one runner in one work tree. A run that goes on
// after a crash ends only who was started in its own tree by a runner that is
// dead, so a copy of a project and its original never touch each other.
//
// On macOS and the other Unixes orphans cannot be followed: only who stays in
// the group of the process is ended with it, and with the runner. On Windows
// the process is put into a job, which ends as a whole and with the runner; what
// the process starts in the instant before that escapes.
//
// What the lines mean, and what to make of an exit, is for others to say.
package proc
