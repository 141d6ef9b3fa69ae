#!/bin/sh
# The test of this project: what it says is what the agent works for.
got=$(sh ./greet.sh Ada)
want="Hello, Ada!"
if [ "$got" = "$want" ]; then
  echo "ok: greet Ada"
else
  echo "FAIL: greet Ada: got \"$got\", want \"$want\""
  exit 1
fi
