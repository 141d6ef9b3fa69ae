// Package proof judges claims: it runs the gates on a checkpoint, in the work
// tree or in a clean checkout, and makes a ruling of what they find.
//
// A ruling rests on what the gates found and on nothing that the agent says.
// Which claims there are, and what a ruling means for the run, is for the engine;
// what a gate is, and how one is judged alone, is for package gate.
package proof
