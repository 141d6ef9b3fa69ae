package dispatch

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"
)

// What others say of a worker stands in its log as its own lines do.
func TestWhatIsHeededIsALine(t *testing.T) {
	var out bytes.Buffer
	l := slog.New(heeded{log: newLog(&out)}).With("worker", "a")
	l.Info("nobody needs this")
	l.Warn("it does not answer", "error", errors.New("one\ntwo"))
	_, said, _ := bytes.Cut(out.Bytes(), []byte(" WARNING: "))
	if want := "it does not answer (worker a, error one two)\n"; string(said) != want {
		t.Errorf("the log has %q, want one line that ends in %q", out.String(), want)
	}
}
