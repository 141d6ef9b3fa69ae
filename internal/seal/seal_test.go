package seal

import (
	"sync"
	"testing"
)

// Several read one run at once, and each line is judged by itself.
func TestAChainIsForManyReaders(t *testing.T) {
	c := New([]byte("key"), "seed")
	line, _ := c.Seal("before", []byte(`{"seq":1,"type":"x"}`))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				if !c.Follows("before", line) {
					t.Error("a line that fits is not believed")
					return
				}
			}
		})
	}
	all.Wait()
}
