package agent

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// numbers is a version within what a program says of itself, such as "codex-cli
// 0.166.0" or "2.1.325 (Claude Code)".
var numbers = text.NewPattern(`\d+(\.\d+)+`)

// Newest is the last version that was measured; empty: none was.
func (t Traits) Newest() string {
	if len(t.Measured) == 0 {
		return ""
	}
	return t.Measured[len(t.Measured)-1]
}

// Newer tells whether a program that says this of its version is newer than all that
// was measured. One that says nothing we understand is not.
func (t Traits) Newer(said string) bool {
	version := numbers().FindString(said)
	return version != "" && t.Newest() != "" && compare(version, t.Newest()) > 0
}

// Older tells whether it is older than all that was measured.
func (t Traits) Older(said string) bool {
	version := numbers().FindString(said)
	return version != "" && len(t.Measured) > 0 && compare(version, t.Measured[0]) < 0
}

// compare orders a version by as many numbers as the measured one has: 0.87 stands
// for all of 0.87.
func compare(version, measured string) int {
	parts := strings.Split(version, ".")
	for i, want := range strings.Split(measured, ".") {
		got := "0"
		if i < len(parts) {
			got = parts[i]
		}
		g, _ := strconv.Atoi(got) // the pattern leaves nothing but digits
		w, _ := strconv.Atoi(want)
		if order := cmp.Compare(g, w); order != 0 {
			return order
		}
	}
	return 0
}
