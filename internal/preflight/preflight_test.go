package preflight

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/request"
)

func TestPlacesWhereNobodyShouldLetAnAgentLoose(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for tree, refused := range map[string]bool{"/": true, home: true, home + "/.": true, t.TempDir(): false} {
		found := Refused(place(Flight{Assignment: request.Assignment{Tree: tree}}))
		if got := len(found) > 0; got != refused {
			t.Errorf("%s: refused = %v, want %v", tree, got, refused)
		}
	}
}
