package dispatch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/redact"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/text"
)

// sealed is the request as it is handed in. One that has a secret in it is not.
func sealed(dir string, req request.Request) (json.RawMessage, error) {
	masked := req.Masked()
	for i, f := range req.Flags {
		if f != masked.Flags[i] {
			return nil, secret(f.Name+" "+f.Key+" holds a secret", "")
		}
	}
	if !reflect.DeepEqual(req.Command, masked.Command) {
		return nil, secret("the command holds a secret", "")
	}
	body, err := json.Marshal(req)
	if err != nil {
		return nil, err
	}
	a, err := request.In(dir, req)
	if err != nil {
		return nil, err
	}
	hide := app.SecretsOf(a)
	return body, cmp.Or(without(hide, "the sentence", req.Words), without(hide, "what is wanted", json.RawMessage(body)))
}

// harmless refuses a run that has a secret anywhere else: in its name, in the address of
// its remote, in a branch.
func harmless(dir string, spec fleet.Spec) error {
	hide := app.Secrets(dir)
	return cmp.Or(
		without(hide, "the address of the remote", spec.Remote), without(hide, "the branch", spec.Branch),
		without(hide, "the base", spec.Base), without(hide, "the name", spec.Name), without(hide, "what would be handed in", spec),
	)
}

// without refuses what has a secret in it.
func without(hide *redact.Redactor, what string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if hidden := hide.Line(b); !bytes.Equal(hidden, b) {
		return secret(what+" holds a secret", nameOf(hidden))
	}
	return nil
}

// discreet is a fleet that hears no secret from us, whoever gives the order: a command,
// or a page.
type discreet struct {
	fleet.Service
	hide *redact.Redactor
}

func (d discreet) Order(ctx context.Context, run string, o fleet.Order) (fleet.Answer, error) {
	if err := without(d.hide, "what "+run+" would be told", o); err != nil {
		return fleet.Answer{}, err
	}
	return d.Service.Order(ctx, run, o)
}

func (d discreet) Schedule(ctx context.Context, p fleet.Plan) error {
	if err := without(d.hide, "what would be scheduled", p); err != nil {
		return err
	}
	return d.Service.Schedule(ctx, p)
}

// keyless refuses an address with a key in it: the server keeps addresses, and shows
// them. Who connects by ssh has a name there, and no more.
func keyless(name, address string) error {
	if !redact.InAddress(address) {
		return nil
	}
	if strings.Contains(name, "://") {
		name = redact.Address(name)
	}
	return cli.UsageError(
		"the address of "+name+" has a name or a key before the @, and nothing secret is handed to a fleet",
		"take it out of the URL, and let the workers have their own: git credentials, or an ssh key",
	)
}

func secret(what, name string) error {
	if name != "" {
		what += " (" + name + ")"
	}
	return cli.UsageError(what+", and nothing secret is handed to a fleet", "leave it out, and let the workers have it in their environment or their own settings")
}

// nameOf is the name of the first secret that was hidden.
func nameOf(hidden []byte) string {
	_, rest, ok := strings.Cut(string(hidden), "***")
	name, _, closed := strings.Cut(rest, "***")
	if !ok || !closed || len(name) > 64 {
		return ""
	}
	return text.Line(name)
}
