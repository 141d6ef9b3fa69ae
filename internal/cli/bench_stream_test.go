//go:build linux

package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// BenchmarkStream is how fast an agent can talk, and what that takes.
func BenchmarkStream(b *testing.B) {
	const mb = 32
	script := fmt.Sprintf("[[iteration]]\nsteps = [{ flood_mb = %d }]\n", mb)
	tests := []struct {
		name string
		args func(*world) []string
	}{
		{"text", func(w *world) []string {
			return []string{"--", "cat", w.writeText("text", mb<<20)}
		}},
		{"events", func(w *world) []string {
			return []string{"-p", "talk", "-a", "rehearsal", "--set", "agents.rehearsal.script=" + w.write("script.toml", script)}
		}},
	}
	for _, tt := range tests {
		b.Run(tt.name, func(b *testing.B) {
			w := benchWorld(b)
			args := append([]string{"run", "-n", "1"}, tt.args(w)...)
			var speed, cpu, memory []float64
			for b.Loop() {
				m := w.measure(0, w.program, args...)
				speed = append(speed, mb/m.wall*1000)
				cpu = append(cpu, m.cpu/mb)
				memory = append(memory, m.rss)
				b.StopTimer()
				if err := os.RemoveAll(filepath.Join(w.store().Dir, "runs")); err != nil { // else the disk fills up
					b.Fatal(err)
				}
				b.StartTimer()
			}
			report(b, median(speed), "MB/s")
			report(b, median(cpu), "cpu-ms/MB")
			report(b, slices.Max(memory), "rss-MB")
		})
	}
}

// BenchmarkAgainstJQ reads a stream of claude's, by turns with "jq -c .type".
// We also keep the transcript and the events; jq only reads.
func BenchmarkAgainstJQ(b *testing.B) {
	if _, err := exec.LookPath("jq"); err != nil {
		b.Skip("jq is not installed")
	}
	w := benchWorld(b)
	stream := w.writeStream("stream.jsonl", 64<<20)
	args := []string{"run", "-n", "1", "-o", "quiet", "-p", "go", "-a", "x", "--set", "agents.x.format=claude", "--set", fmt.Sprintf("agents.x.command=[%q, %q]", "cat", stream)}
	var cpu, speed, memory []float64
	for b.Loop() {
		jq := w.measure(0, "jq", "-c", ".type", stream)
		ours := w.measure(0, w.program, args...)
		cpu = append(cpu, ours.cpu/jq.cpu)
		speed = append(speed, jq.wall/ours.wall)
		memory = append(memory, ours.rss)
		b.StopTimer()
		if err := os.RemoveAll(filepath.Join(w.store().Dir, "runs")); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	report(b, median(cpu), "cpu-ratio")
	report(b, median(speed), "speed-ratio")
	report(b, slices.Max(memory), "rss-MB")
}

// writeText writes what an agent that prints text prints: prose, what test runners
// print, diffs and logs, each of them real or as real ones are.
func (w *world) writeText(name string, size int) string {
	w.Helper()
	var once bytes.Buffer
	add := func(pattern string, as func(text []byte)) {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			w.Fatalf("no text in %s: %v", pattern, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				w.Fatal(err)
			}
			as(text)
		}
	}
	plain := func(text []byte) { once.Write(text) }
	add("../../docs/*.md", plain)
	for _, runner := range []string{"go", "pytest", "jest", "cargo"} {
		add("../tests/testdata/"+runner+"/*.txt", plain)
	}
	add("../engine/*.go", func(text []byte) {
		once.WriteString("diff --git a/engine.go b/engine.go\n@@ -1,9 +1,9 @@ package engine\n")
		n := 0
		for line := range bytes.Lines(text) {
			once.WriteByte(" +-"[n%3])
			once.Write(line)
			n++
		}
	})
	for i := range 3000 {
		fmt.Fprintf(&once, "2026-11-15T12:%02d:%02d.123Z INFO server: GET /api/v1/items/%d 200 %dms\n", i/60%60, i%60, i, i%97)
		fmt.Fprintf(&once, "[%d] compiling module %d of 3000: internal/pkg%d\n", i, i, i%31)
		if i%10 == 0 {
			fmt.Fprintf(&once, "    at Object.<anonymous> (/app/src/x%d.js:%d:11)\nWARN  [worker-%d] retrying in %d ms\n", i, i, i%8, i)
		}
	}
	return w.writeAgain(name, once.Bytes(), size)
}

// writeStream writes recorded streams of the real CLI, again and again. It never
// holds them all: the system counts our memory as that of the programs we start.
func (w *world) writeStream(name string, size int) string {
	w.Helper()
	var once bytes.Buffer
	for _, name := range []string{"tools", "tools-parallel", "background", "big"} {
		text, err := os.ReadFile(filepath.Join("../agent/testdata/streams/claude", name+".jsonl"))
		if err != nil {
			w.Fatal(err)
		}
		once.Write(text)
	}
	return w.writeAgain(name, once.Bytes(), size)
}

func (w *world) writeAgain(name string, once []byte, size int) string {
	w.Helper()
	path := w.write(name, "")
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		w.Fatal(err)
	}
	defer f.Close()
	for range size / len(once) {
		if _, err := f.Write(once); err != nil {
			w.Fatal(err)
		}
	}
	return path
}
