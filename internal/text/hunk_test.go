package text

import "testing"

func TestHunkHead(t *testing.T) {
	for _, tt := range []struct {
		line string
		want Hunk
		ok   bool
	}{
		{"@@ -1,2 +3,4 @@", Hunk{Span{1, 2}, Span{3, 4}, ""}, true},
		{"@@ -1 +3 @@ func main() {", Hunk{Span{1, 1}, Span{3, 1}, "func main() {"}, true},
		{"@@ -0,0 +1,7 @@", Hunk{Span{0, 0}, Span{1, 7}, ""}, true},
		{"@@ -1,2 +3,4 @@ @@ -9 +9 @@", Hunk{Span{1, 2}, Span{3, 4}, "@@ -9 +9 @@"}, true},
		{"@@ -1,2 +3,4", Hunk{}, false},
		{"@@ -1,2 @@", Hunk{}, false},
		{"@@ --1 +3 @@", Hunk{}, false},
		{"@@ -1,x +3 @@", Hunk{}, false},
		{"@@ -1, +3 @@", Hunk{}, false},
		{"@@ -99999999999999999999 +3 @@", Hunk{}, false},
		{" @@ -1,2 +3,4 @@", Hunk{}, false},
		{"", Hunk{}, false},
	} {
		if got, ok := HunkHead(tt.line); got != tt.want || ok != tt.ok {
			t.Errorf("HunkHead(%q) = %v, %v", tt.line, got, ok)
		}
	}
}

func TestALineThatWentIsNoHeadOfAFile(t *testing.T) {
	lines := []string{"diff --git a/q b/q", "--- a/q", "+++ b/q", "@@ -1 +1 @@", "--- a remark", "+++ another", "diff --git a/x b/x", "--- a/x"}
	var in []string
	for l, is := range DiffLines(lines) {
		if is {
			in = append(in, l)
		}
	}
	if len(in) != 2 || in[0] != "--- a remark" || in[1] != "+++ another" {
		t.Errorf("in hunks: %q", in)
	}
}
