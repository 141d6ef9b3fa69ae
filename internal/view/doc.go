// Package view folds the events of a run into what a screen shows.
//
// Every face (lines, live terminal, status, web page) reads the same Run, so
// that no two of them can disagree about where a run stands. The words, numbers
// and cuts that people see are made here too; where they go on a screen, and in
// which colour, is left to the faces.
package view
