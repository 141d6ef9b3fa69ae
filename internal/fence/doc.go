// Package fence keeps a process, and all that it starts, to what a policy lets it
// reach: which files it may change and read, which sockets it may connect to, whom
// it may signal.
//
// There are two fences on Linux. Landlock needs no rights and no namespaces: the kernel
// refuses files, signals and abstract sockets, and a supervisor in the keeper makes
// the connects of the processes, for sockets with a path the kernel does not refuse.
// Namespaces hide what is not to be seen, and can protect a folder below one that may
// be changed, which Landlock can not. Seatbelt is the one of macOS, and was never tried
// on one.
//
// A fence is raised whole or not at all: what can not be raised is an *Error, and
// nothing is started then. What is on which list is for others to say.
package fence
