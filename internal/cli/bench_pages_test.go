//go:build linux

package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// BenchmarkPages is the time of a loop whose agent takes none while twenty pages show
// it, and ask for what pages ask for, against the same loop with no page open. Both are run by turns. The server and
// its pages take their processor time on the same machine, and it counts.
func BenchmarkPages(b *testing.B) {
	w := benchWorld(b)
	var alone, watched []float64
	for b.Loop() {
		alone = append(alone, w.shownLoop(0))
		watched = append(watched, w.shownLoop(20))
	}
	report(b, median(alone), "alone-ms")
	report(b, median(watched), "watched-ms")
	report(b, median(watched)/median(alone), "ratio")
}

// shownLoop runs a loop and gives its time in milliseconds, as instantLoop does.
func (w *world) shownLoop(pages int) float64 {
	w.Helper()
	const iterations = 200
	begin := filepath.Join(filepath.Dir(w.tree), "begin")
	var complaint bytes.Buffer
	cmd := w.command(w.program, "run", "--until", "NEVER", "-n", strconv.Itoa(iterations), "--",
		"sh", "-c", `until [ -e "$0" ]; do sleep 0.01; done; echo '**on** and on'`, begin)
	cmd.Stderr = &complaint
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	defer cmd.Process.Kill() // it waits for the file for ever when we fail
	w.socket()
	leave := w.openPages(pages)
	w.write("begin", "")
	_ = cmd.Wait()
	leave()
	if got := cmd.ProcessState.ExitCode(); got != 2 {
		w.Fatalf("%q: exit status %d, want 2\n%s", cmd.Args, got, &complaint)
	}
	began, ended := w.journaled(iterations)
	for _, path := range []string{begin, filepath.Join(w.store().Dir, "runs")} {
		if err := os.RemoveAll(path); err != nil {
			w.Fatal(err)
		}
	}
	return ms(ended.Sub(began))
}

// openPages serves the page and opens it this often; each has heard something when it
// returns.
func (w *world) openPages(pages int) (leave func()) {
	w.Helper()
	if pages == 0 {
		return func() {}
	}
	serve := w.command(w.program, "serve", "--listen", "127.0.0.1:0")
	out, err := serve.StdoutPipe()
	if err == nil {
		err = serve.Start()
	}
	if err != nil {
		w.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_, address, found := strings.Cut(strings.TrimSpace(line), ": ")
	if err != nil || !found {
		w.Fatalf("serve says %q, %v", line, err)
	}
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar}
	ctx, cancel := context.WithCancel(context.Background())
	open := func(url string) *http.Response {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			w.Fatal(err)
		}
		answer, err := client.Do(r)
		if err != nil || answer.StatusCode != http.StatusOK {
			w.Fatalf("open %s: %v %v", url, answer, err)
		}
		return answer
	}
	_ = open(address).Body.Close()
	site, _, _ := strings.Cut(address, "?")
	entry, err := w.store().Find("")
	if err != nil {
		w.Fatal(err)
	}
	var wg sync.WaitGroup
	for range pages {
		answer := open(site + "api/runs/" + entry.ID + "/stream")
		if _, err := answer.Body.Read(make([]byte, 1)); err != nil {
			w.Fatal(err)
		}
		wg.Go(func() {
			defer answer.Body.Close()
			look(answer.Body, func(after int64) (newest int64) {
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%sapi/runs/%s/timeline?after=%d", site, entry.ID, after), nil)
				if err != nil {
					return after
				}
				answer, err := client.Do(r)
				if err != nil {
					return after // it is left
				}
				defer answer.Body.Close()
				var line struct {
					Seq int64 `json:"seq"`
				}
				_ = json.NewDecoder(answer.Body).Decode(&line) // it is left in the middle of one
				return max(after, line.Seq)
			})
		})
	}
	return func() {
		cancel()
		wg.Wait()
		client.CloseIdleConnections()
		_ = serve.Process.Signal(syscall.SIGTERM)
		_ = serve.Wait()
	}
}

// look reads a stream as the page does, until it is left: when attempts have ended, it
// asks for their bars, now and then.
func look(stream io.Reader, ask func(after int64) (newest int64)) {
	const now = 400 * time.Millisecond
	var asked time.Time
	var seen int64
	lines := bufio.NewReaderSize(stream, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
		if bytes.HasPrefix(line, []byte("event: attempt")) && time.Since(asked) > now {
			asked, seen = time.Now(), ask(seen)
		}
	}
}
