package fakemodel

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
)

const twoHalves = "one half of it, and the other half"

func TestAConnectionIsCutInTheMiddleOfTheText(t *testing.T) {
	eachTongue(t, func(t *testing.T, g tongue) {
		s := Start(t, Script{Turns: []Turn{{Text: twoHalves, Break: "mid"}}})
		got, err := g.listen(post(t, t.Context(), s.URL+g.path, streaming(g)).Body)
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("the stream ended with %v, want an unexpected end", err)
		}
		checkHalf(t, got)
	})
}

func TestAnErrorComesInTheMiddleOfTheText(t *testing.T) {
	eachTongue(t, func(t *testing.T, g tongue) {
		s := Start(t, Script{Turns: []Turn{{Text: twoHalves, Break: "error", Error: &Error{Kind: "server"}}}})
		got := g.stream(t, s, []string{"Bash"})
		checkHalf(t, got)
		if got.Failed != "Internal server error" {
			t.Errorf("the error says %q", got.Failed)
		}
		answer := post(t, t.Context(), s.URL+g.whole, g.ask([]string{"Bash"}, nil))
		if answer.StatusCode != http.StatusInternalServerError {
			t.Errorf("in one piece the status is %d, want 500", answer.StatusCode)
		}
	})
}

func TestASilentServerIsSilentUntilTheClientGivesUp(t *testing.T) {
	tests := []struct {
		hang string
		want string // the text that comes before
	}{
		{"mid", twoHalves[:len(twoHalves)/2]},
		{"end", twoHalves},
	}
	eachTongue(t, func(t *testing.T, g tongue) {
		for _, tt := range tests {
			s := Start(t, Script{Turns: []Turn{{Text: twoHalves, Hang: tt.hang}}})
			ctx, giveUp := context.WithCancel(t.Context())
			got, err := g.follow(post(t, ctx, s.URL+g.path, streaming(g)).Body, func(h heard) {
				if len(h.Text) >= len(tt.want) {
					giveUp()
				}
			})
			giveUp()
			if !errors.Is(err, context.Canceled) || got.Stop != "" {
				t.Errorf("hang %s: the stream ended with %v and stop %q, want silence", tt.hang, err, got.Stop)
			}
			if !strings.HasPrefix(twoHalves, got.Text) || len(got.Text) < len(tt.want) {
				t.Errorf("hang %s: heard %q, want %q", tt.hang, got.Text, tt.want)
			}
		}
	})
}

func TestCloseEndsARequestThatHangs(t *testing.T) {
	s := Start(t, Load(t, "hang", nil))
	answered := make(chan error)
	go func() {
		answer, err := http.Post(s.URL+"/v1/messages", "application/json", strings.NewReader(`{"tools":[{"name":"Bash"}]}`))
		if err == nil {
			answer.Body.Close()
		}
		answered <- err
	}()
	for s.State().Main == 0 {
		select {
		case err := <-answered:
			t.Fatalf("the request was answered: %v", err)
		default:
			runtime.Gosched()
		}
	}
	s.Close()
	if err := <-answered; err == nil {
		t.Error("the request was answered, want it cut off")
	}
}

func TestADelayEndsWithTheClient(t *testing.T) {
	for _, turn := range []Turn{{DelayMS: 1 << 30}, {Text: twoHalves, ChunkDelayMS: 1 << 30}} {
		o := &reply{turn: turn}
		if o.pause(cancelled(t), max(turn.DelayMS, turn.ChunkDelayMS)); !o.over {
			t.Errorf("%+v: the reply goes on without a client", turn)
		}
	}
}

func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func streaming(g tongue) object {
	body := g.ask([]string{"Bash"}, nil)
	body["stream"] = true
	return body
}

func checkHalf(t *testing.T, got heard) {
	t.Helper()
	if got.Text == "" || got.Text == twoHalves || !strings.HasPrefix(twoHalves, got.Text) || got.Stop != "" {
		t.Errorf("heard %q with stop %q, want the first half and no end", got.Text, got.Stop)
	}
}
