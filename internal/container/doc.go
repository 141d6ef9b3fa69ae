// Package container runs the processes of a run in containers, by the command line
// of docker or podman.
//
// A Keeper does what proc.Keeper does: whatever its processes start ends with them.
// A container serves one process at a time. Who leaves somebody behind is given a
// moment, and then its container is removed, with which the kernel ends all that is
// in it; else the next process gets the same one. So no process is hunted for, and
// nothing of ours has to be in the image but a shell.
//
// A container ends with its runner: its first process reads from a pipe that the
// runner holds. Where the engine did not notice, CleanUp removes what carries the
// mark of a dead runner.
//
// Values of variables are never on a command line, which others can read: the client
// has them in its own environment, and is told the names.
//
// What may be reached from inside is for others to say; it comes as mounts.
package container
