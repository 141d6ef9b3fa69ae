// Package dispatch is the command line of a fleet: one file for each command, thin.
//
// What a command of a single machine has too has the same words here, the same flags,
// names in JSON and exit statuses. Where a run goes and when is for a fleet.Service to
// say, and who does its legs for fleet.Legs: both are lent to it (Backend), so that it
// knows neither a server nor how a leg is done.
package dispatch
