package gate

import (
	"bytes"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/redact"
	"github.com/refrain-loop/refrain/internal/text"
)

func TestOutputKeepsItsEnd(t *testing.T) {
	o := newOutput(nil)
	stdout := o.stream(nil)
	for range 3000 {
		stdout.take(bytes.Repeat([]byte("x"), 99), false)
	}
	stdout.take([]byte("the last"), false)
	got := o.end()
	if len(got) > tailSize || !strings.HasSuffix(got, "\nthe last") {
		t.Errorf("end is %d bytes and ends with %q", len(got), text.Last(got, 20))
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(got, "\nthe last"), "\n") {
		if len(line) != 99 {
			t.Errorf("a line of %d bytes is not whole", len(line))
		}
	}
}

func TestOutputIsBounded(t *testing.T) {
	o := newOutput(nil)
	stdout := o.stream(nil)
	piece := bytes.Repeat([]byte("ab"), 1<<20)
	for range 8 {
		stdout.take(piece, true)
	}
	stdout.take([]byte("end"), false)
	if n := cap(o.head) + cap(o.tail); n > 8*keptSize {
		t.Errorf("%d bytes are held", n)
	}
	if got := o.end(); len(got) > tailSize || !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "abend") {
		t.Errorf("end of one long line = %d bytes, %q", len(got), text.Last(got, 20))
	}
}

// A secret is hidden wherever the reading of a long line was cut, and before the
// end of the output is.
func TestOutputWithoutSecrets(t *testing.T) {
	const key = "sk-live-4f9A82cc1d0E77"
	o := newOutput(nil)
	stdout := o.stream(redact.New([]redact.Secret{{Name: "A_KEY", Value: key}}))
	stdout.take([]byte("begin "+key[:9]), true)
	stdout.take([]byte(key[9:]+" end"), false)
	stdout.take([]byte("--- FAIL: TestOf"+key+" (0.00s)"), false)
	stdout.take([]byte("last "+key[:5]), true)
	stdout.end()
	if got, want := o.end(), "begin ***A_KEY*** end\n--- FAIL: TestOf***A_KEY*** (0.00s)\nlast sk-li"; got != want {
		t.Errorf("end is %q, want %q", got, want)
	}
	if r := o.report(); r != nil && strings.Contains(r.Failing[0].Name, key) {
		t.Errorf("report is %+v", r)
	}
}

func TestOutputThatNamesAVariable(t *testing.T) {
	for said, want := range map[string]string{
		"set OPENAI_API_KEY first":              "OPENAI_API_KEY",
		"OPENAI_API_KEY":                        "OPENAI_API_KEY",
		"MY_OPENAI_API_KEY, $OPENAI_API_KEY":    "OPENAI_API_KEY",
		"MY_OPENAI_API_KEY and OPENAI_API_KEY2": "",
		"a key is missing":                      "",
	} {
		o := newOutput(nil)
		stdout := o.stream(nil)
		stdout.take([]byte(said), false)
		if got := o.names([]string{"GEMINI_API_KEY", "OPENAI_API_KEY"}); got != want {
			t.Errorf("%q names %q, want %q", said, got, want)
		}
	}
}
