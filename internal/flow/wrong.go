package flow

import (
	"context"
	"errors"
	"strings"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/text"
)

// wrong says in our words what the server, or the way to it, has against what was asked.
func (l *line) wrong(err error) error {
	if err == nil {
		return nil
	}
	var (
		ours      interface{ Hint() string }
		space     *serviceerror.NamespaceNotFound
		denied    *serviceerror.PermissionDenied
		invalid   *serviceerror.InvalidArgument
		down      *serviceerror.Unavailable
		late      *serviceerror.DeadlineExceeded
		lateOrder *client.WorkflowUpdateServiceTimeoutOrCanceledError
	)
	switch {
	case errors.As(err, &ours), errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &space):
		return &fleet.ServerError{
			What: "the fleet's server at " + l.server.Address + " has no namespace " + l.server.Namespace,
			Do:   "say which one it is with fleet.namespace, or have it made on the server",
		}
	case errors.As(err, &denied), strings.Contains(err.Error(), "Unauthenticated"):
		return &fleet.ServerError{
			What: "the fleet's server at " + l.server.Address + " does not let us in", Err: err,
			Do: "set REFRAIN_FLEET_API_KEY, or fleet.tls_cert and fleet.tls_key, to what namespace " + l.server.Namespace + " lets in",
		}
	case errors.As(err, &down):
		return l.unreachable(err)
	case errors.As(err, &lateOrder), errors.As(err, &late), errors.Is(err, context.DeadlineExceeded):
		return &fleet.SilentError{
			What: "the fleet's server at " + l.server.Address + " is there, but no worker has done what was asked in time",
			Do:   `see who is there with "refrain fleet workers"; start one with "refrain-worker work"`,
		}
	case errors.As(err, &invalid):
		return &fleet.WrongError{What: "the fleet's server does not take it: " + invalid.Message, Do: "change what was asked for"}
	}
	return err
}

// unreachable says that no server answers, or none that speaks as we do.
func (l *line) unreachable(err error) error {
	for _, sign := range []string{"tls:", "x509:", "authentication handshake"} {
		if strings.Contains(err.Error(), sign) {
			return &fleet.ServerError{
				What: "no safe connection to the fleet's server at " + l.server.Address, Err: err,
				Do: "see whether it wants one (fleet.tls), whom it believes (fleet.tls_cert, fleet.tls_key), and whom we do (fleet.tls_ca, fleet.tls_server_name)",
			}
		}
	}
	why := outer().ReplaceAllString(err.Error(), "")
	if strings.Contains(why, "server preface") { // it hung up, or waits for a handshake
		why += "; a server that wants a safe connection needs fleet.tls"
	}
	return &fleet.UnreachableError{Address: l.server.Address, Err: errors.New(why)}
}

// outer is what libraries put around the cause that a connection failed for.
var outer = text.NewPattern(`^failed reaching server: |connection error: desc = "?|transport: |Error while dialing: |"$`)
