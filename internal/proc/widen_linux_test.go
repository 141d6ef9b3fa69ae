package proc

import (
	"bytes"
	"testing"

	"golang.org/x/sys/unix"
)

// A pipe that was full is made to hold more; one that was not is left as it is.
func TestAPipeThatWasFullHoldsMore(t *testing.T) {
	for _, tt := range []struct {
		first int
		more  bool
	}{{readSize - 1, false}, {readSize, true}} {
		r, w := testPipe(t)
		holds := func() int {
			n, err := unix.FcntlInt(w.Fd(), unix.F_GETPIPE_SZ, 0)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		usual := holds()
		if usual != readSize {
			t.Skipf("a pipe holds %d here", usual)
		}
		if _, err := w.Write(bytes.Repeat([]byte("x"), tt.first)); err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		rounds := 0
		drain(r, Sink{Raw: &got, Pause: func() {
			switch rounds++; rounds {
			case 1:
				if _, err := w.Write([]byte("y")); err != nil {
					t.Fatal(err)
				}
			case 2:
				if now := holds(); now > usual != tt.more {
					t.Errorf("after a read of %d it holds %d", tt.first, now)
				}
				closeAll(w)
			}
		}}, new(lastOutput))
		if got.Len() != tt.first+1 {
			t.Errorf("read %d bytes of %d", got.Len(), tt.first+1)
		}
	}
}
