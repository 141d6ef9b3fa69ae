package telemetry

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

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
