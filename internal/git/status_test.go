package git

import (
	"reflect"
	"strings"
	"testing"
)

func TestStatusIsReadRecordByRecord(t *testing.T) {
	const oid = "0123456789012345678901234567890123456789"
	for _, tt := range []struct {
		name  string
		lines []string
		want  Report
		ok    bool
	}{
		{"nothing", nil, Report{}, true},
		{"each kind", []string{
			"# stash 2",
			"# branch.oid " + oid,
			"1 .M N... 100644 100644 100644 " + oid + " " + oid + " a b",
			"1 A. S... 000000 160000 160000 " + oid + " " + oid + " sub",
			"u UU N... 100644 100644 100644 100644 " + oid + " " + oid + " " + oid + " c d",
			"? e\nf ",
			"? nested/",
		}, Report{Head: oid, Records: []Record{
			{Path: "a b", Index: '.', File: 'M'},
			{Path: "sub", Index: 'A', File: '.', Linked: true},
			{Path: "c d", Index: 'U', File: 'U'},
			{Path: "e\nf ", Index: '?', File: '?'},
			{Path: "nested/", Index: '?', File: '?'},
		}}, true},
		{"before the first commit", []string{"# branch.oid (initial)"}, Report{}, true},
		{"what is ignored", []string{"! a.log", "! venv/"}, Report{Ignored: []string{"a.log", "venv/"}}, true},
		{"a kind from the future", []string{"9 x"}, Report{}, false},
		{"half a line", []string{"1 .M N..."}, Report{}, false},
		{"no path", []string{"? "}, Report{}, false},
	} {
		var out strings.Builder
		for _, line := range tt.lines {
			out.WriteString(line + "\x00")
		}
		if got, err := ParseStatus([]byte(out.String())); !reflect.DeepEqual(got, tt.want) || (err == nil) != tt.ok {
			t.Errorf("%s: ParseStatus = %+v, %v", tt.name, got, err)
		}
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte("? a b\x001 .M N... 1 1 1 a b c\x00u"))
	f.Fuzz(func(t *testing.T, out []byte) {
		report, err := ParseStatus(out)
		for _, r := range report.Records {
			if err == nil && r.Path == "" {
				t.Errorf("ParseStatus(%q) gives an empty path", out)
			}
		}
	})
}
