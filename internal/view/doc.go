// Package view folds the events of a run into what a screen shows, and puts them
// into words.
//
// Every face (lines, live terminal, full screen, status, web page) reads the same
// Run, so that no two of them can disagree about where a run stands, and hears of
// events from the same Narrator, as facts with a kind and a text. The words,
// numbers and cuts that people see are made here; where they go on a screen, and in
// which colour, is left to the faces.
package view
