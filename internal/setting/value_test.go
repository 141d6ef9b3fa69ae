package setting

import "testing"

func TestAuto(t *testing.T) {
	for auto, want := range map[Auto][2]bool{Automatic: {false, true}, Yes: {true, true}, No: {false, false}} {
		if got := [2]bool{auto.Or(false), auto.Or(true)}; got != want {
			t.Errorf("%q.Or(false), Or(true) = %v, want %v", auto, got, want)
		}
	}
}
