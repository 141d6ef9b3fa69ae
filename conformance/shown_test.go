package conformance

import (
	"strings"
	"testing"
)

func TestShown(t *testing.T) {
	tests := []struct {
		name, script string
		want         string // the rows with their lines
		wrong        string
	}{
		{"a line of ids", "# FAIL-01 FAIL-02\nexits 1 x\n", "FAIL-01:1-2 FAIL-02:1-2", ""},
		{"with the spec", "exec x\n\n# RD: FAIL-01\n# What happens.\nexits 1 x\n", "FAIL-01:3-5", ""},
		{"with what it says of them", "# FAIL-01 FAIL-02: it gives up\nexits 1 x\n", "FAIL-01:1-2 FAIL-02:1-2", ""},
		{"two lines of one comment", "# T97: FAIL-01\n# T96: API-02\nexits 1 x\n", "FAIL-01:1-3 API-02:1-3", ""},
		{"two paragraphs", "# FAIL-01\nexits 1 x\n\n# FAIL-02\nstdout y\n", "FAIL-01:1-2 FAIL-02:4-5", ""},
		{"ids that are no rows", "# FAIL-01 X-10 W-46 S-R01\nexits 1 x\n", "FAIL-01:1-2", ""},
		{"only ids that are no rows", "# X-10 W-46\nexec x\n", "", ""},
		{"prose that has an id in it", "# As in FAIL-01 and FAIL-02.\nexits 1 x\n", "", ""},
		{"a comment inside a file", "exec true\n-- a --\n# FAIL-01\n", "", ""},
		{"a file at the very beginning", "-- a --\n# FAIL-01\n", "", ""},
		{"a spec without ids", "# RD: what happens\nexits 1 x\n", "", "1: names no rows: RD: what happens"},
		{"a spec that nobody knows", "# XY: FAIL-01\nexits 1 x\n", "", "1: no spec is called XY: XY: FAIL-01"},
		{"too many", "# A-01 A-02 A-03 A-04\nexits 1 x\n", "A-01:1-2 A-02:1-2 A-03:1-2 A-04:1-2", "1: 4 rows for one paragraph, and 3 is the most: A-01 A-02 A-03 A-04"},
		{"an empty line below", "# A-01\n\nexits 1 x\n", "A-01:1-1", "1: nothing below can fail to show A-01"},
		{"below the end", "# A-01\nexits 1 x\nstop 'enough'\n\n# A-02\nexits 1 x\n", "A-01:1-2", ""},
		{"below what may be the end", "[!unix] stop\n\n# A-02\nexits 1 x\n", "A-02:3-4", ""},
		{"another comment below", "# A-01\nexec x\n# Then.\nexits 1 x\n", "A-01:1-2", "1: nothing below can fail to show A-01"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all, wrong := shown(tt.script)
			var got []string
			for _, at := range all {
				got = append(got, at.Row+":"+at.lines())
			}
			if strings.Join(got, " ") != tt.want || strings.Join(wrong, "; ") != tt.wrong {
				t.Errorf("shown(%q) = %q, %q; want %s, %s", tt.script, got, wrong, tt.want, tt.wrong)
			}
		})
	}
}

func TestExpects(t *testing.T) {
	for line, want := range map[string]bool{
		"stdout 'x'": true, "exits 0 refrain run": true, "refuses 3 refrain": true, "gone pid": true,
		"! exec refrain run": true, "exec sh -c 'test -s x'": true, "exec grep -c x y": true, "stdout -count=1 .": true,
		"stdout '.x'": true, "! stdout x": false, "! exists x": false, "[unix] gone pid": false, "stdout .": false,
		"stdout '.*'": false, "grep . file": false, "stdout ''": false,
		"exec refrain run": false, "! exec refrain run &run&": false, "await pid .": false, "cp a b": false,
		"[!exec:git] skip": false, "exec sh list.sh": false, "signal INT": false,
	} {
		if got := expects(line); got != want {
			t.Errorf("expects(%q) = %v, want %v", line, got, want)
		}
	}
}
