package notify

import (
	"io"
	"maps"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"time"
)

// read takes a letter apart as a mail program does.
func read(t *testing.T, letter []byte) (mail.Header, string) {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(string(letter)))
	if err != nil {
		t.Fatalf("letter %q: %v", letter, err)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil {
		t.Fatalf("letter %q: %v", letter, err)
	}
	return m.Header, strings.ReplaceAll(string(body), "\r\n", "\n")
}

func someone(t testing.TB) *email {
	n, err := newEmail(Settings{Email: Email{To: []string{"Ännchen <a@example.com>", "b@example.com"}, From: "r@example.com", Server: "localhost"}})
	if err != nil {
		t.Fatal(err)
	}
	return n.(*email)
}

func TestLetter(t *testing.T) {
	m := message
	m.Title = "refrain: Überbau-7 gave up"
	now := time.Date(2026, 11, 15, 3, 4, 5, 0, time.FixedZone("", 3600))
	letter, err := someone(t).letter(m, now)
	if err != nil {
		t.Fatal(err)
	}
	h, body := read(t, letter)
	if body != m.Text+"\n" {
		t.Errorf("body %q, want %q", body, m.Text)
	}
	if subject, err := new(mime.WordDecoder).DecodeHeader(h.Get("Subject")); err != nil || subject != m.Title || strings.Contains(h.Get("Subject"), "Ü") {
		t.Errorf("subject %q, %v", h.Get("Subject"), err)
	}
	if date, err := h.Date(); err != nil || !date.Equal(now) {
		t.Errorf("date %v, %v", date, err)
	}
	if to, err := h.AddressList("To"); err != nil || len(to) != 2 || to[0].Name != "Ännchen" || to[1].Address != "b@example.com" {
		t.Errorf("to %v, %v", to, err)
	}
	again, err := someone(t).letter(m, now)
	if err != nil {
		t.Fatal(err)
	}
	other, _ := read(t, again)
	if id := h.Get("Message-Id"); !strings.HasSuffix(id, "@example.com>") || id == other.Get("Message-Id") {
		t.Errorf("message ids %s and %s", id, other.Get("Message-Id"))
	}
}

func FuzzLetter(f *testing.F) {
	for _, seed := range []string{"", "a\r\nBcc: evil@example.com", "=?utf-8?q?a=0D=0ABcc:_x?=", ".\r\n.", "\xff\x00", strings.Repeat("ü", 500)} {
		f.Add(seed, seed)
	}
	e := someone(f)
	headers := []string{"Auto-Submitted", "Content-Transfer-Encoding", "Content-Type", "Date", "From", "Message-Id", "Mime-Version", "Subject", "To"}
	f.Fuzz(func(t *testing.T, title, text string) {
		letter, err := e.letter(Message{Title: title, Text: text}, time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		h, body := read(t, letter)
		if got := slices.Sorted(maps.Keys(h)); !slices.Equal(got, headers) {
			t.Errorf("title %q: headers %q", title, got)
		}
		if body != cleanText(text)+"\n" {
			t.Errorf("text %q: body %q", text, body)
		}
		for line := range strings.SplitSeq(string(letter), "\r\n") {
			if len(line) > 998 || strings.ContainsAny(line, "\r\n") {
				t.Errorf("line %q", line)
			}
		}
	})
}
