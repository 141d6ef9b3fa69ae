#!/bin/sh
# Runs each time a run starts or resumes, once this file is called "started".
#
# Exit 0 to go on, 2 to end the run; the last line printed is the reason. The
# event is on stdin as JSON, and REFRAIN_RUN, REFRAIN_PROCEDURE and others are
# in the environment.

# Example: keep agents off the main branch.
case $(git branch --show-current) in
main | master)
	echo "work on a branch: git switch -c NAME"
	exit 2
	;;
esac
