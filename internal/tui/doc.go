// Package tui is the full-screen view of a run: where it stands, what its agent
// says and does, its iterations, changes, gates and log, and keys to steer it.
//
// It shows a live run as it goes and a finished one as it went, with the same
// panes. Events are taken in at once, whatever the terminal does, so a run is
// never held up by its reader; of long runs the latest is kept. What a run
// came to, and how commands are carried out, is left to whoever opens the screen.
package tui
