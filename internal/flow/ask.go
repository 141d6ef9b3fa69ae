package flow

import (
	"context"
	"errors"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// Account is what a queue may use, and has used.
func (s *Service) Account(ctx context.Context, queue string, set *fleet.Allowance) (fleet.Account, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	a := fleet.Account{Queue: queue}
	if set != nil {
		err := s.ask(ctx, queue, allowUpdate, *set, &a)
		return a, s.wrong(err)
	}
	asked, err := s.client.QueryWorkflow(ctx, accountID(queue), "", standingQuery)
	if none := (*serviceerror.NotFound)(nil); errors.As(err, &none) {
		return a, nil // nobody has drawn yet: all of it is there
	}
	if err != nil {
		return a, s.wrong(err)
	}
	return a, asked.Get(&a)
}

// ask has the account of a queue do something, and begins it where there is none.
func (l *line) ask(ctx context.Context, queue, update string, arg, out any) error {
	start := l.client.NewWithStartWorkflowOperation(client.StartWorkflowOptions{
		ID: accountID(queue), TaskQueue: flowQueue, WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, accountType, book{Account: fleet.Account{Queue: queue}})
	h, err := l.client.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: start,
		UpdateOptions: client.UpdateWorkflowOptions{
			WorkflowID: accountID(queue), UpdateName: update, Args: []any{arg}, WaitForStage: client.WorkflowUpdateStageCompleted,
		},
	})
	if err != nil {
		return err
	}
	return h.Get(ctx, out)
}
