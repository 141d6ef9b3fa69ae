// Package flow says where and when the legs of a run are done, on a Temporal server. It
// is the only package that knows of Temporal.
//
// It never judges a run and knows nothing of iterations: a leg (fleet.Legs) says how its
// run stands, and flow asks for the next one. What a run is stays in its ref on the git
// remote; what flow keeps can be lost without losing a run.
package flow
