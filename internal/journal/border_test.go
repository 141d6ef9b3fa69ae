package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Whatever keeps a run from coming into its place, the one that was there is not gone.
func TestARunIsNotGoneBeforeTheNextIsInItsPlace(t *testing.T) {
	s := sealedStore(t)
	path, _ := written(t, s)
	dir := filepath.Dir(path)
	b := Border{Store: s}
	l, err := b.Pack(filepath.Base(dir))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2000 { // to remove takes a while
		mkdir(t, dir, filepath.Join("put-back", fmt.Sprint(i)))
	}
	var taken sync.WaitGroup
	defer taken.Wait()
	over := make(chan struct{})
	defer close(over)
	takePlace := func(string, string) bool {
		taken.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				if os.Mkdir(dir, 0o700) == nil {
					_ = os.Mkdir(filepath.Join(dir, "x"), 0o700)
					return
				}
			}
		})
		return true
	}
	if _, _, err := b.Unpack(l, func(string) error { return nil }, takePlace); err == nil {
		return // nobody was fast enough
	}
	left, err := filepath.Glob(dir + "*/" + journalName)
	if err != nil || len(left) != 1 {
		t.Errorf("of the run that was here there is %v, %v", left, err)
	}
}

// A password in the address of a remote is not told to who asks where a run is.
func TestWhereARunIsWithoutThePassword(t *testing.T) {
	e := &AwayError{Run: "run-1", Carried: Carried{Remote: "https://me:hunter2@example.com/x.git", Name: "run-1", Away: true}}
	if said := e.Error() + e.Hint(); strings.Contains(said, "hunter2") || !strings.Contains(said, "example.com/x.git") {
		t.Error(said)
	}
}
