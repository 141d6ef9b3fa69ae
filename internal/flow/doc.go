// Package flow says where and when the legs of a run are done, on a Temporal server. It
// is the only package that knows of Temporal.
//
// It never judges a run and knows nothing of iterations: a leg (fleet.Legs) says how its
// run stands, and flow asks for the next one. What a run is stays in its ref on the git
// remote; what flow keeps can be lost without losing a run.
//
// A workflow (Run, Account, Firing) is played again from its history whenever a worker
// takes it up, by whatever version of us that worker is. So what it asks of the server, and
// in which order, may only change behind workflow.GetVersion, as long as histories of the
// version before may be under way. Histories of earlier versions are in testdata; a test
// plays them.
package flow
