// Package patch reads what git prints of a difference: files, hunks and lines, in
// colours, for who paints them.
//
// What stands in a file never passes for what git says of it. It runs nothing.
package patch
