package checkpoint

import (
	"slices"
	"strings"
	"testing"
)

func TestRecordsOfStatusAreRead(t *testing.T) {
	t.Parallel()
	const oid = "0123456789012345678901234567890123456789"
	for _, tt := range []struct {
		name   string
		lines  []string
		want   []record
		hidden []string
		ok     bool
	}{
		{"nothing", nil, nil, nil, true},
		{"each kind", []string{
			"# stash 2",
			"1 .M N... 100644 100644 100644 " + oid + " " + oid + " a b",
			"1 A. S... 000000 160000 160000 " + oid + " " + oid + " sub",
			"u UU N... 100644 100644 100644 100644 " + oid + " " + oid + " " + oid + " c d",
			"? e\nf ",
			"? nested/",
		}, []record{
			{path: "a b", index: '.', file: 'M'},
			{path: "sub", index: 'A', file: '.', linked: true},
			{path: "c d", index: 'U', file: 'U'},
			{path: "e\nf ", index: '?', file: '?'},
			{path: "nested/", index: '?', file: '?'},
		}, nil, true},
		{"rules that are ignored", []string{"! a.log", "! venv/.gitignore", "! .gitignore/"}, nil, []string{"venv/.gitignore"}, true},
		{"a kind from the future", []string{"9 x"}, nil, nil, false},
		{"half a line", []string{"1 .M N..."}, nil, nil, false},
		{"no path", []string{"? "}, nil, nil, false},
	} {
		var out strings.Builder
		for _, line := range tt.lines {
			out.WriteString(line + "\x00")
		}
		got, hidden, err := parseRecords([]byte(out.String()))
		if !slices.Equal(got, tt.want) || !slices.Equal(hidden, tt.hidden) || (err == nil) != tt.ok {
			t.Errorf("%s: parseRecords = %+v, %q, %v", tt.name, got, hidden, err)
		}
	}
}

func FuzzParseRecords(f *testing.F) {
	f.Add([]byte("? a b\x001 .M N... 1 1 1 a b c\x00u"))
	f.Fuzz(func(t *testing.T, out []byte) {
		records, _, err := parseRecords(out)
		for _, r := range records {
			if err == nil && r.path == "" {
				t.Errorf("parseRecords(%q) gives an empty path", out)
			}
		}
	})
}

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
