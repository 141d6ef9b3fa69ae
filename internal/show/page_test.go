package show

import "testing"

func TestRefIsARunAndAnIteration(t *testing.T) {
	tests := []struct {
		arg  string
		run  string
		iter int
		ok   bool
	}{
		{"", "", 0, true},
		{"last", "last", 0, true},
		{"build-7", "build-7", 0, true},
		{"build-7/3", "build-7", 3, true},
		{"/3", "", 3, true},
		{"build-7/", "", 0, false},
		{"build-7/x", "", 0, false},
		{"build-7/0", "", 0, false},
		{"build-7/-1", "", 0, false},
		{"build-7/3/4", "", 0, false},
	}
	for _, tt := range tests {
		run, iter, err := Ref(tt.arg)
		if (err == nil) != tt.ok {
			t.Errorf("Ref(%q): error %v, want none: %v", tt.arg, err, tt.ok)
		} else if tt.ok && (run != tt.run || iter != tt.iter) {
			t.Errorf("Ref(%q) = %q, %d; want %q, %d", tt.arg, run, iter, tt.run, tt.iter)
		}
	}
}
