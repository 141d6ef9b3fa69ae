// Package web shows the runs of this machine on a page in a browser, live, and
// lets a person act on them there.
//
// What it shows is read from the records of runs and, while one is live, from its
// control socket, over one connection however many pages are open. What a person
// wants of a live run goes through that socket too, and all else through the
// program's own commands, so that the page knows and may do no more than a person
// at a terminal. It writes to no run. Whoever has not got the token sees nothing,
// and nothing that an agent wrote reaches a page but as text, or through package
// markup.
//
// How the page looks is in the folder page; the package only serves it.
package web
