package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"text/template"
	"time"
)

// webhook posts messages as JSON, in a shape that the user may choose, signed.
type webhook struct {
	endpoint
	body   *template.Template // nil is the message as it is
	secret []byte
	header http.Header
}

const (
	signatureHeader = "X-Refrain-Signature"
	timestampHeader = "X-Refrain-Timestamp"
)

func newWebhook(s Settings) (Notifier, error) {
	if s.Webhook.URL == "" {
		return nil, nil
	}
	to, err := newEndpoint("notify.webhook.url", s.Webhook.URL)
	if err != nil {
		return nil, err
	}
	w := &webhook{endpoint: to, secret: []byte(s.Webhook.Secret), header: http.Header{"Content-Type": {"application/json"}}}
	for name, value := range s.Webhook.Headers {
		if !headerName().MatchString(name) || !headerValue().MatchString(value) {
			return nil, fmt.Errorf("notify.webhook.headers: %q cannot be sent: its name or its value has a character that no header may have", name)
		}
		w.header.Set(name, value)
	}
	if s.Webhook.Template == "" {
		return w, nil
	}
	if w.body, err = parseTemplate(s.Webhook.Template); err == nil {
		err = w.checkBody()
	}
	if err != nil {
		return nil, fmt.Errorf("notify.webhook.template: %w", err)
	}
	return w, nil
}

func parseTemplate(text string) (*template.Template, error) {
	return template.New("body").Funcs(template.FuncMap{"json": func(v any) (string, error) {
		b, err := json.Marshal(v)
		return string(b), err
	}}).Parse(text)
}

// hard is a message with what breaks a body that was put together carelessly.
var hard = Message{
	Kind: Test, Title: `a "title" \ of`, Text: "two\nlines", Why: `"why"`, Run: "run-1", RunID: `"`, Procedure: `"`, Dir: `C:\`,
	Elapsed: 1, CostUSD: 0.5, At: time.Unix(0, 0).UTC(),
}

// checkBody sees now what would else be seen at the end of a night.
func (w *webhook) checkBody() error {
	body, err := w.fill(hard)
	if err != nil {
		return err
	}
	kind, _, _ := mime.ParseMediaType(w.header.Get("Content-Type"))
	if kind == "application/json" && !json.Valid(body) {
		return errors.New("it does not give JSON when a text has quotes or lines in it; write {{json .Text}}, without quotes around it")
	}
	return nil
}

// Notify posts the message.
func (w *webhook) Notify(ctx context.Context, m Message) error {
	body, err := w.fill(m)
	if err != nil {
		return fmt.Errorf("fill notify.webhook.template: %w", err)
	}
	header := w.header.Clone()
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	header.Set(timestampHeader, stamp)
	if len(w.secret) > 0 {
		header.Set(signatureHeader, "sha256="+sign(w.secret, stamp, body))
	}
	return w.post(ctx, header, body)
}

func (w *webhook) fill(m Message) ([]byte, error) {
	if w.body == nil {
		return json.Marshal(m)
	}
	var out bytes.Buffer
	err := w.body.Execute(&out, m)
	return out.Bytes(), err
}

// sign covers the time too, so that a message cannot be played back later.
func sign(secret []byte, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}
