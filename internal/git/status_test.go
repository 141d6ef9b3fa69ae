package git

import (
	"slices"
	"strings"
	"testing"
)

func TestStatusIsReadRecordByRecord(t *testing.T) {
	const oid = "0123456789012345678901234567890123456789"
	tests := []struct {
		name  string
		lines []string
		head  string
		paths []string
		ok    bool
	}{
		{"clean", []string{"# branch.oid " + oid, "# branch.head main"}, oid, nil, true},
		{"before the first commit", []string{"# branch.oid (initial)"}, "", nil, true},
		{"each kind", []string{
			"# branch.oid " + oid,
			"1 .M N... 100644 100644 100644 " + oid + " " + oid + " a b",
			"u UU N... 100644 100644 100644 100644 " + oid + " " + oid + " " + oid + " c d",
			"? e\nf ",
		}, oid, []string{"a b", "c d", "e\nf "}, true},
		{"a kind from the future", []string{"# branch.oid " + oid, "9 x"}, "", nil, false},
		{"half a line", []string{"1 .M N..."}, "", nil, false},
		{"no path", []string{"? "}, "", nil, false},
		{"nothing at all", nil, "", nil, false},
	}
	for _, tt := range tests {
		out := strings.Join(tt.lines, "\x00")
		head, paths, err := parseStatus([]byte(out))
		if head != tt.head || !slices.Equal(paths, tt.paths) || (err == nil) != tt.ok {
			t.Errorf("%s: parseStatus(%q) = %q, %q, %v", tt.name, out, head, paths, err)
		}
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte("# branch.oid (initial)\x00? a b\x00"))
	f.Add([]byte("1 .M N... 1 1 1 a b c d\x00u"))
	f.Fuzz(func(t *testing.T, out []byte) {
		_, paths, err := parseStatus(out)
		if err == nil && slices.Contains(paths, "") {
			t.Errorf("parseStatus(%q) gives an empty path", out)
		}
	})
}
