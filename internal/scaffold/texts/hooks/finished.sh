#!/bin/sh
# Runs once when a run has ended, however it did, once this file is called
# "finished".
#
# REFRAIN_FINISH_STATE (done, exhausted, aborted, stopped, failed) and
# REFRAIN_FINISH_REASON say how; REFRAIN_DURATION is in seconds.

# Example: tell whoever looks at the desktop.
notify-send "refrain: $REFRAIN_RUN" "$REFRAIN_FINISH_STATE ($REFRAIN_FINISH_REASON) after ${REFRAIN_DURATION}s"
