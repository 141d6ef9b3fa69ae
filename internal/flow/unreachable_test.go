package flow

import (
	"errors"
	"testing"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// What the libraries put around the cause is not for people; and a server that hangs up
// may be one that starts, so it is tried again.
func TestWhyAServerCannotBeReached(t *testing.T) {
	l := &line{server: fleet.Server{Address: "fleet:7233"}}
	for said, want := range map[string]string{
		`failed reaching server: connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:7233: connect: connection refused"`: "no fleet server answers at fleet:7233: dial tcp 127.0.0.1:7233: connect: connection refused",
		`failed reaching server: connection error: desc = "error reading server preface: EOF"`:                                                    "no fleet server answers at fleet:7233: error reading server preface: EOF; a server that wants a safe connection needs fleet.tls",
		"context deadline exceeded": "no fleet server answers at fleet:7233: context deadline exceeded",
	} {
		err := l.unreachable(errors.New(said))
		var away *fleet.UnreachableError
		if !errors.As(err, &away) || err.Error() != want {
			t.Errorf("%s\nis told as %v (%T)\nwant         %s", said, err, err, want)
		}
	}
	var unsafe *fleet.ServerError
	if err := l.unreachable(errors.New(`connection error: desc = "transport: authentication handshake failed: tls: first record does not look like a TLS handshake"`)); !errors.As(err, &unsafe) {
		t.Errorf("without a handshake: %v", err)
	}
}
