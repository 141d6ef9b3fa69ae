//go:build unix

package proc

import (
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Who does not end even by KILL is named, and no card says after that that nobody
// is left.
func TestWhoDoesNotEndIsTold(t *testing.T) {
	var warned []loop.Warning
	p := &kept{
		line: &line{children: map[int]*kept{}}, number: 7,
		gone: make(chan struct{}), clean: make(chan struct{}),
		warn: func(w loop.Warning) { warned = append(warned, w) },
	}
	p.hear(report{Of: isSwept, Left: []int{17, 18}})
	if _, err := p.reap(); err != nil {
		t.Fatal(err)
	}
	if len(warned) != 1 || !strings.Contains(warned[0].Text, "[17 18]") || warned[0].Key != Unkept {
		t.Errorf("warned %+v, want one that names them, and that they may be left", warned)
	}
}
