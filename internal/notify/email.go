package notify

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/text"
)

// email sends mail through a server.
type email struct {
	to         []*mail.Address
	from       *mail.Address
	host, port string
	user       string
	password   string
	roots      *x509.CertPool // whom to trust; nil is as the system does
	encrypted  bool           // from the first byte
	local      bool           // the server is on this machine
}

const (
	portSubmit = "587"
	portTLS    = "465"
)

// What the name or the address of a server, and its port, are made of.
var (
	serverName = text.NewPattern(`^[\w.:%-]+$`)
	portNumber = text.NewPattern(`^\d{1,5}$`)
)

func newEmail(s Settings) (Notifier, error) {
	if len(s.Email.To) == 0 {
		return nil, nil
	}
	e := &email{user: s.Email.User, password: s.Email.Password}
	var err error
	if e.to, err = addresses("notify.email.to", s.Email.To...); err != nil {
		return nil, err
	}
	from, err := addresses("notify.email.from", s.Email.From)
	if err != nil {
		return nil, err
	}
	e.from = from[0]
	if e.host, e.port, err = net.SplitHostPort(s.Email.Server); err != nil {
		e.host, e.port = s.Email.Server, portSubmit
	}
	if !serverName().MatchString(e.host) || !portNumber().MatchString(e.port) {
		return nil, fmt.Errorf("notify.email.server: %q is not like mail.example.com or mail.example.com:587", s.Email.Server)
	}
	if e.password != "" && e.user == "" {
		return nil, errors.New("notify.email.user: it is needed with notify.email.password")
	}
	e.encrypted = e.port == portTLS
	ip := net.ParseIP(e.host)
	e.local = e.host == "localhost" || ip != nil && ip.IsLoopback()
	return e, nil
}

func addresses(key string, texts ...string) ([]*mail.Address, error) {
	var list []*mail.Address
	for _, text := range texts {
		a, err := mail.ParseAddress(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is not an address like someone@example.com", key, text)
		}
		list = append(list, a)
	}
	return list, nil
}

// Notify sends the message as a mail.
func (e *email) Notify(ctx context.Context, m Message) error {
	letter, err := e.letter(m, time.Now())
	if err == nil {
		err = e.send(ctx, letter)
	}
	if err != nil {
		return fmt.Errorf("send mail through %s: %w", e.host, err)
	}
	return nil
}

func (e *email) send(ctx context.Context, letter []byte) error {
	conn, err := e.dial(ctx)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	c, err := smtp.NewClient(conn, e.host)
	if err != nil {
		return err // and the connection is closed
	}
	defer c.Close()
	if err := e.open(c); err != nil {
		return err
	}
	if err := c.Mail(e.from.Address); err != nil {
		return fmt.Errorf("the sender is refused: %w", err)
	}
	for _, to := range e.to {
		if err := c.Rcpt(to.Address); err != nil {
			return fmt.Errorf("%s is refused: %w", to.Address, err)
		}
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(letter); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	_ = c.Quit() // the server has taken the mail, whatever it says now
	return nil
}

func (e *email) dial(ctx context.Context) (net.Conn, error) {
	address := net.JoinHostPort(e.host, e.port)
	if e.encrypted {
		return (&tls.Dialer{Config: e.tls()}).DialContext(ctx, "tcp", address)
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", address)
}

func (e *email) tls() *tls.Config {
	return &tls.Config{ServerName: e.host, RootCAs: e.roots, MinVersion: tls.VersionTLS12}
}

// open makes the connection safe where the server can, and signs in. A password
// never goes over a wire that others can read.
func (e *email) open(c *smtp.Client) error {
	_, secure := c.TLSConnectionState()
	if offered, _ := c.Extension("STARTTLS"); offered && !secure {
		if err := c.StartTLS(e.tls()); err != nil {
			return fmt.Errorf("encrypt: %w", err)
		}
		secure = true
	}
	if e.user == "" {
		return nil
	}
	if !secure && !e.local {
		return errors.New("it offers no encryption, and a password is not sent without; try port " + portTLS)
	}
	if _, ways := c.Extension("AUTH"); !slices.Contains(strings.Fields(ways), "PLAIN") {
		return errors.New("it takes no password (AUTH PLAIN): leave notify.email.user empty, or choose another server")
	}
	if err := c.Auth(plain{e.user, e.password}); err != nil {
		return fmt.Errorf("sign in as %s: %w", e.user, err)
	}
	return nil
}

// plain signs in with a password. When that is safe, is decided above: the
// standard library goes by the name of the server, and knows fewer names for
// this machine.
type plain struct{ user, password string }

func (p plain) Start(*smtp.ServerInfo) (string, []byte, error) {
	return "PLAIN", []byte("\x00" + p.user + "\x00" + p.password), nil
}

func (p plain) Next(_ []byte, more bool) ([]byte, error) {
	if more {
		return nil, errors.New("the server asks for more than a password")
	}
	return nil, nil
}

// letter writes the message as a mail. Whatever stands in a header is encoded or
// was read as an address, so that no text can add a header of its own.
func (e *email) letter(m Message, now time.Time) ([]byte, error) {
	var to []string
	for _, a := range e.to {
		to = append(to, a.String())
	}
	var out bytes.Buffer
	for _, h := range [][2]string{
		{"From", e.from.String()},
		{"To", strings.Join(to, ",\r\n ")},
		{"Subject", mime.QEncoding.Encode("utf-8", text.Shorten(cleanLine(m.Title), maxTitle))},
		{"Date", now.Format(time.RFC1123Z)},
		{"Message-ID", messageID(e.from)},
		{"Auto-Submitted", "auto-generated"}, // holiday notes do not answer
		{"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"},
		{"Content-Transfer-Encoding", "quoted-printable"},
	} {
		fmt.Fprintf(&out, "%s: %s\r\n", h[0], h[1])
	}
	out.WriteString("\r\n")
	body := quotedprintable.NewWriter(&out)
	if _, err := body.Write([]byte(cleanText(m.Text) + "\n")); err != nil {
		return nil, err
	}
	if err := body.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// messageID is a name that no other mail has.
func messageID(from *mail.Address) string {
	_, domain, _ := strings.Cut(from.Address, "@")
	return "<refrain." + rand.Text() + "@" + domain + ">"
}
