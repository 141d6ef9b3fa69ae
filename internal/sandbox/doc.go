// Package sandbox says what the processes of a run may reach.
//
// It turns who a process is, where the run works and what the settings allow into
// a policy, and into an environment without secrets. It opens, mounts and starts
// nothing: package fence holds processes to a policy, and package proc starts them.
//
// Promised of every policy: an agent can write neither the records of its run nor
// the place where its work is judged, and whatever runs what an agent has written
// is held as the agent is. What the network, the work tree itself and the
// provider's key allow stays allowed.
package sandbox
