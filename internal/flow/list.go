package flow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enums "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

const page = 500 // runs that the server gives at once

// List gives the runs that a filter lets through, the newest first.
func (s *Service) List(ctx context.Context, f fleet.Filter) ([]fleet.Row, error) {
	all, err := s.search(ctx, query(f))
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b found) int { return b.Submitted.Compare(a.Submitted) })
	var rows []fleet.Row
	for _, one := range all {
		if f.State == "" || one.Row.State == f.State {
			rows = append(rows, one.Row)
		}
	}
	if f.Most > 0 && len(rows) > f.Most {
		rows = rows[:f.Most]
	}
	return rows, nil
}

// query is a filter in the server's words.
func query(f fleet.Filter) string {
	terms := []string{equals("WorkflowType", runType), "ExecutionStatus != 'ContinuedAsNew'"}
	if !f.Over && !f.State.Ended() {
		terms = append(terms, "ExecutionStatus = 'Running'")
	}
	if f.State != "" && f.State != loop.Stopped && f.State != loop.CouldNotRun { // the server may have ended a run, too
		terms = append(terms, equals(attrState.GetName(), string(f.State)))
	}
	for _, t := range []struct {
		key   temporal.SearchAttributeKey
		value string
	}{{attrRemote, f.Remote}, {attrQueue, f.Queue}} {
		if t.value != "" {
			terms = append(terms, equals(t.key.GetName(), t.value))
		}
	}
	return strings.Join(terms, " AND ")
}

// equals is one condition; nothing in a value ends it.
func equals(key, value string) string { return key + " = " + quote(value) }

func quote(value string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "'"
}

// search gives all runs that a query finds.
func (s *Service) search(ctx context.Context, query string) ([]found, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	var all []found
	for next := []byte(nil); ; {
		some, err := s.client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: query, PageSize: page, NextPageToken: next})
		if err != nil {
			return nil, s.wrong(err)
		}
		for _, info := range some.Executions {
			c, err := read(info)
			if err != nil {
				return nil, err
			}
			all = append(all, found{card: c, at: info.GetExecution().GetRunId()})
		}
		if next = some.NextPageToken; len(next) == 0 {
			return all, nil
		}
	}
}

// read is what the server keeps beside a run.
func read(info *workflowpb.WorkflowExecutionInfo) (card, error) {
	var c card
	if err := fromMemo(info.GetMemo(), &c); err != nil {
		return c, fmt.Errorf("read what the fleet's server has of %s: %w", info.GetExecution().GetWorkflowId(), err)
	}
	switch info.GetStatus() {
	case enums.WORKFLOW_EXECUTION_STATUS_TERMINATED, enums.WORKFLOW_EXECUTION_STATUS_CANCELED, enums.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:
		c.Row.State, c.Row.Why = loop.Stopped, "it was ended on the fleet's server"
	case enums.WORKFLOW_EXECUTION_STATUS_FAILED:
		c.Row.State, c.Row.Why = loop.CouldNotRun, "the fleet's server could not go on with it"
	default:
		return c, nil
	}
	c.Row.Live = false
	c.Row.EndedAt = info.GetCloseTime().AsTime()
	return c, nil
}

func fromMemo(m *commonpb.Memo, c any) error {
	kept, ok := m.GetFields()[cardMemo]
	if !ok {
		return errors.New("there is nothing")
	}
	return converter.GetDefaultDataConverter().FromPayload(kept, c)
}

// Workers are those who have asked for work lately.
func (s *Service) Workers(ctx context.Context, queue string) ([]fleet.Worker, error) {
	queues := []string{queue}
	if queue == "" {
		var err error
		if queues, err = s.queues(ctx); err != nil {
			return nil, err
		}
	}
	var workers []fleet.Worker
	for _, q := range queues {
		a, err := s.Account(ctx, q, nil)
		if err != nil {
			return nil, err
		}
		workers = append(workers, live(a, time.Now()).Workers()...)
	}
	return workers, nil
}

// queues are those that workers have drawn from.
func (s *Service) queues(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	var queues []string
	for next := []byte(nil); ; {
		found, err := s.client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
			Query: equals("WorkflowType", accountType) + " AND ExecutionStatus = 'Running'", PageSize: page, NextPageToken: next,
		})
		if err != nil {
			return nil, s.wrong(err)
		}
		for _, info := range found.Executions {
			if queue, ok := strings.CutPrefix(info.GetExecution().GetWorkflowId(), accountID("")); ok {
				queues = append(queues, queue)
			}
		}
		if next = found.NextPageToken; len(next) == 0 {
			slices.Sort(queues)
			return queues, nil
		}
	}
}
