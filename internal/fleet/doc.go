// Package fleet is the words of many machines: what somebody wants done, what one
// worker does of it, and how it stands.
//
// A run goes in legs. A leg is what one worker does of it, from the records that the
// last one left (package carry) to the next moment between two steps at which it ends,
// has long to wait, or somebody else has a turn. So a leg is a resume like any other,
// and nothing here judges: the run itself is one ref of a git remote, and who moves
// that ref has the run.
//
//	Spec      what is wanted of a run: said once
//	Turn      one leg of it, to be done by a worker
//	Standing  how the run stands after a leg
//	Service   what people ask of a fleet
//
// Package desk does legs; package flow says where and when, on a Temporal server, and
// is the only one that knows of it.
package fleet
