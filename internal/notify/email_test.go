package notify

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	"net/mail"
	"net/textproto"
	"slices"
	"strings"
	"testing"
	"time"
)

// mailbox is a mail server for one mail.
type mailbox struct {
	address string
	tls     *tls.Config
	trust   *x509.CertPool

	offers    []string
	encrypted bool   // from the first byte
	refuses   string // a verb

	said []string // verbs with their arguments
	mail string
	done chan struct{}
}

// post starts a mail server.
func post(t *testing.T, b *mailbox) *mailbox {
	t.Helper()
	certified := httptest.NewTLSServer(nil) // it has a certificate for 127.0.0.1
	b.tls = &tls.Config{Certificates: certified.TLS.Certificates}
	b.trust = x509.NewCertPool()
	b.trust.AddCert(certified.Certificate())
	certified.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b.address, b.done = l.Addr().String(), make(chan struct{})
	go func() {
		defer close(b.done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		b.talk(conn)
	}()
	t.Cleanup(func() {
		l.Close()
		<-b.done
	})
	return b
}

func (b *mailbox) talk(conn net.Conn) {
	defer func() { conn.Close() }()
	secure := b.encrypted
	if secure {
		conn = tls.Server(conn, b.tls)
	}
	r := bufio.NewReader(conn)
	say := func(line string) { fmt.Fprintf(conn, "%s\r\n", line) }
	say("220 hello")
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSpace(line)
		verb, _, _ := strings.Cut(line, " ")
		b.said = append(b.said, line)
		if verb == b.refuses {
			say("550 no \x1b[2Jway")
			continue
		}
		switch verb {
		case "EHLO":
			say("250-hello")
			for _, offer := range b.offers {
				if offer != "STARTTLS" || !secure {
					say("250-" + offer)
				}
			}
			say("250 8BITMIME")
		case "STARTTLS":
			say("220 go on")
			conn = tls.Server(conn, b.tls)
			r, secure = bufio.NewReader(conn), true
		case "AUTH":
			say("235 welcome")
		case "DATA":
			say("354 go on")
			data, err := io.ReadAll(textproto.NewReader(r).DotReader())
			if err != nil {
				return
			}
			b.mail = string(data)
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 fine")
		}
	}
}

// verbs is what was said, without arguments.
func (b *mailbox) verbs() string {
	<-b.done
	var list []string
	for _, line := range b.said {
		verb, _, _ := strings.Cut(line, " ")
		list = append(list, verb)
	}
	return strings.Join(list, " ")
}

// mailer sends to a mailbox.
func mailer(t *testing.T, b *mailbox, user string) *email {
	t.Helper()
	n, err := newEmail(Settings{Email: Email{
		To: []string{"Ännchen <a@example.com>", "b@example.com"}, From: "refrain <r@example.com>", Server: b.address, User: user, Password: user,
	}})
	if err != nil {
		t.Fatal(err)
	}
	e := n.(*email)
	e.roots, e.encrypted = b.trust, b.encrypted
	return e
}

func TestMail(t *testing.T) {
	auth := "AUTH PLAIN " + base64.StdEncoding.EncodeToString([]byte("\x00me\x00me"))
	for _, tt := range []struct {
		name string
		box  *mailbox
		user string
		want string
	}{
		{"plain", &mailbox{}, "", "EHLO MAIL RCPT RCPT DATA QUIT"},
		{"encrypted when offered", &mailbox{offers: []string{"STARTTLS"}}, "", "EHLO STARTTLS EHLO MAIL RCPT RCPT DATA QUIT"},
		{"encrypted from the first byte", &mailbox{encrypted: true, offers: []string{"AUTH PLAIN"}}, "me", "EHLO AUTH MAIL RCPT RCPT DATA QUIT"},
		{"signed in over encryption", &mailbox{offers: []string{"STARTTLS", "AUTH PLAIN"}}, "me", "EHLO STARTTLS EHLO AUTH MAIL RCPT RCPT DATA QUIT"},
		{"signed in on this machine", &mailbox{offers: []string{"AUTH PLAIN"}}, "me", "EHLO AUTH MAIL RCPT RCPT DATA QUIT"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := post(t, tt.box)
			if err := mailer(t, b, tt.user).Notify(t.Context(), message); err != nil {
				t.Fatal(err)
			}
			if got := b.verbs(); got != tt.want {
				t.Errorf("said %s, want %s", got, tt.want)
			}
			want := []string{"MAIL FROM:<r@example.com> BODY=8BITMIME", "RCPT TO:<a@example.com>", "RCPT TO:<b@example.com>"}
			if tt.user != "" {
				want = append(want, auth)
			}
			for _, line := range want {
				if !slices.Contains(b.said, line) {
					t.Errorf("said %q, want %q", b.said, line)
				}
			}
			if !strings.Contains(b.mail, "Subject: refrain: build-7 was aborted\n") || !strings.Contains(b.mail, "3 failures in a row\n") {
				t.Errorf("mail %s", b.mail)
			}
		})
	}
}

func TestMailThatIsNotSent(t *testing.T) {
	for _, tt := range []struct {
		name string
		box  *mailbox
		far  bool
		want string
	}{
		{"no encryption for a password", &mailbox{offers: []string{"AUTH PLAIN"}}, true, "it offers no encryption"},
		{"no way to sign in", &mailbox{}, false, "it takes no password"},
		{"wrong password", &mailbox{offers: []string{"AUTH PLAIN"}, refuses: "AUTH"}, false, "sign in as me: 550 "},
		{"sender refused", &mailbox{offers: []string{"AUTH PLAIN"}, refuses: "MAIL"}, false, "the sender is refused: 550 "},
		{"receiver refused", &mailbox{offers: []string{"AUTH PLAIN"}, refuses: "RCPT"}, false, "a@example.com is refused: 550 "},
		{"mail refused", &mailbox{offers: []string{"AUTH PLAIN"}, refuses: "DATA"}, false, "550 "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := post(t, tt.box)
			e := mailer(t, b, "me")
			e.local = e.local && !tt.far
			err := e.Notify(t.Context(), message)
			if err == nil || !strings.HasPrefix(err.Error(), "send mail through 127.0.0.1: "+tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
			if verbs := b.verbs(); tt.far && strings.Contains(verbs, "AUTH") {
				t.Errorf("the password went out: %s", verbs)
			}
			if b.mail != "" {
				t.Errorf("mail %s", b.mail)
			}
		})
	}
}

func TestAServerThatNobodyVouchesFor(t *testing.T) {
	for name, b := range map[string]*mailbox{"at once": {encrypted: true}, "when offered": {offers: []string{"STARTTLS"}}} {
		b := post(t, b)
		e := mailer(t, b, "")
		e.roots = x509.NewCertPool()
		if err := e.Notify(t.Context(), message); err == nil || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestAServerThatDoesNotAnswer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		cancel()
		_, _ = io.Copy(io.Discard, conn)
	}()
	if err := mailer(t, &mailbox{address: l.Addr().String()}, "").Notify(ctx, message); err == nil {
		t.Error("no error")
	}
}

func TestMailServers(t *testing.T) {
	for server, want := range map[string]email{
		"mail.example.com":     {host: "mail.example.com", port: "587"},
		"mail.example.com:465": {host: "mail.example.com", port: "465", encrypted: true},
		"localhost:25":         {host: "localhost", port: "25", local: true},
		"[::1]:25":             {host: "::1", port: "25", local: true},
	} {
		n, err := newEmail(Settings{Email: Email{To: []string{"a@example.com"}, From: "b@example.com", Server: server}})
		if err != nil {
			t.Errorf("%s: %v", server, err)
			continue
		}
		if e := n.(*email); e.host != want.host || e.port != want.port || e.encrypted != want.encrypted || e.local != want.local {
			t.Errorf("%s: %+v, want %+v", server, e, want)
		}
	}
	for _, server := range []string{":25", "mail.example.com:", "a b", "mail\r\nX: y", "https://mail.example.com"} {
		if _, err := newEmail(Settings{Email: Email{To: []string{"a@example.com"}, From: "b@example.com", Server: server}}); err == nil {
			t.Errorf("%q is taken", server)
		}
	}
}

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
	m.Title = "refrain: Überbau-7 was aborted"
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
