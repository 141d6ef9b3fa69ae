// Package control is the local API of a live run: HTTP on a Unix socket that
// only its owner can open, the side that serves it and the side that calls it.
//
//	GET  /v1/run              where the run stands
//	GET  /v1/events?after=SEQ its events as they come, after those that came before
//	POST /v1/commands         a wish, answered when it has taken effect
//
// Whoever looks on never slows the loop: an event costs the run the same with a
// thousand clients as with none, and a client that cannot keep up is told so
// rather than waited for. Who follows the events from a number gets each of them
// once and in order. What a command does is for others to say, and so is what
// goes on a screen.
package control
