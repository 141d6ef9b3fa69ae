// Package fleettest runs whole fleets on this machine: a server, a git remote, workers
// in homes of their own, and scripted agents that note when they were at work.
//
// It holds tests only. What a fleet needs to be tried is the folder of refrain and
// refrain-worker in FLEET_PROGRAMS, and the server in FLEET_TEMPORAL; without them
// those tests are skipped. "make test-fleet", "make chaos-fleet" and "make bench-fleet"
// build what is missing, and run them.
//
// Every machine reaches the server and the remote by wires of its own, which can be cut.
package fleettest
