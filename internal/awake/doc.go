// Package awake keeps the machine from going to sleep while a run is alive.
//
// A run never fails or waits for it: where sleep cannot be held off, it goes on,
// and Held says why. Whatever is started here cannot outlive this process, even
// when that is killed. A person still has the last word: closing the lid, or a
// battery that is empty, puts the machine to sleep.
//
// What is started here is a child of this process and not of the keeper that
// agents run under. The keeper ends orphans of unknown origin only while no
// other child of its own is alive, and this one would live as long as the run.
package awake
