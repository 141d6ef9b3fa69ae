package bridge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

const (
	// longestAnswer is what a proxy may say before it lets through.
	longestAnswer = 8 << 10
	// answerTime is longer than the proxy takes to give a dial up.
	answerTime = time.Minute
)

// Through is a dial for Serve: it asks the proxy that dial reaches for one
// address, HOST:PORT, so that a port of loopback inside is one outside. Clients
// of a database know nothing of proxies.
func Through(dial Dial, address string) Dial {
	return func(ctx context.Context) (net.Conn, error) {
		c, err := dial(ctx)
		if err != nil {
			return nil, err
		}
		defer context.AfterFunc(ctx, func() { _ = c.Close() })()
		if err := ask(c, address); err != nil {
			_ = c.Close()
			return nil, fmt.Errorf("ask the proxy for %s: %w", address, err)
		}
		return c, nil
	}
}

func ask(c net.Conn, address string) error {
	if err := c.SetDeadline(time.Now().Add(answerTime)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", address, address); err != nil {
		return err
	}
	// Byte by byte: what follows the head is not ours to read.
	var head strings.Builder
	one := make([]byte, 1)
	for !strings.HasSuffix(head.String(), "\r\n\r\n") {
		if head.Len() == longestAnswer {
			return errors.New("its answer has no end")
		}
		if _, err := c.Read(one); err != nil {
			return err
		}
		head.WriteByte(one[0])
	}
	status, _, _ := strings.Cut(head.String(), "\r\n")
	if version, rest, _ := strings.Cut(status, " "); !strings.HasPrefix(version, "HTTP/1.") || !strings.HasPrefix(rest+" ", "200 ") {
		return fmt.Errorf("it answered %q", status)
	}
	return c.SetDeadline(time.Time{})
}
