//go:build linux

package cli

import (
	"slices"
	"strconv"
	"testing"
)

// BenchmarkSandbox is an iteration with an instant agent and an instant gate in each
// kind of sandbox, against one without.
func BenchmarkSandbox(b *testing.B) {
	const turns = 200
	w := benchWorld(b)
	for name, text := range map[string]string{"PROMPT.md": "Go on.\n", "a.txt": "a\n"} {
		w.write("tree/"+name, text)
	}
	w.must("git", "init", "-q")
	w.must("git", "add", "-A")
	w.must("git", "commit", "-q", "-m", "a prompt")
	in := func(kind string) []string {
		return []string{"run", "-F", "PROMPT.md", "--until", "DONE", "-n", strconv.Itoa(turns), "--gate", "true", "--sandbox", kind, "--", "sh", "-c", "cat >/dev/null; date +%N >>a.txt"}
	}
	took := map[string][]float64{}
	for b.Loop() {
		for _, kind := range kinds {
			if lacks[kind]() == nil {
				took[string(kind)] = append(took[string(kind)], w.measure(2, w.program, in(string(kind))...).wall/turns)
			}
		}
	}
	for kind, list := range took {
		report(b, slices.Min(list), kind+"-ms")
		report(b, slices.Min(list)/slices.Min(took["none"]), kind+"-ratio")
	}
}
