package flow

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/text"
)

// Firing is the workflow of one time of a plan: it submits the run, and goes on as long as
// that does, so that the server knows not to submit the next one meanwhile.
func Firing(ctx workflow.Context, p fleet.Plan) error {
	spec := p.Spec
	spec.Name = firedName(workflow.GetInfo(ctx).WorkflowExecution.ID)
	spec.Branch = ownBranch(spec.Branch, p.Name, spec.Name)
	spec.Submitted = workflow.Now(ctx)
	id := workflow.SideEffect(ctx, func(workflow.Context) any { return journal.NewID() })
	if err := id.Get(&spec.ID); err != nil {
		return err
	}
	c := card{Row: begin(spec), Submitted: spec.Submitted}
	ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: runID(spec.Name), TaskQueue: flowQueue, ParentClosePolicy: enums.PARENT_CLOSE_POLICY_ABANDON,
		Memo: c.memo(), TypedSearchAttributes: temporal.NewSearchAttributes(c.attributes()...), Priority: priority(spec),
	})
	return workflow.ExecuteChildWorkflow(ctx, runType, spec, state{}).Get(ctx, nil)
}

// firedName is the name of the run of one firing. The server ends the id of the firing
// with when that was planned.
func firedName(id string) string {
	name := strings.TrimPrefix(id, firingID(""))
	const form = "2006-01-02T15:04:05Z"
	if cut := len(name) - len(form); cut > 0 {
		if at, err := time.Parse(form, name[cut:]); err == nil {
			return name[:cut] + at.Format("20060102-150405")
		}
	}
	return name
}

// ownBranch is the branch of one run of a plan: that of the plan, with the name of the run
// where it has a place for it or the plan's own, and else after it.
func ownBranch(branch, plan, run string) string {
	const place = "{{name}}"
	switch {
	case branch == "":
		return ""
	case strings.Contains(branch, place):
		return strings.ReplaceAll(branch, place, run)
	case strings.HasSuffix(branch, plan):
		return strings.TrimSuffix(branch, plan) + run
	}
	return branch + "-" + run
}

// when is when a plan fires, in the server's words.
func when(s string) (client.ScheduleSpec, error) {
	bad := &fleet.WrongError{
		What: "nobody knows when that is: " + text.Line(s),
		Do:   `say it as cron does ("0 2 * * *"), or "every 6h"; at most every minute`,
	}
	if every, ok := strings.CutPrefix(s, "every "); ok {
		d, err := time.ParseDuration(strings.TrimSpace(every))
		if err != nil || d < time.Minute {
			return client.ScheduleSpec{}, bad
		}
		return client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: d}}}, nil
	}
	if n := len(strings.Fields(s)); n != 5 && !strings.HasPrefix(s, "@") {
		return client.ScheduleSpec{}, bad
	}
	return client.ScheduleSpec{CronExpressions: []string{s}}, nil
}

// Schedule has a run submitted again and again.
func (s *Service) Schedule(ctx context.Context, p fleet.Plan) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	spec, err := when(p.When)
	if err != nil {
		return err
	}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	_, err = s.client.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: planID(p.Name), Spec: spec, Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP,
		Action: &client.ScheduleWorkflowAction{ID: firingID(p.Name), Workflow: firingType, Args: []any{p}, TaskQueue: flowQueue},
		Memo:   map[string]any{cardMemo: fleet.Planned{Name: p.Name, When: p.When, Remote: p.Spec.Remote}},
	})
	taken := (*serviceerror.WorkflowExecutionAlreadyStarted)(nil)
	if errors.Is(err, temporal.ErrScheduleAlreadyRunning) || errors.As(err, &taken) {
		return &fleet.WrongError{What: "there is a schedule " + p.Name + " already", Do: `take another name; or remove that one: refrain fleet schedule rm ` + p.Name}
	}
	return s.wrong(err)
}

// Schedules lists the plans there are.
func (s *Service) Schedules(ctx context.Context) ([]fleet.Planned, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	all, err := s.client.ScheduleClient().List(ctx, client.ScheduleListOptions{PageSize: page})
	if err != nil {
		return nil, s.wrong(err)
	}
	var plans []fleet.Planned
	for all.HasNext() {
		entry, err := all.Next()
		if err != nil {
			return nil, s.wrong(err)
		}
		kept, ok := entry.Memo.GetFields()[cardMemo]
		if !ok {
			continue // somebody else's
		}
		var p fleet.Planned
		if err := converter.GetDefaultDataConverter().FromPayload(kept, &p); err != nil {
			return nil, err
		}
		p.Next, p.Paused = entry.NextActionTimes, entry.Paused
		for _, fired := range entry.RecentActions {
			if w := fired.StartWorkflowResult; w != nil {
				p.Last = append(p.Last, firedName(w.WorkflowID))
			}
		}
		plans = append(plans, p)
	}
	slices.SortFunc(plans, func(a, b fleet.Planned) int { return strings.Compare(a.Name, b.Name) })
	return plans, nil
}

// Unschedule ends a plan. Runs that it has submitted go on.
func (s *Service) Unschedule(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	err := s.client.ScheduleClient().GetHandle(ctx, planID(name)).Delete(ctx)
	if none := (*serviceerror.NotFound)(nil); errors.As(err, &none) {
		return &fleet.UnknownError{What: "there is no schedule " + text.Line(name), Do: `"refrain fleet schedule ls" lists them`}
	}
	return s.wrong(err)
}
