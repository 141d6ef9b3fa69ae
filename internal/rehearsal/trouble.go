package rehearsal

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func sleep(f *values) act {
	d := f.duration("sleep")
	return func(*player) error {
		time.Sleep(d)
		return nil
	}
}

const (
	megabyte  = 1 << 20
	floodLine = 1 << 10 // newline included
)

// flood prints many lines: text of the agent on stdout, plain lines on stderr.
func flood(f *values) act {
	mb, toStderr := f.whole("flood_mb", 1, maxCount, 0), f.flag("stderr")
	return func(p *player) error {
		out, line := p.err, []byte(strings.Repeat("~", floodLine-1)+"\n")
		if !toStderr {
			bare, err := encode(&loop.AgentText{})
			if err != nil {
				return err
			}
			out = p.out
			if line, err = encode(&loop.AgentText{Text: strings.Repeat("~", floodLine-len(bare))}); err != nil {
				return err
			}
		}
		chunk := bytes.Repeat(line, megabyte/floodLine)
		for range mb {
			if _, err := out.Write(chunk); err != nil {
				return fmt.Errorf("flood: %w", err)
			}
		}
		return nil
	}
}

// endlessLine prints one very long line. It does end, so that the result
// stands on a line of its own.
func endlessLine(f *values) act {
	mb := f.whole("endless_line_mb", 1, maxCount, 0)
	return func(p *player) error {
		chunk := bytes.Repeat([]byte("~"), megabyte)
		for range mb {
			if err := p.print(chunk); err != nil {
				return err
			}
		}
		return p.print([]byte("\n"))
	}
}

// ignoreTerm makes the agent, and what it starts from now on, deaf to polite
// signals.
func ignoreTerm(f *values) act {
	f.yes("ignore_term")
	return func(*player) error {
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
		return nil
	}
}

func hang(f *values) act {
	f.yes("hang")
	return func(*player) error { return forever() }
}

// forever never returns. An empty select would not do: the Go runtime calls it
// a deadlock and exits.
func forever() error {
	for {
		time.Sleep(time.Hour)
	}
}
