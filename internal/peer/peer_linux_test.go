package peer

import (
	"net/http"
	"testing"
)

// The socket of a process that hides what it has open is nobody's that can be seen.
func TestSuspects(t *testing.T) {
	ofARun := func(pid int) bool { return pid == 7 }
	for _, tt := range []struct {
		name            string
		holders, hidden []int
		want            string
	}{
		{"a browser", []int{3}, nil, ""},
		{"a browser, beside an agent that hides", []int{3}, []int{7}, ""},
		{"an agent", []int{7}, nil, FromARun},
		{"an agent that has handed it on", []int{3, 7}, nil, FromARun},
		{"a tunnel of another session", nil, []int{3, 4}, ""},
		{"an agent that hides", nil, []int{3, 7}, FromARun},
		{"nobody, and nobody hides", nil, nil, FromNobody},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := suspect(tt.holders, tt.hidden, ofARun); got != tt.want {
				t.Errorf("suspect(%v, %v) = %q, want %q", tt.holders, tt.hidden, got, tt.want)
			}
		})
	}
}

func TestWhoIsHere(t *testing.T) {
	for from, want := range map[string]string{"127.0.0.1:1": FromNobody, "[::1]:1": FromNobody, "[::ffff:127.0.0.1]:1": FromNobody, "192.0.2.1:1234": "", "nobody": ""} {
		if got := Barred(&http.Request{RemoteAddr: from}, true, func(int) bool { return true }); got != want {
			t.Errorf("from %s: %q, want %q", from, got, want)
		}
	}
}
