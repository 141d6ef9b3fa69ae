// Package term shows a run in a terminal or a log: as plain lines, as JSON, as
// nearly nothing, or live.
//
// An output is told of events one at a time, after they are safe in the
// journal. It never holds a run up and never fails it: what cannot be shown is
// still written down. What is said comes from package view; where
// it goes, and in which colour, is decided here.
package term
