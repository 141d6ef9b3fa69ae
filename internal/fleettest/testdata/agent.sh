#!/bin/bash
# An agent that is a script. It notes when it is at work in a file of the run's, adds a
# line for each iteration to work.txt, and commits that in every other one.
#
# Its prompt says what it does. "until 3 iterations", or "until 40 faults": when it is
# done; "take 12": how often it notes that it is at work, ten times a second; "limit 4":
# it meets a limit of so many seconds in its second iteration; "leave it": it commits
# nothing; "give up": it fails again and again where it would be done.
prompt=$(cat)
[[ $prompt =~ take\ ([0-9]+) ]] && take=${BASH_REMATCH[1]}
[[ $prompt =~ limit\ ([0-9]+) ]] && limit=${BASH_REMATCH[1]}
log=$YARD_NOTES/$REFRAIN_RUN_ID
note() { echo "$EPOCHREALTIME $1 $REFRAIN_ITERATION $REFRAIN_ATTEMPT $$ $YARD_MACHINE" >>"$log"; }

note begin
if [ "$REFRAIN_ITERATION" = 2 ] && [ -n "$limit" ] && ! [ -e "$log.limited" ]; then
  touch "$log.limited"
  echo half >half.txt && git add half.txt # it is in the middle of its work
  printf '{"type":"agent.limit","limit":{"kind":"five_hour","until":"%s"}}\n' "$(date -u -d "$limit seconds" +%FT%TZ)"
  printf '{"type":"agent.result","ok":false,"error":{"kind":"usage_limit","message":"come back later"}}\n'
  note end
  exit 1
fi
for ((i = 0; i < ${take:-1}; i++)); do
  sleep 0.1
  note alive
done

done=
if [[ $prompt =~ until\ ([0-9]+)\ iterations ]]; then
  [ "$REFRAIN_ITERATION" -ge "${BASH_REMATCH[1]}" ] && done=yes
elif [[ $prompt =~ until\ ([0-9]+)\ faults ]]; then
  [ "$(<"$YARD_NOTES/faults")" -ge "${BASH_REMATCH[1]}" ] && done=yes
fi
if [ -n "$done" ] && [[ $prompt =~ give\ up ]]; then
  printf '{"type":"agent.result","ok":false,"error":{"kind":"agent","message":"I give up"}}\n'
  note end
  exit 1
fi
echo "$REFRAIN_ITERATION" >>work.txt
if [[ $prompt =~ leave\ it ]]; then
  : # the runner commits it
elif [ -n "$done" ] || [ $((REFRAIN_ITERATION % 2)) = 0 ]; then
  find .git -name '*.lock' -delete # of a git that was killed
  git add -A && git commit -q -m "iteration $REFRAIN_ITERATION" || exit 1
fi
[ -z "$done" ] || printf '{"type":"agent.text","text":"<promise>DONE</promise>"}\n'
printf '{"type":"agent.result","ok":true}\n'
note end
