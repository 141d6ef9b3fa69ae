package control

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/story"
)

func TestRunTellsWhereItStands(t *testing.T) {
	s := serving(t, nil)
	s.set(loop.Waiting)
	got, err := s.client.Run(t.Context())
	if diff := cmp.Diff(s.status(), got); err != nil || diff != "" {
		t.Errorf("Run() gives %v and differs (-want +got):\n%s", err, diff)
	}
}

func TestCommandIsAnsweredWithWhatCameOfIt(t *testing.T) {
	var heard Command
	s := serving(t, func(o *Options) {
		o.Do = func(_ context.Context, c Command) Answer {
			heard = c
			return Answer{OK: true, Effect: "noted", State: loop.Running}
		}
	})
	sent := Command{Command: Note, Text: "use <tabs>"}
	got, err := s.client.Do(t.Context(), sent)
	if want := (Answer{OK: true, Effect: "noted", State: loop.Running}); err != nil || got != want {
		t.Errorf("Do() = %+v, %v, want %+v", got, err, want)
	}
	if heard != sent {
		t.Errorf("the run heard %+v, want %+v", heard, sent)
	}
}

func TestRefusal(t *testing.T) {
	for _, tt := range []struct {
		name    string
		command Command
		answer  Answer
		want    Refused
	}{
		{
			"with the state and the reason",
			Command{Command: Pause},
			Answer{State: loop.Paused, Why: "the run is paused already"},
			Refused{Pause, loop.Paused, "the run is paused already"},
		},
		{
			"without a state it is asked for",
			Command{Command: Skip},
			Answer{Why: "nothing runs"},
			Refused{Skip, loop.Running, "nothing runs"},
		},
		{"without a reason the state is one", Command{Command: Skip}, Answer{}, Refused{Skip, loop.Running, "the run is running"}},
		{
			"before the run hears of it",
			Command{Command: Note},
			Answer{OK: true},
			Refused{Note, loop.Running, "a note needs a text"},
		},
		{
			"because it is too long",
			Command{Command: Note, Text: strings.Repeat("x", maxBody)},
			Answer{OK: true},
			Refused{Note, loop.Running, "a command has at most 65536 bytes"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serving(t, func(o *Options) {
				o.Do = func(context.Context, Command) Answer { return tt.answer }
			})
			_, err := s.client.Do(t.Context(), tt.command)
			refused := (*Refused)(nil)
			if !errors.As(err, &refused) || *refused != tt.want {
				t.Errorf("Do(%s) gives %v, want %+v", tt.command.Command, err, tt.want)
			}
		})
	}
}

// asking gives a Do that says when it was called and waits for its context.
func asking(asked chan<- struct{}, left chan<- error) func(context.Context, Command) Answer {
	return func(ctx context.Context, _ Command) Answer {
		asked <- struct{}{}
		<-ctx.Done()
		left <- ctx.Err()
		return Answer{}
	}
}

func TestClientThatLeavesEndsTheWaitOnly(t *testing.T) {
	asked, left := make(chan struct{}), make(chan error, 1)
	s := serving(t, func(o *Options) { o.Do = asking(asked, left) })
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-asked
		cancel(enough)
	}()
	if _, err := s.client.Do(ctx, Command{Command: Pause}); !errors.Is(err, enough) {
		t.Errorf("Do() gives %v, want the cause of the end of its context", err)
	}
	<-left
	if _, err := s.client.Run(t.Context()); err != nil {
		t.Errorf("the server does not answer any more: %v", err)
	}
}

func TestCloseAnswersWhoWaits(t *testing.T) {
	asked, left := make(chan struct{}), make(chan error, 1)
	s := serving(t, func(o *Options) { o.Do = asking(asked, left) })
	go func() {
		<-asked
		s.set(loop.Done)
		s.Close()
	}()
	_, err := s.client.Do(t.Context(), Command{Command: Pause})
	refused := (*Refused)(nil)
	if want := (Refused{Pause, loop.Done, "the run has ended: done"}); !errors.As(err, &refused) || *refused != want {
		t.Errorf("Do() gives %v, want %+v", err, want)
	}
}

func TestCloseLeavesAnAnswerThatIsThere(t *testing.T) {
	asked := make(chan struct{})
	s := serving(t, func(o *Options) {
		o.Do = func(ctx context.Context, _ Command) Answer {
			asked <- struct{}{}
			<-ctx.Done()
			return Answer{OK: true, Effect: "stopped"}
		}
	})
	go func() {
		<-asked
		s.set(loop.Stopped)
		s.Close()
	}()
	got, err := s.client.Do(t.Context(), Command{Command: StopNow})
	if want := (Answer{OK: true, Effect: "stopped", State: loop.Stopped}); err != nil || got != want {
		t.Errorf("Do() = %+v, %v, want %+v", got, err, want)
	}
}

func TestCloseRemovesTheSocket(t *testing.T) {
	s := serving(t, nil)
	s.Close()
	s.Close()
	if _, err := os.Lstat(s.Address()); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
	if _, err := s.client.Run(t.Context()); !errors.Is(err, ErrNobody) {
		t.Errorf("Run() gives %v, want %v", err, ErrNobody)
	}
	s.Observe(started(1)) // does no harm
}

func TestCloseDoesNotWaitForWhoSaysNothing(t *testing.T) {
	s := serving(t, nil)
	c, err := net.Dial("unix", s.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := s.client.Run(t.Context()); err != nil { // it is served after the other one
		t.Fatal(err)
	}
	s.Close()
	if n, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the other one gets %d bytes, %v, want the end", n, err)
	}
}

func TestCloseCutsOffAClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	s := serving(t, nil)
	c, err := net.Dial("unix", s.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET /v1/events HTTP/1.1\r\nHost: refrain\r\n\r\n")
	if _, err := bufio.NewReader(c).ReadString('\n'); err != nil { // it is being served
		t.Fatal(err)
	}
	for seq := range int64(40) {
		s.Observe(text(seq+1, strings.Repeat("x", 64<<10)))
	}
	s.Close() // goleak sees whether the stream has ended
}

func TestEventsGoOnAfterTheNumberInTheHeader(t *testing.T) {
	s := serving(t, nil)
	s.Observe(started(1))
	s.Observe(text(2, "b"))
	s.Observe(finished(3))
	for _, tt := range []struct{ name, query, header, want string }{
		{"from the beginning", "", "", "id: 1"},
		{"after what was asked for", "?after=1", "", "id: 2"},
		{"after what a browser has", "?after=1", "2", "id: 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := get(t, s, "/v1/events"+tt.query, tt.header)
			defer r.Body.Close()
			line, err := bufio.NewReader(r.Body).ReadString('\n')
			if got := strings.TrimSpace(line); err != nil || got != tt.want {
				t.Errorf("the first line is %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestRequestsThatMakeNoSense(t *testing.T) {
	s := serving(t, nil)
	for _, tt := range []struct {
		name, path string
		status     int
		want       string
	}{
		{"not a number", "/v1/events?after=x", http.StatusBadRequest, `{"ok":false,"why":"\"x\" is not the number of an event"}`},
		{"a number below 0", "/v1/events?after=-1", http.StatusBadRequest, `{"ok":false,"why":"\"-1\" is not the number of an event"}`},
		{"another way", "/v1/commands", http.StatusMethodNotAllowed, "Method Not Allowed\n"},
		{"another place", "/", http.StatusNotFound, "404 page not found\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := get(t, s, tt.path, "")
			defer r.Body.Close()
			body, err := io.ReadAll(r.Body)
			if err != nil || r.StatusCode != tt.status || string(body) != tt.want {
				t.Errorf("GET %s gives %d %q, %v, want %d %q", tt.path, r.StatusCode, body, err, tt.status, tt.want)
			}
		})
	}
}

// get makes a request as a browser would.
func get(t *testing.T, s *scene, path, lastEvent string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://refrain"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if lastEvent != "" {
		r.Header.Set("Last-Event-ID", lastEvent)
	}
	answer, err := s.client.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestTooManyClientsAreTurnedAway(t *testing.T) {
	s := serving(t, nil)
	s.Server.mu.Lock()
	s.busy = maxClients
	s.Server.mu.Unlock()
	const want = "the run has 4096 clients already: close some of them"
	if _, err := s.client.Run(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Run gives %v, want %q", err, want)
	}
	if _, err := story.Collect(s.client.Events(t.Context(), 0)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Events gives %v, want %q", err, want)
	}
	for range maxClients {
		s.leave()
	}
	if _, err := s.client.Run(t.Context()); err != nil {
		t.Errorf("Run gives %v, though the others have left", err)
	}
}

func TestLoopbackNeedsTheToken(t *testing.T) {
	l, address, err := listenLoopback()
	if err != nil {
		t.Fatal(err)
	}
	run := &scene{state: loop.Running}
	s := serve(Options{Run: run.status}, l, address, NewFeed(8, noPast))
	defer s.Close()

	if _, err := Dial(address).Run(t.Context()); err != nil {
		t.Errorf("with the token: %v", err)
	}
	s.Observe(finished(1))
	without, _, _ := strings.Cut(address, tokenMark)
	for _, stranger := range []string{without, without + tokenMark + "x"} {
		if _, err := Dial(stranger).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "the token is missing or wrong") {
			t.Errorf("without the token Run gives %v", err)
		}
		if got, err := story.Collect(Dial(stranger).Events(t.Context(), 0)); err == nil || len(got) > 0 {
			t.Errorf("without the token Events gives %v, %v", story.Numbers(got), err)
		}
	}
}

func TestAddresses(t *testing.T) {
	for _, tt := range []struct{ address, network, place, token string }{
		{"/run/user/7/refrain/a.sock", "unix", "/run/user/7/refrain/a.sock", ""},
		{"tcp:127.0.0.1:80?token=secret", "tcp", "127.0.0.1:80", "secret"},
		{"", "unix", "", ""},
	} {
		network, place, token := split(tt.address)
		if !slices.Equal([]string{network, place, token}, []string{tt.network, tt.place, tt.token}) {
			t.Errorf("split(%q) = %q, %q, %q", tt.address, network, place, token)
		}
	}
}
