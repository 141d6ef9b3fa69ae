// Package journal is the memory of a run: a folder with an append-only file of
// events and, for every attempt, what the agent was told and what it said.
//
// An event is written before any observer sees it, so a reader of the journal
// never knows less than the screen did. A run goes on when its folder cannot be
// written; what is missing is remembered and can be told. The journal does not
// interpret events; package loop adds them up.
package journal
