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
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

const page = 500 // runs that the server gives at once

// List gives the runs that a filter lets through, the newest first.
func (s *Service) List(ctx context.Context, f fleet.Filter) ([]fleet.Row, error) {
	cards, err := s.search(ctx, query(f))
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(cards, func(a, b card) int { return b.Submitted.Compare(a.Submitted) })
	var rows []fleet.Row
	for _, c := range cards {
		if f.State == "" || c.Row.State == f.State {
			rows = append(rows, c.Row)
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

// search gives the cards of all runs that a query finds.
func (s *Service) search(ctx context.Context, query string) ([]card, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	var cards []card
	for next := []byte(nil); ; {
		found, err := s.client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: query, PageSize: page, NextPageToken: next})
		if err != nil {
			return nil, s.wrong(err)
		}
		for _, info := range found.Executions {
			c, err := read(info)
			if err != nil {
				return nil, err
			}
			cards = append(cards, c)
		}
		if next = found.NextPageToken; len(next) == 0 {
			return cards, nil
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

// Find gives one run.
func (s *Service) Find(ctx context.Context, word string) (fleet.Row, error) {
	if word == "" {
		return fleet.Row{}, &fleet.UnknownError{What: "no run is named", Do: `"refrain fleet ls" lists those the fleet knows`}
	}
	row, err := s.named(ctx, word)
	if unknown := (*fleet.UnknownError)(nil); !errors.As(err, &unknown) {
		return row, err
	}
	const prefix = "loop_"
	id := prefix + strings.TrimPrefix(word, prefix)
	cards, err := s.search(ctx, equals("WorkflowType", runType)+" AND ExecutionStatus != 'ContinuedAsNew' AND "+attrID.GetName()+" STARTS_WITH "+quote(id))
	if err != nil {
		return fleet.Row{}, err
	}
	switch names := names(cards); len(names) {
	case 0:
		return fleet.Row{}, &fleet.UnknownError{What: "the fleet knows no run " + text.Line(word), Do: `"refrain fleet ls" lists those it knows`}
	case 1:
		return s.named(ctx, names[0])
	default:
		return fleet.Row{}, &fleet.UnknownError{What: fmt.Sprintf("%s may be %s", text.Line(word), strings.Join(names, " or ")), Do: "say more of it"}
	}
}

func names(cards []card) []string {
	var names []string
	for _, c := range cards {
		names = append(names, c.Row.Run)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// named gives the newest run of a name, with what its live leg said last.
func (s *Service) named(ctx context.Context, name string) (fleet.Row, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	d, err := s.client.DescribeWorkflowExecution(ctx, runID(name), "")
	if none := (*serviceerror.NotFound)(nil); errors.As(err, &none) {
		return fleet.Row{}, &fleet.UnknownError{What: "the fleet knows no run " + text.Line(name), Do: `"refrain fleet ls" lists those it knows`}
	}
	if err != nil {
		return fleet.Row{}, s.wrong(err)
	}
	c, err := read(d.GetWorkflowExecutionInfo())
	for _, a := range d.GetPendingActivities() {
		var p fleet.Progress
		said := a.GetHeartbeatDetails().GetPayloads()
		if a.GetActivityType().GetName() != legType || len(said) == 0 || !c.Row.EndedAt.IsZero() {
			continue
		}
		if converter.GetDefaultDataConverter().FromPayload(said[0], &p) == nil && p.Leg == c.Row.Leg {
			c.Row = heard(c.Row, p)
		}
	}
	return c.Row, err
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
