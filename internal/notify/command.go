package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/proc"
)

// command hands messages to a program of the user's: as one line of JSON on
// stdin, and as variables.
type command struct {
	line string
	role proc.Role
	dir  string
	env  []string
	exec Exec
}

func newCommand(s Settings) (Notifier, error) {
	if strings.TrimSpace(s.Command) == "" {
		return nil, nil
	}
	return command{s.Command, s.Role, s.Dir, s.Env, s.Exec}, nil
}

// Notify runs the program.
func (c command) Notify(ctx context.Context, m Message) error {
	line, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write the message as JSON: %w", err)
	}
	env, err := environ(c.env, line)
	if err != nil {
		return err
	}
	return c.exec.run(ctx, "notify.command", proc.Spec{
		Argv: proc.Shell(c.line), Dir: c.dir, Env: env, Timeout: sendTime, Role: c.role,
		Stdin: bytes.NewReader(append(line, '\n')),
	})
}

// prefix begins the names of the variables. What follows is the name in JSON.
const prefix = "REFRAIN_NOTIFY_"

// environ is the environment base with the message. What a message does not say
// is not set, even if base has it; settings with such a name, which may be
// secret, are not handed on either.
func environ(base []string, message []byte) ([]string, error) {
	var fields map[string]any
	dec := json.NewDecoder(bytes.NewReader(message))
	dec.UseNumber() // as it is written, not as a float
	if err := dec.Decode(&fields); err != nil {
		return nil, fmt.Errorf("read the message as JSON: %w", err)
	}
	env := slices.DeleteFunc(slices.Clone(base), func(v string) bool { return strings.HasPrefix(v, prefix) })
	for name, value := range fields {
		env = append(env, prefix+strings.ToUpper(name)+"="+strings.ReplaceAll(fmt.Sprint(value), "\x00", ""))
	}
	return env, nil
}
