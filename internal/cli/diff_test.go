package cli

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
)

// onScreen writes a diff in pieces of some size.
func onScreen(t testing.TB, diff string, color bool, size int) string {
	t.Helper()
	var out bytes.Buffer
	d := &diffScreen{to: &out, color: color}
	for rest := []byte(diff); len(rest) > 0; {
		n := min(size, len(rest))
		if wrote, err := d.Write(rest[:n]); err != nil || wrote != n {
			t.Fatalf("Write = %d, %v", wrote, err)
		}
		rest = rest[n:]
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestADiffOnATerminalIsClean(t *testing.T) {
	const head = "diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n"
	tests := []struct{ name, hunk, want string }{
		{"a title and the clipboard", "@@ -0,0 +1 @@\n+a\x1b]0;title\ab\x1b]52;c;eA==\x1b\\c\n", "+abc\n"},
		{"moves and erasures", "@@ -0,0 +1 @@\n+a\x1b[2Jb\x1b[1;1Hc\n", "+abc\n"},
		{"controls of eight bits", "@@ -0,0 +1 @@\n+a\u009b2Jb\u009d0;x\a\n", "+ab0;x\n"},
		{"a hidden text", "@@ -0,0 +1 @@\n+\x1b[8msecret\x1b[0m\n", "+secret\n"},
		{"a line that overwrites itself", "@@ -0,0 +1 @@\n+evil()\r ok()  \n", "+evil()^M ok()  \n"},
		{"a separator of Unicode", "@@ -0,0 +1 @@\n+evil()\u2028-ok()\n", "+evil() -ok()\n"},
		{"a text that runs backwards", "@@ -0,0 +1 @@\n+\u202eevil\n", "+evil\n"},
		{"tabs stay", "@@ -0,0 +1 @@\n+\ta\tb\n", "+\ta\tb\n"},
		{"an end of line that came", "@@ -1 +1 @@\n-a\n+a\r\n", "-a\n+a^M\n"},
		{"one that was there", "@@ -1,2 +1,2 @@ f()\r\n a\r\n-b\r\n+c\r\n", " a\n-b^M\n+c^M\n"},
		{"bytes that are no text", "@@ -0,0 +1 @@\n+a\xff\xfeb\n", "+a\uFFFD\uFFFDb\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at := strings.Index(tt.hunk, "@@\n")
			first := tt.hunk[:at+3]
			if at < 0 {
				first = "@@ -1,2 +1,2 @@ f()\n"
			}
			for _, size := range []int{1, 3, 1000} {
				if got, want := onScreen(t, head+tt.hunk, false, size), head+first+tt.want; got != want {
					t.Errorf("in pieces of %d got\n%q, want\n%q", size, got, want)
				}
			}
		})
	}
}

func TestADiffHasTheColoursOfGit(t *testing.T) {
	diff := "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,3 +1,2 @@ f()\n same\n--- old\n-\x1b[32mgreen\n+++ new\n\\ No newline at end of file\n" +
		"diff --git a/g b/g\n"
	want := "{1}diff --git a/f b/f{}\n{1}--- a/f{}\n{1}+++ b/f{}\n{36}@@ -1,3 +1,2 @@{} f()\n same\n{31}--- old{}\n{31}-green{}\n{32}+++ new{}\n\\ No newline at end of file\n" +
		"{1}diff --git a/g b/g{}\n"
	stat := " a | 9 +++--\n b |   0\n 2 files changed, 3 insertions(+), 2 deletions(-)\n"
	wantStat := " a | 9 {32}+++{}{31}--{}\n b |   0\n 2 files changed, 3 insertions(+), 2 deletions(-)\n"
	paint := strings.NewReplacer("{", "\x1b[", "}", "m")
	for given, want := range map[string]string{diff: want, stat: wantStat} {
		if got := onScreen(t, given, true, 1000); got != paint.Replace(want) {
			t.Errorf("got\n%q, want\n%q", got, paint.Replace(want))
		}
		if got := onScreen(t, given, false, 1000); strings.Contains(got, "\x1b") {
			t.Errorf("without colours: %q", got)
		}
	}
}

func TestAVeryLongLineIsNotHeldBack(t *testing.T) {
	long := strings.Repeat("ä€", 3*longestPiece) + "\r\x1b[2Jend"
	got := onScreen(t, "@@ -0,0 +1 @@\n+"+long+"\n", false, longestPiece/3)
	want := "@@ -0,0 +1 @@\n+" + strings.Repeat("ä€", 3*longestPiece) + "^Mend\n"
	if got != want {
		t.Errorf("got %d bytes, want %d", len(got), len(want))
	}
}

func FuzzDiffScreen(f *testing.F) {
	f.Add("diff --git a/f b/f\n@@ -1,2 +1,2 @@ f\n a\x1b[2J\n-b\r\n+c\u009b\n", 3)
	f.Add("@@ -1 +99999999999999999999 @@\n\\\n+\xe2\x80", 1)
	f.Add(" a | 9 +++--\n", 5)
	f.Fuzz(func(t *testing.T, diff string, size int) {
		size = max(1, min(size, 1<<20))
		got := onScreen(t, diff, false, size)
		for _, r := range got {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Fatalf("%q keeps %U: %q", diff, r, got)
			}
		}
		if a, b := strings.Count(diff, "\n"), strings.Count(got, "\n"); a != b {
			t.Fatalf("%q has %d lines, and %q has %d", diff, a, got, b)
		}
		painted := onScreen(t, diff, true, size)
		for _, paint := range []string{diffMeta, diffHunk, diffOld, diffNew, diffPlain} {
			painted = strings.ReplaceAll(painted, paint, "")
		}
		if painted != got {
			t.Fatalf("%q in colours is %q, and without %q", diff, painted, got)
		}
	})
}
