//go:build linux

package cli

import (
	"os"
	"slices"
	"strconv"
	"testing"
)

// BenchmarkClaim is what a claim with an instant gate takes, against an iteration
// that claims nothing and has the same gate. The tests are untouched. With
// REFRAIN_BEFORE, the program of an earlier version, it is also measured against
// a claim there, and against one with one gate more.
func BenchmarkClaim(b *testing.B) {
	const turns = 20
	w := benchWorld(b)
	for name, text := range map[string]string{"PROMPT.md": "Go on.\n", "a.txt": "a\n", "c.txt": "c\n"} {
		w.write("tree/"+name, text)
	}
	w.must("git", "init", "-q")
	w.must("git", "add", "-A")
	w.must("git", "commit", "-q", "-m", "a prompt")
	n := strconv.Itoa(turns)
	common := []string{"run", "-F", "PROMPT.md", "--until", "DONE", "-n", n, "--gate", "true"}
	work := "cat >/dev/null; date +%N >>a.txt"
	quiet := append(slices.Clone(common), "--", "sh", "-c", work)
	claims := append(slices.Clone(common), "--set", "done.confirmations="+n, "--", "sh", "-c", work+"; echo '<promise>DONE</promise>'")
	before := os.Getenv("REFRAIN_BEFORE")
	more := slices.Insert(slices.Clone(claims), len(common), "--gate", "true")
	var plain, claim, old, oldMore []float64
	for b.Loop() {
		plain = append(plain, w.measure(2, w.program, quiet...).wall/turns)
		claim = append(claim, w.measure(0, w.program, claims...).wall/turns)
		if before != "" {
			old = append(old, w.measure(0, before, claims...).wall/turns)
			oldMore = append(oldMore, w.measure(0, before, more...).wall/turns)
		}
	}
	report(b, slices.Min(plain), "plain-ms")
	report(b, slices.Min(claim), "claim-ms")
	report(b, slices.Min(claim)/slices.Min(plain), "ratio")
	if before != "" {
		report(b, slices.Min(old), "before-ms")
		report(b, slices.Min(oldMore), "before-more-ms")
		report(b, slices.Min(claim)/slices.Min(old), "before-ratio")
	}
}
