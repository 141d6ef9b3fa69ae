package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"
)

// hook is a webhook with these settings.
func hook(t *testing.T, w Webhook) *webhook {
	t.Helper()
	n, err := newWebhook(Settings{Webhook: w})
	if err != nil {
		t.Fatal(err)
	}
	return n.(*webhook)
}

func TestWebhookPostsTheMessage(t *testing.T) {
	s := serve(t, nil)
	w := hook(t, Webhook{URL: s.URL + secret, Headers: map[string]string{"x-mine": "1", "X-Refrain-Timestamp": "forged"}})
	before := time.Now().Unix()
	if err := w.Notify(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	r, body := s.only(t)
	var got Message
	if err := json.Unmarshal([]byte(body), &got); err != nil || got != message {
		t.Errorf("body %s, %v", body, err)
	}
	if r.URL.Path != secretPath || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Mine") != "1" {
		t.Errorf("request to %s, headers %v", r.URL, r.Header)
	}
	if stamp, err := strconv.ParseInt(r.Header.Get("X-Refrain-Timestamp"), 10, 64); err != nil || stamp < before || stamp > time.Now().Unix() {
		t.Errorf("timestamp %q", r.Header.Get("X-Refrain-Timestamp"))
	}
	if r.Header.Values("X-Refrain-Signature") != nil {
		t.Error("signed without a secret")
	}
}

func TestWebhookSigns(t *testing.T) {
	s := serve(t, nil)
	if err := hook(t, Webhook{URL: s.URL, Secret: "key", Template: "{{json .Title}}"}).Notify(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	r, body := s.only(t)
	if want := `"refrain: build-7 was aborted"`; body != want {
		t.Errorf("body %s, want %s", body, want)
	}
	mac := hmac.New(sha256.New, []byte("key"))
	mac.Write([]byte(r.Header.Get("X-Refrain-Timestamp") + "." + body))
	if got, want := r.Header.Get("X-Refrain-Signature"), "sha256="+hex.EncodeToString(mac.Sum(nil)); got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
}

func TestTemplates(t *testing.T) {
	plain := map[string]string{"Content-Type": "text/plain; charset=utf-8"}
	for _, tt := range []struct {
		name, text string
		headers    map[string]string
		problem    string
	}{
		{"JSON", `{"text": {{json .Text}}, "all": {{json .}}, "cost": {{.CostUSD}}}`, nil, ""},
		{"a text without quotes around it", `{"text": "{{.Text}}"}`, nil, "{{json .Text}}"},
		{"plain text that says so", `{{.Title}} after {{.Elapsed.Duration}}`, plain, ""},
		{"plain text that does not", `{{.Title}}`, nil, "{{json .Text}}"},
		{"no such field", `{{json .Tittle}}`, nil, "Tittle"},
		{"no end", `{{json .Title`, nil, "unclosed"},
	} {
		_, err := newWebhook(Settings{Webhook: Webhook{URL: "https://example.com", Template: tt.text, Headers: tt.headers}})
		if tt.problem == "" && err != nil || tt.problem != "" && (err == nil || !strings.Contains(err.Error(), tt.problem)) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.problem)
		}
	}
}

func FuzzTemplate(f *testing.F) {
	w := &webhook{}
	var err error
	if w.body, err = parseTemplate(`{"title": {{json .Title}}, "text": {{json .Text}}}`); err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", `"`, "\\", "{{.Text}}", "a\nb\x00\xff", "</script>\u2028"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, title, text string) {
		body, err := w.fill(Message{Title: title, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Title, Text string }
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatalf("body %s: %v", body, err)
		}
		if want := strings.ToValidUTF8(title, "\uFFFD"); strings.ToValidUTF8(title, "") == title && got.Title != want {
			t.Errorf("title %q, want %q", got.Title, want)
		}
	})
}
