package checkpoint

import (
	"testing"
)

func FuzzParseEdits(f *testing.F) {
	f.Add([]byte(":100644 100644 a b M\x00x\x00:100644 100644 a a R100\x00y\x00z\x001\t2\tx\x000\t0\t\x00y\x00z\x00"))
	f.Add([]byte(":000000 160000 0 b A\x00sub\x001\t0\tsub\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		edits, err := parseEdits(out)
		for _, e := range edits {
			if err == nil && (e.path == "" || e.change == "" || (e.change == renamed) != (e.from != "")) {
				t.Errorf("parseEdits(%q) gives %+v", out, e)
			}
		}
	})
}
