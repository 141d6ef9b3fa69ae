package notify

import (
	"mime"
	"testing"
)

func TestNtfy(t *testing.T) {
	quiet := message
	quiet.Title, quiet.Urgent, quiet.Silent = "refrain: größer\r\nX-Evil: 1", false, true
	normal := message
	normal.Kind, normal.Urgent = Waiting, false
	for _, tt := range []struct {
		name                  string
		m                     Message
		title, priority, tags string
	}{
		{"urgent", message, message.Title, "4", "x"},
		{"in the night", quiet, "refrain: größer X-Evil: 1", "2", "x"},
		{"else", normal, message.Title, "3", "zzz"},
	} {
		s := serve(t, nil)
		if err := (ntfy{at(t, s.URL+"/topic"), "tk_1"}).Notify(t.Context(), tt.m); err != nil {
			t.Fatal(err)
		}
		r, body := s.only(t)
		title, err := new(mime.WordDecoder).DecodeHeader(r.Header.Get("Title"))
		if err != nil || title != tt.title || r.Header.Get("Priority") != tt.priority || r.Header.Get("Tags") != tt.tags {
			t.Errorf("%s: title %q (%v), headers %v", tt.name, title, err, r.Header)
		}
		if body != tt.m.Text || r.Header.Get("Authorization") != "Bearer tk_1" || r.URL.Path != "/topic" || r.Header.Get("X-Evil") != "" {
			t.Errorf("%s: body %q to %s, headers %v", tt.name, body, r.URL, r.Header)
		}
	}
}

func TestNtfyWithoutAToken(t *testing.T) {
	s := serve(t, nil)
	if err := (ntfy{endpoint: at(t, s.URL+"/topic")}).Notify(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	if r, _ := s.only(t); r.Header.Values("Authorization") != nil {
		t.Errorf("headers %v", r.Header)
	}
}
