package agent

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkDecodeAgainstJQ decodes claude's recorded streams, by turns with
// "jq -c .type" on the same bytes: what it costs to read a stream, without
// keeping it.
func BenchmarkDecodeAgainstJQ(b *testing.B) {
	if _, err := exec.LookPath("jq"); err != nil {
		b.Skip("jq is not installed")
	}
	const size = 32 << 20
	var once bytes.Buffer
	for _, r := range recordings(b) {
		if r.agent == "claude" {
			once.Write(bytes.TrimSuffix(r.stdout, []byte("\n")))
			once.WriteByte('\n')
		}
	}
	times := size / once.Len()
	file := filepath.Join(b.TempDir(), "stream.jsonl")
	if err := os.WriteFile(file, bytes.Repeat(once.Bytes(), times), 0o600); err != nil {
		b.Fatal(err)
	}
	var ours, theirs time.Duration
	for b.Loop() {
		began := time.Now()
		d := newClaudeDecoder(Options{})
		for range times {
			for line := range bytes.Lines(once.Bytes()) {
				d.Decode(line)
			}
		}
		ours += time.Since(began) // one goroutine that only computes: its time is its CPU
		jq := exec.Command("jq", "-c", ".type", file)
		_ = jq.Run() // one recorded line is an array, which has no type: jq says so and goes on
		theirs += jq.ProcessState.UserTime() + jq.ProcessState.SystemTime()
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(ours)/float64(theirs), "cpu-ratio")
}
