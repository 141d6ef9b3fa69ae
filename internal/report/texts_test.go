package report

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"strings"
	"testing"
)

func TestALineOfAFilePassesForNothingElse(t *testing.T) {
	t.Parallel()
	diff := "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,2 @@\n--- a/y\n-@@ -1 +1 @@\n same\n++++ b/y\n\\ No newline at end of file\ndiff --git a/z b/z\n"
	var got []string
	for _, p := range pieces([]byte(diff), true) {
		got = append(got, fmt.Sprintf("%s:%d", p.Class, strings.Count(p.Text, "\n")))
	}
	if want := "meta:3 hunk:1 del:2 :1 add:1 meta:2"; strings.Join(got, " ") != want {
		t.Errorf("pieces = %q, want %s", got, want)
	}
}

func TestATextThatIsTooLongSaysHowToSeeAllOfIt(t *testing.T) {
	t.Parallel()
	s := night()
	s.texts = saying(strings.Repeat("long ", 200), 2000)
	s.texts.Transcript = func(w io.Writer, _, _ int) error { return errors.New("it is gone") }
	page := html.UnescapeString(written(t, s.data()))
	if len(page) > 2*maxAllTexts {
		t.Errorf("the page has %d bytes", len(page))
	}
	for _, want := range []string{"refrain diff build-7", "refrain diff build-7/3", "refrain logs build-7/3"} {
		if !strings.Contains(page, "There is more: <code>"+want+"</code>") {
			t.Errorf("nothing says %q", want)
		}
	}
}

func TestARunOfAnyLengthMakesAPageOfBoundedSize(t *testing.T) {
	t.Parallel()
	s := marathon(3000)
	bare := len(written(t, s.data()))
	s.texts = saying(strings.Repeat("x", 1000), 60)
	if size := len(written(t, s.data())) - bare; size > maxAllTexts+maxAllTexts/4 {
		t.Errorf("its texts take %d bytes, want about %d", size, maxAllTexts)
	}
}

func TestATextIsCutBetweenLines(t *testing.T) {
	t.Parallel()
	b := &bounded{most: 10}
	for _, part := range []string{"one\n", "two\nthr", "ee\nfour\n"} {
		_, _ = io.WriteString(b, part)
	}
	if got := b.text.String(); got != "one\ntwo\n" || !b.full {
		t.Errorf("kept %q, full %v", got, b.full)
	}
	if _, err := b.Write([]byte("more")); !errors.Is(err, errFull) {
		t.Errorf("a full one took more: %v", err)
	}
	if line := clean(strings.Repeat("ü", maxLongLine)); len(line) > maxLongLine+8 || !bytes.ContainsRune([]byte(line), '…') {
		t.Errorf("a line of %d bytes was left", len(line))
	}
}
