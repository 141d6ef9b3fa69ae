package control

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
)

// BenchmarkObserve shows what an event costs the loop, without anybody looking
// on and with a thousand clients.
func BenchmarkObserve(b *testing.B) {
	for _, clients := range []int{0, 1000} {
		b.Run(fmt.Sprintf("%d-clients", clients), func(b *testing.B) {
			s := serving(b, nil)
			s.Observe(started(1))
			var wg sync.WaitGroup
			defer wg.Wait()
			defer s.Close()
			for range clients {
				c, err := net.Dial("unix", s.Address())
				if err != nil {
					b.Fatal(err)
				}
				fmt.Fprint(c, "GET /v1/events HTTP/1.1\r\nHost: refrain\r\n\r\n")
				in := bufio.NewReader(c)
				for line := ""; line != "\n"; { // the first event: the stream is live
					if line, err = in.ReadString('\n'); err != nil {
						b.Fatal(err)
					}
				}
				wg.Go(func() {
					defer c.Close()
					_, _ = io.Copy(io.Discard, in)
				})
			}
			e := text(1, "I have read the plan and begin with the first open task.")
			b.ReportAllocs()
			for b.Loop() {
				e.Seq++
				s.Observe(e)
			}
		})
	}
}
