package control

import "testing"

func TestWhoMayTalk(t *testing.T) {
	for _, tt := range []struct {
		name     string
		we, peer int
		want     bool
	}{
		{"we ourselves", 1000, 1000, true},
		{"the administrator to us", 1000, 0, true},
		{"another user", 1000, 1001, false},
		{"another user to the administrator", 0, 1000, false},
	} {
		if got := mayTalk(tt.we, tt.peer); got != tt.want {
			t.Errorf("%s: mayTalk(%d, %d) = %v, want %v", tt.name, tt.we, tt.peer, got, tt.want)
		}
	}
}
