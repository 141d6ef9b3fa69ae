package notify

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/text"
)

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
