package term

import "testing"

func TestAPathOnACardStaysInOnePiece(t *testing.T) {
	path := "/home/somebody/with-a-long-name/project/.git/refrain/runs/build-7"
	got := row{"files", path}.layout(Options{Width: func() int { return 40 }})
	if want := "  files       " + path + "\n"; got != want {
		t.Errorf("row %q, want %q", got, want)
	}
}
