# Plans or builds, as its prompt says, in whichever project this is.
prompt=$(cat)
plan=IMPLEMENTATION_PLAN.md
spec=specs/greet-people-by-their-name.md

write_plan() {
  cat >$plan <<END
# Implementation plan

## Priority 1: People are greeted

- [ ] Greet whoever is named (refs: $spec)
- [ ] Say in the README how to greet somebody, with one example that a reader can copy (refs: $spec)
END
  grep -qs '^## Answers' $spec && return
  cat >>$plan <<END

## Questions

- What should be said to somebody who has not told a name? Meanwhile: Hello, you! (refs: $spec)
END
}

greet() {
  if [ -f go.mod ]; then
    printf 'package greet\n\n// Greet says hello to somebody.\nfunc Greet(name string) string { return "Hello, " + name + "!" }\n' >greet.go
  elif [ -f package.json ]; then
    printf 'exports.greet = (name) => `Hello, ${name}!`;\n' >greet.js
  else
    printf 'def greet(name):\n    return f"Hello, {name}!"\n' >greet.py
  fi
}

case $prompt in
*'procedure `plan`'*) write_plan ;;
*'procedure `build`'*)
  if grep -q '^- \[ \] Greet' $plan; then
    greet
    sed -i 's/^- \[ \] Greet/- [x] Greet/' $plan
    git add -A && git commit -qm 'greet: greet whoever is named'
  else
    printf '# Greet\n\n    greet("Ada")\n' >README.md
    sed -i 's/^- \[ \] Say/- [x] Say/' $plan
    git add -A && git commit -qm 'readme: say how to greet somebody'
  fi
  ;;
esac
