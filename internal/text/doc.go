// Package text is how text is cut, cleaned, counted and recognised, for everybody: it
// imports nothing of ours. It knows no events and no settings; what is said is up to
// others.
package text
