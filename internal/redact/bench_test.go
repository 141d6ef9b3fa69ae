package redact

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// stream of what agents print: lines of JSON, source code and words.
func printed(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `{"type":"assistant","message":{"id":"msg_%08x","content":[{"type":"text","text":"func Test%d(t *testing.T) {\n\tif got := run(%d); got != want {\n\t\tt.Fatal(got)\n\t}\n}"}]}}`+"\n", i*2654435761, i, i)
	}
	return b.Bytes()[:size]
}

func manySecrets() *Redactor {
	var list []Secret
	for i := range 30 {
		list = append(list, Secret{fmt.Sprintf("SERVICE_%d_KEY", i), fmt.Sprintf("sk-%d-%x%s", i, i*7919+1234567, strings.Repeat("Zq9", 8))})
	}
	return New(list)
}

func hideStream(t testing.TB, r *Redactor, data []byte) {
	w := r.Writer(io.Discard)
	for piece := range bytes.Lines(data) {
		if _, err := w.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkStream also tells how many times longer it takes to hide what is secret
// than to look at each byte once, in the simplest way.
func BenchmarkStream(b *testing.B) {
	data := printed(1 << 20)
	for name, r := range map[string]*Redactor{"none": nil, "30 secrets": manySecrets()} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				hideStream(b, r, data)
			}
			hidden, lines := b.Elapsed(), 0
			looked := time.Now()
			for range b.N {
				for _, c := range data {
					if c == '\n' {
						lines++
					}
				}
			}
			b.ReportMetric(float64(hidden)/float64(max(time.Since(looked), 1)), "x-a-look")
			if lines == 0 {
				b.Error("nothing was printed")
			}
		})
	}
}
