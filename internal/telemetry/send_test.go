package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// far stands in for the network: it works on the fake clock.
type far func(*http.Request) (*http.Response, error)

func (f far) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(status int, header ...string) *http.Response {
	a := &http.Response{StatusCode: status, Status: fmt.Sprint(status, " ", http.StatusText(status)), Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}"))}
	for i := 0; i+1 < len(header); i += 2 {
		a.Header.Set(header[i], header[i+1])
	}
	return a
}

// hang is a collector that takes a request and never answers.
func hang(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// sending is a tracer on the fake clock, what it warned of, and when.
type sending struct {
	*Tracer
	began  time.Time
	warned []string
	asked  []time.Duration // when requests were made
}

func newSending(t *testing.T, network far) *sending {
	t.Helper()
	s := &sending{began: time.Now()}
	tracer, err := newTracer(Settings{
		RunID: runID, Endpoint: "http://user:secret@collector:4318/?token=secret",
		Warn: func(w loop.Warning) { s.warned = append(s.warned, w.Text) },
	}, far(func(r *http.Request) (*http.Response, error) {
		s.asked = append(s.asked, time.Since(s.began))
		return network(r)
	}))
	if err != nil {
		t.Fatal(err)
	}
	s.Tracer = tracer
	return s
}

// hooks makes n spans.
func (s *sending) hooks(n int) {
	tell := newTeller(s.Tracer)
	tell.start()
	for range n {
		tell.tell(&loop.HookFinished{Point: "started", Action: "continue"})
	}
}

func TestSpansAreSentASecondAfterTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSending(t, func(*http.Request) (*http.Response, error) { return answer(200), nil })
		s.hooks(3)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if want := []time.Duration{time.Second}; !slices.Equal(s.asked, want) {
			t.Errorf("requests were made at %v, want %v", s.asked, want)
		}
		s.Close(t.Context())
	})
}

func TestAHundredSpansAreSentAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSending(t, func(*http.Request) (*http.Response, error) { return answer(200), nil })
		s.hooks(2*batchSize + 1)
		synctest.Wait()
		if want := []time.Duration{0, 0}; !slices.Equal(s.asked, want) {
			t.Errorf("requests were made at %v, want %v", s.asked, want)
		}
		s.Close(t.Context())
		if len(s.asked) != 3 || time.Since(s.began) != 0 {
			t.Errorf("after Close requests were made at %v: the rest is sent without waiting", s.asked)
		}
	})
}

func TestWhatMayHelpIsTriedAgain(t *testing.T) {
	for _, tt := range []struct {
		what  string
		far   func(try int) (*http.Response, error)
		tries int
		least time.Duration // until the second try
		lost  string        // what is told, if anything
	}{
		{"a collector that comes back", func(try int) (*http.Response, error) {
			if try == 0 {
				return nil, errors.New("connection refused")
			}
			return answer(200), nil
		}, 2, firstPause, ""},
		{"one that asks for a minute", func(try int) (*http.Response, error) {
			if try == 0 {
				return answer(429, "Retry-After", "60"), nil
			}
			return answer(200), nil
		}, 2, time.Minute, ""},
		{"one that is never there", func(int) (*http.Response, error) { return nil, errors.New("connection refused") }, maxTries, firstPause, "connection refused"},
		{"one that is always overloaded", func(int) (*http.Response, error) { return answer(503), nil }, maxTries, firstPause, "503 Service Unavailable"},
		{"one that does not know us", func(int) (*http.Response, error) { return answer(401), nil }, 1, 0, "401 Unauthorized"},
		{"one that is broken", func(int) (*http.Response, error) { return answer(500), nil }, 1, 0, "500 Internal Server Error"},
		{"one that has moved", func(int) (*http.Response, error) { return answer(307, "Location", "http://elsewhere/"), nil }, 1, 0, "307 Temporary Redirect"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				try := 0
				s := newSending(t, func(*http.Request) (*http.Response, error) {
					try++
					return tt.far(try - 1)
				})
				s.hooks(1)
				time.Sleep(time.Hour)
				s.Close(t.Context())
				if len(s.asked) != tt.tries {
					t.Fatalf("it was tried at %v, want %d tries", s.asked, tt.tries)
				}
				if tt.tries > 1 && s.asked[1]-s.asked[0] < tt.least {
					t.Errorf("it was tried at %v, want %v between the first two", s.asked, tt.least)
				}
				if tt.lost == "" && len(s.warned) > 0 || tt.lost != "" && (len(s.warned) != 1 || !strings.Contains(s.warned[0], tt.lost)) {
					t.Errorf("warned of %q, want %q", s.warned, tt.lost)
				}
				if strings.Contains(fmt.Sprint(s.warned), "secret") {
					t.Errorf("a warning gives a secret away: %q", s.warned)
				}
			})
		})
	}
}

func TestLossesAreToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSending(t, func(*http.Request) (*http.Response, error) { return answer(400), nil })
		for range 5 {
			s.hooks(1)
			time.Sleep(time.Minute)
		}
		s.Close(t.Context())
		if len(s.asked) != 5 || len(s.warned) != 1 {
			t.Errorf("%d requests and the warnings %q, want 5 and one", len(s.asked), s.warned)
		}
	})
}

func TestASlowCollectorDoesNotHoldUpTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSending(t, hang)
		s.hooks(batchSize)
		synctest.Wait() // the first batch is under way
		s.hooks(queueRoom + 7)
		if passed := time.Since(s.began); passed != 0 {
			t.Errorf("observing took %v", passed)
		}
		time.Sleep(time.Second)
		s.Close(t.Context())
		if took := time.Since(s.began); took != time.Second+flushTime {
			t.Errorf("after a second, Close ended at %v, want %v more", took, flushTime)
		}
		if len(s.warned) != 1 || !strings.Contains(s.warned[0], "the run ended before") {
			t.Errorf("warned of %q", s.warned)
		}
	})
}

func TestSpansThatFindNoRoomAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := newSending(t, func(*http.Request) (*http.Response, error) {
			<-release
			return answer(200), nil
		})
		s.hooks(batchSize)
		synctest.Wait()
		s.hooks(queueRoom + 7)
		close(release)
		time.Sleep(time.Minute)
		s.Close(t.Context())
		if len(s.warned) != 1 || !strings.Contains(s.warned[0], "7 spans are lost, for they came faster") {
			t.Errorf("warned of %q", s.warned)
		}
	})
}

func TestCloseEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSending(t, hang)
		s.hooks(1)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		s.Close(ctx)
		if took := time.Since(s.began); took != 2*time.Second {
			t.Errorf("Close took %v, want 2s", took)
		}
		s.Close(ctx) // again: nothing
		s.hooks(1)   // too late: nothing
	})
}

func TestCloseDoesNotWaitForAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSending(t, func(*http.Request) (*http.Response, error) { return answer(429, "Retry-After", "240"), nil })
		s.hooks(1)
		time.Sleep(10 * time.Second)
		s.Close(t.Context())
		if len(s.asked) != 2 || time.Since(s.began) != 10*time.Second {
			t.Errorf("requests at %v and an end after %v: want one last try at once", s.asked, time.Since(s.began))
		}
	})
}

func TestARequestThatIsNotAnsweredIsTriedAgainAfterTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries atomic.Int32
		s := newSending(t, func(r *http.Request) (*http.Response, error) {
			if tries.Add(1) == 1 {
				return hang(r)
			}
			return answer(200), nil
		})
		s.hooks(1)
		time.Sleep(time.Minute)
		s.Close(t.Context())
		if len(s.asked) != 2 || s.asked[1]-s.asked[0] < postTime+firstPause || len(s.warned) != 0 {
			t.Errorf("requests at %v, warned of %q", s.asked, s.warned)
		}
	})
}

func TestWarningsMayAskTheRunForItsLock(t *testing.T) {
	// The engine shows events to observers while it holds its lock, and writes
	// a warning under the same: a warning from inside Observe would never end.
	synctest.Test(t, func(t *testing.T) {
		lock := make(chan struct{}, 1)
		told := false
		tracer, err := newTracer(Settings{RunID: runID, Endpoint: "http://collector", Warn: func(loop.Warning) {
			lock <- struct{}{}
			told = true
			<-lock
		}}, far(func(*http.Request) (*http.Response, error) { return answer(400), nil }))
		if err != nil {
			t.Fatal(err)
		}
		tell := newTeller(tracer)
		lock <- struct{}{}
		tell.start()
		for range 3 * batchSize {
			tell.tell(&loop.HookFinished{Point: "started", Action: "continue"})
		}
		synctest.Wait()
		<-lock
		tracer.Close(t.Context())
		if !told {
			t.Error("the loss was not told")
		}
	})
}

func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		what, text string
		want       time.Duration
	}{
		{"nothing", "", 0},
		{"seconds", "90", 90 * time.Second},
		{"a date", evening.Add(time.Minute).Format(http.TimeFormat), time.Minute},
		{"a date that has passed", evening.Add(-time.Minute).Format(http.TimeFormat), 0},
		{"less than nothing", "-5", 0},
		{"more than a number can hold", "9223372036854775807", longestPause},
		{"nonsense", "soon", 0},
	} {
		if got := retryAfter(tt.text, evening); got != tt.want {
			t.Errorf("%s: retryAfter(%q) = %v, want %v", tt.what, tt.text, got, tt.want)
		}
	}
}

func TestPartlyTakenBatches(t *testing.T) {
	c := &collector{target: target{host: "collector"}}
	for _, tt := range []struct {
		what, said string
		rejected   int
		why        string
	}{
		{"all were taken", `{}`, 0, ""},
		{"all were taken, in as many words", `{"partialSuccess":{}}`, 0, ""},
		{"no JSON", "\x0a\x00", 0, ""},
		{"some were refused", `{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}`, 3, "too old"},
		{"some were refused, told as a number", `{"partialSuccess":{"rejectedSpans":3}}`, 3, "does not say why"},
		{"a word of advice", `{"partialSuccess":{"rejectedSpans":"0","errorMessage":"use fewer attributes"}}`, 0, ""},
	} {
		rejected, err := c.partly([]byte(tt.said))
		if rejected != tt.rejected || (err != nil) != (tt.why != "") || err != nil && !strings.Contains(err.Error(), tt.why) {
			t.Errorf("%s: got %d, %v; want %d, %q", tt.what, rejected, err, tt.rejected, tt.why)
		}
	}
}

func TestASmallBodyIsNotPacked(t *testing.T) {
	var got *http.Request
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
	}))
	defer server.Close()
	c := newCollector(&target{url: server.URL, host: "collector"}, http.DefaultTransport.(*http.Transport).Clone())
	defer c.client.CloseIdleConnections()
	if _, err := c.post(t.Context(), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if got.Header.Get("Content-Encoding") != "" || string(body) != "{}" {
		t.Errorf("%q came with %v", body, got.Header)
	}
}

func TestACollectorExplainsItself(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"code":3,"message":"invalid span id"}`, http.StatusBadRequest)
	}))
	defer server.Close()
	c := newCollector(&target{url: server.URL, host: "collector"}, http.DefaultTransport.(*http.Transport).Clone())
	defer c.client.CloseIdleConnections()
	const want = "collector answered 400 Bad Request: invalid span id"
	if _, err := c.post(t.Context(), []byte("{}")); err == nil || err.Error() != want {
		t.Errorf("post = %v, want %s", err, want)
	}
}

func TestNobodyListens(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close() // its port is free now
	var warned []string
	tracer, err := NewTracer(Settings{
		RunID: runID, Endpoint: strings.Replace(server.URL, "http://", "http://me:secret@", 1),
		Warn: func(w loop.Warning) { warned = append(warned, w.Text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	newTeller(tracer).night()
	tracer.Close(context.Background())
	if len(warned) != 1 || !strings.Contains(warned[0], "cannot be reached") || strings.Contains(warned[0], "secret") {
		t.Errorf("warned of %q", warned)
	}
}
