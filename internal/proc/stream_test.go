//go:build unix

package proc

import (
	"bytes"
	"os"
	"sync"
	"testing"
	"time"
)

func testPipe(t *testing.T) (*pipe, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeAll(r, w) })
	return &pipe{File: r}, w
}

func TestAPipeThatIsGivenUpIsEmptiedFirst(t *testing.T) {
	r, w := testPipe(t)
	want := bytes.Repeat([]byte("x"), 60_000)
	if _, err := w.Write(want); err != nil {
		t.Fatal(err)
	}
	if err := r.SetReadDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	drain(r, Sink{Raw: &got}, new(lastOutput)) // w is still open
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("got %d bytes, want %d", got.Len(), len(want))
	}
}

func TestAPipeThatIsGivenUpIsNotReadForEver(t *testing.T) {
	r, w := testPipe(t)
	if err := r.SetReadDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	var writer sync.WaitGroup
	writer.Go(func() { // a stranger that never stops
		for chunk := make([]byte, 4096); ; {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	var got bytes.Buffer
	drain(r, Sink{Raw: &got}, new(lastOutput))
	writer.Wait() // drain has closed our end
	if got.Len() > pipeMax {
		t.Errorf("read %d bytes, want at most %d", got.Len(), pipeMax)
	}
}
