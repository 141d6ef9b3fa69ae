// Package carry takes runs from one machine to another, by way of an ordinary git
// remote. A run is one ref there, refs/refrain/runs/ID: a commit whose tree is the
// folder of the run, and whose parents are the state before, the checkpoint of the work
// tree and the commit that was checked out. So one push carries everything.
//
//	card.json            whose it is, and what belongs to it
//	run.json             how it was asked for
//	journal/00000001     the journal, in pieces: one for each push that had news
//	beside/              what a next runner goes by, beside the journal
//	iterations/          what agents were told and printed, and what gates did
//
// Every push names the value that it expects the ref to have (--force-with-lease), and
// that alone decides whose the run is: who finds another value has no part in it any
// more. A run that is held is moved on by its holder; one that is not is anybody's who
// moves the ref first.
//
// Records travel without seals, since nobody else has the key. They are looked at
// before they leave, and sealed anew where they arrive: from then on whoever can write
// to the remote is believed. Secrets do not travel: what looks like one in the records
// is hidden, and in the files of the work tree it keeps the run from leaving.
package carry
