package flow

import (
	"context"
	"errors"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// How long the server, and those who do what it says, have for an answer.
const (
	askTime   = 15 * time.Second
	takeTime  = 30 * time.Second // for somebody to take an order, where many runs are busy
	orderTime = 2 * time.Minute
)

// Submit hands a run to the fleet.
func (s *Service) Submit(ctx context.Context, spec fleet.Spec) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	if err := s.prepare(ctx); err != nil {
		return err
	}
	c := card{Row: begin(spec), Submitted: spec.Submitted}
	_, err := s.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: runID(spec.Name), TaskQueue: flowQueue,
		WorkflowIDReusePolicy:                    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		Memo:                                     c.memo(), TypedSearchAttributes: temporal.NewSearchAttributes(c.attributes()...),
		Priority: priority(spec),
	}, runType, spec, state{})
	if taken := (*serviceerror.WorkflowExecutionAlreadyStarted)(nil); errors.As(err, &taken) {
		return &fleet.ExistsError{Run: spec.Name}
	}
	return s.wrong(err)
}

// Order tells a run something, and waits for what comes of it.
func (s *Service) Order(ctx context.Context, word string, o fleet.Order) (fleet.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, orderTime)
	defer cancel()
	if err := check(o); err != nil {
		return fleet.Answer{}, &fleet.WrongError{What: err.Error(), Do: "say it again as \"refrain fleet --help\" has it"}
	}
	row, err := s.Find(ctx, word)
	if err != nil {
		return fleet.Answer{}, err
	}
	if !row.EndedAt.IsZero() {
		return fleet.Answer{}, &fleet.OverError{Run: row.Run, State: row.State}
	}
	soon, cancel := context.WithTimeout(ctx, takeTime)
	defer cancel()
	h, err := s.client.UpdateWorkflow(soon, client.UpdateWorkflowOptions{
		WorkflowID: runID(row.Run), UpdateName: orderUpdate, Args: []any{o}, WaitForStage: client.WorkflowUpdateStageAccepted,
	})
	var a fleet.Answer
	if err == nil {
		err = h.Get(ctx, &a)
	}
	if none := (*serviceerror.NotFound)(nil); errors.As(err, &none) {
		return a, s.over(ctx, row.Run)
	}
	return a, s.wrong(err)
}

// over is the error of somebody who came too late.
func (s *Service) over(ctx context.Context, run string) error {
	row, err := s.Find(ctx, run)
	if err != nil {
		return err
	}
	return &fleet.OverError{Run: row.Run, State: row.State}
}

// Wait waits until a run is over.
func (s *Service) Wait(ctx context.Context, word string) (fleet.Row, error) {
	row, err := s.Find(ctx, word)
	if err != nil || !row.EndedAt.IsZero() {
		return row, err
	}
	if err := s.client.GetWorkflow(ctx, runID(row.Run), "").Get(ctx, &row); err != nil {
		if ended := (*temporal.WorkflowExecutionError)(nil); errors.As(err, &ended) {
			return s.Find(ctx, word)
		}
		return row, s.wrong(err)
	}
	return row, nil
}
