package flow

import (
	"context"
	"errors"
	"fmt"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// keys are what the server has to know for runs to be found.
var keys = []temporal.SearchAttributeKey{attrName, attrID, attrState, attrRemote, attrProcedure, attrQueue, attrCost, attrIterations}

// prepare sees that the server knows what runs are found by. It is told once.
func (l *line) prepare(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.prepared {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	missing, err := l.missing(ctx)
	if err == nil && len(missing) > 0 {
		_, err = l.client.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
			Namespace: l.server.Namespace, SearchAttributes: missing,
		})
		var there *serviceerror.AlreadyExists // somebody else was faster
		if err == nil || errors.As(err, &there) {
			err = l.settle(ctx)
		}
	}
	denied, absent := (*serviceerror.PermissionDenied)(nil), (*serviceerror.Unimplemented)(nil)
	if errors.As(err, &denied) || errors.As(err, &absent) {
		return &fleet.ServerError{
			What: "the fleet's server does not let us name what runs are found by", Err: err,
			Do: "have somebody who may add these search attributes to namespace " + l.server.Namespace + ": " + listed(),
		}
	}
	l.prepared = err == nil
	return l.wrong(err)
}

// missing are the keys that the server does not know.
func (l *line) missing(ctx context.Context) (map[string]enums.IndexedValueType, error) {
	known, err := l.client.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: l.server.Namespace})
	if err != nil {
		return nil, err
	}
	missing := map[string]enums.IndexedValueType{}
	for _, key := range keys {
		if _, ok := known.GetCustomAttributes()[key.GetName()]; !ok {
			missing[key.GetName()] = key.GetValueType()
		}
	}
	return missing, nil
}

// settle waits until the server takes what it was told: it asks itself from time to time
// only.
func (l *line) settle(ctx context.Context) error {
	for {
		_, err := l.client.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Query: equals(attrID.GetName(), "")})
		var not *serviceerror.InvalidArgument
		if !errors.As(err, &not) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// listed is the keys with their kinds, for people.
func listed() string {
	var all string
	for i, key := range keys {
		if i > 0 {
			all += ", "
		}
		all += fmt.Sprintf("%s (%s)", key.GetName(), key.GetValueType())
	}
	return all
}
