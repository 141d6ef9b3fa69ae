#!/bin/sh
# Runs before each iteration, once this file is called "next_iteration".
#
# Exit 0 to go on, 1 to skip this iteration, 2 to end the run; the last line
# printed is the reason. REFRAIN_ITERATION, REFRAIN_LAST_RESULT and others are in
# the environment. Lines such as ticket=T-41 in the file $REFRAIN_METADATA are kept
# with the iteration.

# Example: end the run before the disk is full.
free=$(df -Pk . | awk 'NR == 2 { print $4 }')
if [ "$free" -lt 1048576 ]; then
	echo "less than 1 GB is free"
	exit 2
fi
