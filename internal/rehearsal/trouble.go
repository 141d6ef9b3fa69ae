package rehearsal

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func sleep(f *values) act {
	d := f.duration("sleep")
	return func(p *player) error { return p.rest(d) }
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
	return func(p *player) error {
		p.deafen()
		return nil
	}
}

func hang(f *values) act {
	f.yes("hang")
	return func(p *player) error {
		for {
			if err := p.rest(time.Hour); err != nil {
				return err
			}
		}
	}
}

// crashRunner ends the runner as a power cut would. Another one goes on.
func crashRunner(f *values) act {
	f.yes("crash_runner")
	return onStage("crash_runner", func(p *part) error { return p.crashRunner() })
}

// fullDisk leaves the runner no room to save anything for a while.
func fullDisk(f *values) act {
	d := f.duration("full_disk")
	return onStage("full_disk", func(p *part) error { return p.fullDisk(d) })
}

// onStage does what only a stage can: a process cannot do it to its runner.
func onStage(verb string, do func(*part) error) act {
	return func(p *player) error {
		if p.stage == nil {
			return errors.New(verb + ` works in "refrain rehearse" only`)
		}
		return do(p.stage)
	}
}
