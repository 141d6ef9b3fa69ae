package fence

import (
	"strconv"
	"testing"
)

func TestEachRefusalIsToldOnceAndNotWithoutEnd(t *testing.T) {
	var told []Refusal
	tell := once(func(r Refusal) { told = append(told, r) })
	for i := range 2 * mostRefusals {
		for range 2 {
			tell(Refusal{Socket: strconv.Itoa(i)})
		}
	}
	if len(told) != mostRefusals || told[1].Socket != "1" {
		t.Errorf("told %d, the second of %q", len(told), told[1])
	}
}
