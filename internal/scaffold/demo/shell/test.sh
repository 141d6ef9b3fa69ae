#!/bin/sh
# The tests of this project: what they say is what the agent works for.
failed=0
number=0
check() {
  number=$((number + 1))
  if [ "$2" = "$3" ]; then
    echo "ok $number - $1"
  else
    echo "not ok $number - $1"
    echo "# got \"$2\", want \"$3\""
    failed=1
  fi
}
check "greets by name" "$(sh ./greet.sh Ada)" "Hello, Ada!"
check "greets the world" "$(sh ./greet.sh)" "Hello, world!"
check "says one line" "$(sh ./greet.sh Ada | wc -l | tr -d ' ')" 1
echo "1..$number"
exit $failed
