// Package desk does legs of runs: it is where a worker of a fleet has them.
//
// A leg begins with a claim on the remote, goes on as any run on this machine does, and
// moves the ref of the run at each moment that counts (package carry). It ends when the
// run does, when it is left to others, or when somebody else has it. Nothing here says
// when and where; nobody here knows of a server.
//
//	Root/
//	  lock               one worker has all of it
//	  mirrors/HASH.git   a remote's branches, for all of its runs
//	  runs/ID/LEG/tree   a work tree, made in that leg; the last one counts
//	  runs/ID/run.json   which remote it is from
//
//	no ref, or nobody has begun ─► new tree, app.Prepare, job.Start
//	the ref is as we left it ────► kept: app.PrepareResume in the tree that is here
//	anything else ───────────────► restored: new tree, brought from the remote
package desk
