package control

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/story"
)

func TestEventsFollowARunToItsEnd(t *testing.T) {
	s := serving(t, nil)
	s.Observe(started(1))
	var got []int64
	for e, err := range s.client.Events(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Seq)
		switch e.Seq {
		case 1:
			s.Observe(text(2, "hello\nworld"))
		case 2:
			if words := e.Payload.(*loop.AgentText).Text; words != "hello\nworld" {
				t.Errorf("the text arrives as %q", words)
			}
			s.Observe(finished(3))
		case 3:
			go s.Close()
		}
	}
	if !slices.Equal(got, []int64{1, 2, 3}) {
		t.Errorf("the events are %v, want 1 to 3", got)
	}
}

func TestEventsCanBeLeft(t *testing.T) {
	s := serving(t, nil)
	s.Observe(started(1))
	for range s.client.Events(t.Context(), 0) {
		break
	}
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	for _, err := range s.client.Events(ctx, 0) {
		if err != nil && !errors.Is(err, enough) {
			t.Errorf("Events gives %v, want the cause of the end of its context", err)
		}
		cancel(enough)
	}
}

func TestNobodyAnswers(t *testing.T) {
	for _, address := range []string{"", "/nowhere/a.sock", "tcp:127.0.0.1:1?token=x"} {
		c := Dial(address)
		_, runErr := c.Run(t.Context())
		_, doErr := c.Do(t.Context(), Command{Command: Pause})
		_, eventsErr := story.Collect(c.Events(t.Context(), 0))
		for what, err := range map[string]error{"Run": runErr, "Do": doErr, "Events": eventsErr} {
			if !errors.Is(err, ErrNobody) {
				t.Errorf("%s at %q gives %v, want %v", what, address, err, ErrNobody)
			}
		}
	}
}

func TestRunThatDiesWhileItIsAskedIsNobody(t *testing.T) {
	address := answering(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	if _, err := Dial(address).Do(t.Context(), Command{Command: Pause}); !errors.Is(err, ErrNobody) {
		t.Errorf("Do gives %v, want %v", err, ErrNobody)
	}
}

// answering is a run that answers as the test wants.
func answering(t *testing.T, handle http.HandlerFunc) (address string) {
	t.Helper()
	l, address, err := listenLoopback()
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handle}
	var wg sync.WaitGroup
	wg.Go(func() { _ = server.Serve(l) })
	t.Cleanup(func() { server.Close(); wg.Wait() })
	return address
}

func TestEventsConnectAgainFromWhereTheyWere(t *testing.T) {
	var asked []string
	address := answering(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RawQuery)
		var b []byte
		switch len(asked) {
		case 1: // nothing at all
		case 2: // cut in the middle of an event
			b = appendEvent(appendEvent(nil, started(1)), text(2, "b"))
			b = b[:len(b)-1]
		case 3: // again what was there already, then too slow
			b = appendEvent(appendEvent([]byte(heartbeatFrame), started(1)), text(2, "b"))
			b = appendEvent(appendOwn(b, resyncEvent, resync{2, 9}), text(9, "i"))
		case 4: // an end before a resume is none
			b = appendEvent(appendEvent(nil, finished(3)), loop.Event{Seq: 4, Time: noon, Payload: &loop.RunResumed{}})
		default:
			b = appendEvent(nil, finished(5))
		}
		_, _ = w.Write(b)
	})
	got, err := story.Collect(Dial(address).Events(t.Context(), 0))
	if err != nil || !slices.Equal(story.Numbers(got), story.UpTo(0, 5)) {
		t.Errorf("the events are %v, %v, want 1 to 5", story.Numbers(got), err)
	}
	if want := []string{"after=0", "after=0", "after=1", "after=2", "after=4"}; !slices.Equal(asked, want) {
		t.Errorf("the client asked for %v, want %v", asked, want)
	}
}

func TestEventsEndWithWhatIsWrong(t *testing.T) {
	for _, tt := range []struct {
		name, body, want string
	}{
		{"the past cannot be read", string(appendOwn(nil, errorEvent, streamError{"the disk is gone"})), "follow the run: the disk is gone"},
		{"an event makes no sense", "data: {}\n\n", "follow the run: decode event: it has no type"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			address := answering(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, tt.body) })
			if _, err := story.Collect(Dial(address).Events(t.Context(), 0)); err == nil || err.Error() != tt.want {
				t.Errorf("Events gives %v, want %s", err, tt.want)
			}
		})
	}
}

// Many clients come at random moments, ask for random numbers, and read at
// random speeds, while a run writes faster than the feed can keep.
func TestNoEventIsMissedAndNoneComesTwice(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	store, run := record(t)
	l, address, err := listenLoopback()
	if err != nil {
		t.Fatal(err)
	}
	scene := &scene{state: loop.Running}
	past := func(after int64) iter.Seq2[loop.Event, error] { return store.AllEvents(run.Meta().Name, after) }
	s := serve(Options{Run: scene.status}, l, address, NewFeed(64, past))
	defer s.Close()

	const clients = 40
	var wg sync.WaitGroup
	defer wg.Wait()
	var last int64
	written := make(chan struct{}) // closed when last is known
	follow := func(after int64, patience time.Duration) {
		var got []int64
		for e, err := range Dial(address).Events(t.Context(), after) {
			if err != nil {
				t.Errorf("after %d: %v", after, err)
				return
			}
			got = append(got, e.Seq)
			if _, over := e.Payload.(*loop.RunFinished); over {
				break
			}
			if e.Seq%16 == 0 {
				time.Sleep(patience)
			}
		}
		<-written
		if !slices.Equal(got, story.UpTo(after, last)) {
			t.Errorf("after %d the events are %v, want up to %d", after, got, last)
		}
	}

	s.Observe(run.Append(started(0)))
	seen := int64(1)
	show := func(e loop.Event) { seen = e.Seq; s.Observe(e) }
	for n := range clients {
		after, patience := random.Int64N(seen+1), time.Duration(random.IntN(2000))*time.Microsecond
		wg.Go(func() { follow(after, patience) })
		story.Iteration(run.Append, noon, n+1, random.IntN(20), show)
		if random.IntN(8) == 0 {
			time.Sleep(time.Duration(random.IntN(3000)) * time.Microsecond)
		}
	}
	show(run.Append(finished(0)))
	last = seen
	close(written)
	wg.Wait()
}

func TestManyClientsGetTheLastEvent(t *testing.T) {
	t.Parallel()
	// However long two hundred take on a busy machine: what a slow one gets is
	// another test's.
	s := serving(t, func(o *Options) { o.Patience = time.Hour })
	s.Observe(started(1))
	const clients = 200
	var wg, here sync.WaitGroup
	here.Add(clients)
	for range clients {
		wg.Go(func() {
			var last loop.Event
			for e, err := range s.client.Events(t.Context(), 0) {
				if err != nil {
					t.Errorf("after event %d: %v", last.Seq, err)
					return
				}
				if e.Seq == 1 {
					here.Done()
				}
				last = e
			}
			if last.Seq != 100 {
				t.Errorf("the last event is %d, want 100", last.Seq)
			}
		})
	}
	here.Wait()
	for seq := int64(2); seq < 100; seq++ {
		s.Observe(text(seq, "hello"))
	}
	s.Observe(finished(100))
	s.Close()
	wg.Wait()
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte("id: 1\nevent: run.started\ndata: {}\n\n"))
	f.Add([]byte(":\n\ndata:a\r\ndata: b\n\n\n\nevent\ndata\n\nid: 2"))
	f.Add(appendOwn(appendEvent(nil, text(7, "a\nb")), resyncEvent, resync{1, 2}))
	f.Fuzz(func(t *testing.T, b []byte) {
		for m, err := range messages(strings.NewReader(string(b))) {
			if err != nil {
				t.Fatalf("a stream from memory gives %v", err)
			}
			if strings.ContainsAny(m.id+m.event, "\n") {
				t.Fatalf("a field of %+v has two lines", m)
			}
			follow := follower{yield: func(loop.Event, error) bool { return true }}
			_ = follow.take(m) // whatever it is, it does no harm
		}
	})
}

func FuzzFrameIsReadBack(f *testing.F) {
	f.Add(int64(1), "hello", "agent.text")
	f.Add(int64(2), "a\r\n\ndata: b\x00", "a\nb")
	f.Fuzz(func(t *testing.T, seq int64, words, name string) {
		for _, e := range []loop.Event{text(seq, words), {Seq: seq, Time: noon, Payload: &loop.Unknown{Name: loop.Type(name)}}} {
			n := 0
			for m := range messages(strings.NewReader(string(appendEvent(nil, e)))) {
				if n++; m.id != fmt.Sprint(seq) {
					t.Fatalf("the number of %+v is read back as %s", e, m.id)
				}
			}
			if n != 1 {
				t.Fatalf("%+v is read back as %d events", e, n)
			}
		}
	})
}
