package flow

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// dialTime is how long a server may take to answer for the first time.
const dialTime = 5 * time.Second

// Service is a fleet on a Temporal server.
type Service struct{ *line }

var _ fleet.Service = (*Service)(nil)

// line is the way to a server, and what we know of that.
type line struct {
	server fleet.Server
	client client.Client

	traces func(context.Context) // ends them

	mu       sync.Mutex
	prepared bool // it knows what runs are found by
}

// Dial reaches a server.
func Dial(ctx context.Context, at fleet.Server) (*Service, error) {
	l, err := reach(ctx, at)
	if err != nil {
		return nil, err
	}
	return &Service{l}, nil
}

func reach(ctx context.Context, at fleet.Server) (*line, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	l := &line{server: at}
	safe, err := secure(at)
	if err != nil {
		return nil, err
	}
	spans, end, err := tracing(ctx)
	if err != nil {
		return nil, err
	}
	l.traces = end
	o := client.Options{
		Interceptors: spans,
		HostPort:     at.Address, Namespace: at.Namespace, Logger: quietLogger(),
		ConnectionOptions: client.ConnectionOptions{GetSystemInfoTimeout: dialTime, TLS: safe, TLSDisabled: safe == nil},
	}
	if at.APIKey != "" {
		o.Credentials = client.NewAPIKeyStaticCredentials(at.APIKey)
	}
	if l.client, err = client.DialContext(ctx, o); err != nil {
		end(ctx)
		return nil, l.unanswered(err)
	}
	if err := l.known(ctx); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// unanswered is a server that has said nothing yet: whatever is wrong, it is the way there.
func (l *line) unanswered(err error) error {
	said := l.wrong(err)
	if silent := (*fleet.SilentError)(nil); errors.As(said, &silent) || errors.Is(said, err) {
		return l.unreachable(err)
	}
	return said
}

// known sees that the server has our namespace, and lets us in.
func (l *line) known(ctx context.Context) error {
	_, err := l.client.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: l.server.Namespace})
	return l.wrong(err)
}

// Close lets go of the server.
func (l *line) Close() {
	l.client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), dialTime)
	defer cancel()
	l.traces(ctx)
}
