//go:build linux

package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// BenchmarkClients is the time of a loop whose agent takes none while a thousand
// clients follow its events, against the same loop with nobody there. Both are
// run by turns. The clients take their processor time on the same machine, and
// it counts. A loop that nobody gets to see would be as fast, so there is also
// how much of it they have got when it ends; the rest comes after.
func BenchmarkClients(b *testing.B) {
	w := benchWorld(b)
	var alone, watched, seen []float64
	for b.Loop() {
		took, _ := w.instantLoop(0)
		alone = append(alone, took)
		took, part := w.instantLoop(1000)
		watched = append(watched, took)
		seen = append(seen, part)
	}
	report(b, median(alone), "alone-ms")
	report(b, median(watched), "watched-ms")
	report(b, median(watched)/median(alone), "ratio")
	report(b, 100*median(seen), "seen-%")
}

// instantLoop runs a loop and gives its time in milliseconds, from the start of
// the second iteration to the end of the last, and the part of its iterations
// that the clients saw end in that time. The first iteration waits until every
// client is there, so that neither their coming nor their going is measured.
func (w *world) instantLoop(clients int) (took, seen float64) {
	w.Helper()
	const iterations = 200
	begin := filepath.Join(filepath.Dir(w.tree), "begin")
	var complaint bytes.Buffer
	cmd := w.command(w.program, "run", "--until", "NEVER", "-n", strconv.Itoa(iterations), "--",
		"sh", "-c", `until [ -e "$0" ]; do sleep 0.01; done`, begin)
	cmd.Stderr = &complaint
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	defer cmd.Process.Kill() // it waits for the file for ever when we fail
	all := w.connect(w.socket(), clients)
	var wg sync.WaitGroup
	for _, o := range all {
		wg.Go(o.watch)
	}
	w.write("begin", "")
	_ = cmd.Wait()
	wg.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 2 {
		w.Fatalf("%q: exit status %d, want 2\n%s", cmd.Args, got, &complaint)
	}
	began, ended := w.journaled(iterations)
	for _, o := range all {
		if !o.done {
			w.Fatalf("a client did not see the run end: %v", o.in.Err())
		}
		for _, at := range o.saw {
			if !at.After(ended) {
				seen++
			}
		}
	}
	for _, path := range []string{begin, filepath.Join(w.store().Dir, "runs")} {
		if err := os.RemoveAll(path); err != nil {
			w.Fatal(err)
		}
	}
	return ms(ended.Sub(began)), seen / float64(max(clients, 1)*iterations)
}

// socket waits until the run of the world answers, and tells where.
func (w *world) socket() string {
	w.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if holder, alive := w.store().Holder(); alive && holder.Socket != "" {
			return holder.Socket
		}
	}
	w.Fatal("the run has no socket after 10 s")
	return ""
}

// onlooker is a client that follows a run.
type onlooker struct {
	conn net.Conn
	in   *bufio.Scanner
	saw  []time.Time // when it heard that an iteration had finished
	done bool        // it heard that the run had
}

// connect makes clients, each of which has got an event when it returns.
func (w *world) connect(address string, clients int) []*onlooker {
	w.Helper()
	var all []*onlooker
	for range clients {
		c, err := net.Dial("unix", address)
		if err != nil {
			w.Fatal(err)
		}
		fmt.Fprint(c, "GET /v1/events HTTP/1.1\r\nHost: refrain\r\n\r\n")
		o := &onlooker{conn: c, in: bufio.NewScanner(c)}
		for o.in.Scan() && o.in.Text() != "event: run.started" {
		}
		all = append(all, o)
	}
	return all
}

// watch reads to the end of the stream.
func (o *onlooker) watch() {
	defer o.conn.Close()
	for o.in.Scan() {
		switch string(o.in.Bytes()) {
		case "event: iteration.finished":
			o.saw = append(o.saw, time.Now())
		case "event: run.finished":
			o.done = true
		}
	}
}

// journaled is when, by its journal, the only run began its second iteration and
// ended its last.
func (w *world) journaled(iterations int) (began, ended time.Time) {
	w.Helper()
	store := w.store()
	run, err := store.Find("")
	if err != nil {
		w.Fatal(err)
	}
	for e, err := range store.Events(run.Name, 0) {
		if err != nil {
			w.Fatal(err)
		}
		switch e.Payload.(type) {
		case *loop.IterationStarted:
			if e.Iter == 2 {
				began = e.Time
			}
		case *loop.IterationFinished:
			if e.Iter == iterations {
				ended = e.Time
			}
		}
	}
	if began.IsZero() || ended.IsZero() {
		w.Fatalf("%s has not run its %d iterations", run.Name, iterations)
	}
	return began, ended
}
