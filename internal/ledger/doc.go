// Package ledger reads the records of a run in pages: what is asked for is found from
// the end of its files, or from a place that is known, and never is the whole of a
// file in memory. So a run of a million events opens as quickly as one of ten.
//
// What it remembers of a run is a little of each attempt, and what happened between
// them; it goes on reading where it stopped. Only lines that the journal's seals vouch
// for are taken in. What they mean to people is for others to say.
package ledger
