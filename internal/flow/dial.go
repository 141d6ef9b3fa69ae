package flow

import (
	"context"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// dialTime is how long a server may take to answer for the first time.
const dialTime = 5 * time.Second

// Service is a fleet on a Temporal server.
type Service struct {
	server fleet.Server
	client client.Client
}

// Dial reaches a server.
func Dial(ctx context.Context, s fleet.Server) (*Service, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	c, err := client.DialContext(ctx, client.Options{
		HostPort: s.Address, Namespace: s.Namespace,
		ConnectionOptions: client.ConnectionOptions{GetSystemInfoTimeout: dialTime},
	})
	if err != nil {
		return nil, &fleet.UnreachableError{Address: s.Address, Err: err}
	}
	return &Service{server: s, client: c}, nil
}

// Close lets go of the server.
func (s *Service) Close() { s.client.Close() }
