// Package project knows which project a folder belongs to, and where the records
// of its runs are: in a folder of the project's own below the user's state
// folder, where what an agent does to the work tree does not reach.
//
// A project is known by its folder, wherever that is. What lies at its path is
// the project too, as long as that is nowhere else. A sign that lies in the
// project says whose records these were, and so a project that was moved to
// another disk finds its own, while a copy of one that is still there gets new
// ones. A run belongs to one place. What the records hold is for others.
package project
