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
	if err := s.free(ctx, spec.ID); err != nil {
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

// free sees that a run is not under way already, by whatever name: two that drive it would
// take it from each other. What is listed may be a moment old, so each is asked for.
func (s *Service) free(ctx context.Context, id string) error {
	all, err := s.search(ctx, equals("WorkflowType", runType)+" AND ExecutionStatus = 'Running' AND "+equals(attrID.GetName(), id))
	if err != nil {
		return err
	}
	for _, one := range all {
		now, err := s.described(ctx, one.Row.Run, "")
		if gone := (*fleet.UnknownError)(nil); errors.As(err, &gone) {
			continue
		}
		if err != nil {
			return err
		}
		if now.Row.ID == id && now.Row.EndedAt.IsZero() {
			return &fleet.ExistsError{Run: now.Row.Run}
		}
	}
	return nil
}

// Order tells a run something, and waits for what comes of it.
func (s *Service) Order(ctx context.Context, word string, o fleet.Order) (fleet.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, orderTime)
	defer cancel()
	if err := check(o); err != nil {
		return fleet.Answer{}, &fleet.WrongError{What: err.Error(), Do: "say it again as \"refrain fleet --help\" has it"}
	}
	run, err := s.find(ctx, word)
	if err != nil {
		return fleet.Answer{}, err
	}
	if !run.Row.EndedAt.IsZero() {
		return fleet.Answer{}, &fleet.OverError{Run: run.Row.Run, State: run.Row.State}
	}
	a, err := s.give(ctx, run, o)
	if none := (*serviceerror.NotFound)(nil); errors.As(err, &none) {
		return a, s.over(ctx, run)
	}
	return a, s.wrong(err)
}

// give hands an order to this run, and to no other that has its name by now.
func (s *Service) give(ctx context.Context, run found, o fleet.Order) (a fleet.Answer, err error) {
	soon, cancel := context.WithTimeout(ctx, takeTime)
	defer cancel()
	h, err := s.client.UpdateWorkflow(soon, client.UpdateWorkflowOptions{
		WorkflowID: runID(run.Row.Run), FirstExecutionRunID: run.first,
		UpdateName: orderUpdate, Args: []any{o}, WaitForStage: client.WorkflowUpdateStageAccepted,
	})
	if err == nil {
		err = h.Get(ctx, &a)
	}
	return a, err
}

// over is the error of somebody who came too late.
func (s *Service) over(ctx context.Context, run found) error {
	now, err := s.still(ctx, run)
	if err != nil {
		return err
	}
	return &fleet.OverError{Run: now.Row.Run, State: now.Row.State}
}

// Wait waits until a run is over.
func (s *Service) Wait(ctx context.Context, word string) (fleet.Row, error) {
	run, err := s.find(ctx, word)
	if err != nil || !run.Row.EndedAt.IsZero() {
		return run.Row, err
	}
	if err := s.client.GetWorkflow(ctx, runID(run.Row.Run), run.at).Get(ctx, &run.Row); err != nil {
		if ended := (*temporal.WorkflowExecutionError)(nil); errors.As(err, &ended) {
			run, err = s.still(ctx, run)
			return run.Row, err
		}
		return run.Row, s.wrong(err)
	}
	return run.Row, nil
}
