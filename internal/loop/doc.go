// Package loop holds the words of a run and its one decision.
//
// Everything that happens in a run is an Event. What an attempt came to is an
// Outcome; what the next decision needs to know of the past is a State. Decide
// adds the one to the other and asks the rules for a Verdict. Nothing here
// reads a clock, a disk or a network: facts come in as values, so that a
// decision made last night can be made again, byte for byte, from the journal.
package loop
