// Package project knows which project a folder belongs to, and where the records
// of its runs are: in a folder of the project's own below the user's state
// folder, where what an agent does to the work tree does not reach.
//
// A project is known by its path. When nothing is known of a path, a note that
// lies in the project says whose records these were, and so a project that was
// moved finds its own, while a copy of one that is still there gets new ones.
// What the records hold is for others.
package project
