package config

import (
	"regexp"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/foreign"
)

// ours is a key of ours in a sentence.
var ours = regexp.MustCompile(`\b(agents|claims|context|done|git|log|loop|permissions|session|stop)(\.[a-z_]+)+`)

// A key of another system is none of ours, or its hint would never be seen; and what
// its hint names is there.
func TestForeignKeysLeadToOurs(t *testing.T) {
	for _, theirs := range foreign.Keys() {
		if _, is := find([]string{theirs}); is != foundNothing {
			t.Errorf("%s is a key of ours", theirs)
		}
		_, hint := unknown([]string{theirs})
		if want := foreign.Key([]string{theirs}); hint != want || want == "" {
			t.Errorf("unknown(%q) hints at %q, want %q", theirs, hint, want)
		}
		for _, key := range ours.FindAllString(hint, -1) {
			if _, is := find(strings.Split(key, ".")); is != foundSetting {
				t.Errorf("the hint for %s names %s, which is no key", theirs, key)
			}
		}
	}
}

// A variable of ours that a hint names is one.
func TestForeignVariablesLeadToOurs(t *testing.T) {
	known, seen := map[string]bool{}, 0
	for _, r := range settings() {
		known[envName(r.Key)] = true
	}
	named := regexp.MustCompile(`\bREFRAIN_[A-Z_]+`)
	for _, w := range foreign.Variables([]string{
		"FRESHER_MAX_ITERATIONS=x", "FRESHER_SMART_TERMINATION=x", "FRESHER_DANGEROUS_PERMISSIONS=x", "FRESHER_MODEL=x", "FRESHER_TEST_CMD=x", "FRESHER_IMPL_DIR=x",
		"FRESHER_HOOKS_ENABLED=x", "FRESHER_HOOK_TIMEOUT=x", "ROODA_LOOP_AI_CMD_ALIAS=x", "ROODA_LOOP_ITERATION_MODE=x", "ROODA_LOOP_ITERATION_TIMEOUT=x",
		"ROODA_LOOP_FAILURE_THRESHOLD=x", "ROODA_LOOP_LOG_LEVEL=x",
	}) {
		for _, name := range named.FindAllString(w.Ours, -1) {
			if seen++; !known[name] {
				t.Errorf("the hint for %s names %s, which is no variable", w.Theirs, name)
			}
		}
	}
	if seen < 15 {
		t.Errorf("only %d variables named", seen)
	}
}
