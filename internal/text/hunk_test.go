package text

import "testing"

func TestHunkHead(t *testing.T) {
	for _, tt := range []struct {
		line          string
		before, after Span
		ok            bool
	}{
		{"@@ -1,2 +3,4 @@", Span{1, 2}, Span{3, 4}, true},
		{"@@ -1 +3 @@ func main() {\n", Span{1, 1}, Span{3, 1}, true},
		{"@@ -0,0 +1,7 @@", Span{0, 0}, Span{1, 7}, true},
		{"@@ -1,2 +3,4 @@ @@ -9 +9 @@", Span{1, 2}, Span{3, 4}, true},
		{"@@ -1,2 +3,4", Span{}, Span{}, false},
		{"@@ -1,2 @@", Span{}, Span{}, false},
		{"@@ --1 +3 @@", Span{}, Span{}, false},
		{"@@ -1,x +3 @@", Span{}, Span{}, false},
		{"@@ -1, +3 @@", Span{}, Span{}, false},
		{"@@ -99999999999999999999 +3 @@", Span{}, Span{}, false},
		{" @@ -1,2 +3,4 @@", Span{}, Span{}, false},
		{"", Span{}, Span{}, false},
	} {
		if before, after, ok := HunkHead(tt.line); before != tt.before || after != tt.after || ok != tt.ok {
			t.Errorf("HunkHead(%q) = %v, %v, %v", tt.line, before, after, ok)
		}
	}
}
