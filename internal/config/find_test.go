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
