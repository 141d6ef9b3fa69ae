// Package report makes one HTML page of one run, to keep or to send on.
//
// The page is a single file that asks for nothing: no script, font or picture
// from elsewhere, and its policy forbids them. It is useful with scripts off, on
// paper and to a screen reader. What the agent said is untrusted and shown as
// plain text only. Finding the run, and where the file goes, is left to others.
package report
