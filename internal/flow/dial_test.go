package flow

import (
	"errors"
	"net"
	"testing"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// Where nothing listens, that is said at once and with what to do.
func TestNoServerIsSaid(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	_, err = Dial(t.Context(), fleet.Server{Address: address, Namespace: "default"})
	var none *fleet.UnreachableError
	if !errors.As(err, &none) || none.Address != address {
		t.Errorf("Dial where nothing listens = %v, want a fleet.UnreachableError", err)
	}
}
