// Package proc runs one process to its end, and hands on what it prints.
//
// Promised today: the process leads a session and a group of its own, so that
// only the runner hears Ctrl+C; both its streams are read to their end at the
// same time, in bounded memory, whatever it prints; one deadline covers it from
// start to end; whoever is still in its group when it ends is killed; and Run
// returns soon after that end even when a stranger holds the pipes. No byte that
// the process wrote is lost, however it ended.
//
// Not yet promised: a descendant that moved to a session of its own outlives
// the process, and nothing is ended when the runner itself is killed. Both need
// a keeper, a process of ours above all the others, which Helper is the door for.
//
// What the lines mean, and what to make of an exit, is for others to say.
package proc
