package flow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/converter"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/text"
)

// found is a run on the server, and which of all that have had its name.
type found struct {
	card
	at    string // the workflow of it, as the server calls that
	first string // the one that it began as; empty: nobody has asked
}

const idPrefix = "loop_" // people may leave it out

// Find gives one run.
func (s *Service) Find(ctx context.Context, word string) (fleet.Row, error) {
	f, err := s.find(ctx, word)
	return f.Row, err
}

// find gives the newest run of a name, or the one run of an id.
func (s *Service) find(ctx context.Context, word string) (found, error) {
	if word == "" {
		return found{}, &fleet.UnknownError{What: "no run is named", Do: `"refrain fleet ls" lists those the fleet knows`}
	}
	f, err := s.described(ctx, word, "")
	if unknown := (*fleet.UnknownError)(nil); !errors.As(err, &unknown) {
		return f, err
	}
	id := idPrefix + strings.TrimPrefix(word, idPrefix)
	all, err := s.search(ctx, equals("WorkflowType", runType)+" AND ExecutionStatus != 'ContinuedAsNew' AND "+attrID.GetName()+" STARTS_WITH "+quote(id))
	if err != nil {
		return found{}, err
	}
	if exact := slices.DeleteFunc(slices.Clone(all), func(f found) bool { return f.Row.ID != id }); len(exact) > 0 {
		all = exact
	}
	if len(all) == 0 {
		return found{}, unknown(word)
	}
	slices.SortStableFunc(all, newest)
	if who := words(all); len(who) > 1 {
		return found{}, &fleet.UnknownError{What: fmt.Sprintf("%s may be %s", text.Line(word), strings.Join(who, " or ")), Do: "say more of it"}
	}
	return s.still(ctx, all[0])
}

// newest has those that are under way come before those that are over, and then the newest.
func newest(a, b found) int {
	if over := !a.Row.EndedAt.IsZero(); over != !b.Row.EndedAt.IsZero() {
		if over {
			return 1
		}
		return -1
	}
	return b.Submitted.Compare(a.Submitted)
}

// words is what tells runs apart: their names, and their ids where one name was had by more.
func words(all []found) []string {
	ids := map[string]map[string]bool{}
	for _, f := range all {
		if ids[f.Row.Run] == nil {
			ids[f.Row.Run] = map[string]bool{}
		}
		ids[f.Row.Run][f.Row.ID] = true
	}
	var list []string
	for _, f := range all {
		word := f.Row.Run
		if len(ids[word]) > 1 {
			word = f.Row.ID
		}
		list = append(list, word)
	}
	if one := all[0].Row.ID; !slices.ContainsFunc(all, func(f found) bool { return f.Row.ID != one }) {
		return list[:1] // it was handed in again, under another name maybe
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// still is how a run stands now. Its name may be another's by then, and its history may
// have begun anew.
func (s *Service) still(ctx context.Context, f found) (found, error) {
	now, err := s.described(ctx, f.Row.Run, "")
	if err != nil || now.Row.ID == f.Row.ID && (f.first == "" || f.first == now.first) {
		return now, err
	}
	return s.described(ctx, f.Row.Run, f.at)
}

// described gives a run of a name, the newest or another, with what its live leg said last.
func (s *Service) described(ctx context.Context, name, at string) (found, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	d, err := s.client.DescribeWorkflowExecution(ctx, runID(name), at)
	if none := (*serviceerror.NotFound)(nil); errors.As(err, &none) {
		return found{}, unknown(name)
	}
	if err != nil {
		return found{}, s.wrong(err)
	}
	info := d.GetWorkflowExecutionInfo()
	f := found{at: info.GetExecution().GetRunId(), first: info.GetFirstRunId()}
	f.card, err = read(info)
	for _, a := range d.GetPendingActivities() {
		var p fleet.Progress
		said := a.GetHeartbeatDetails().GetPayloads()
		if a.GetActivityType().GetName() != legType || len(said) == 0 || !f.Row.EndedAt.IsZero() {
			continue
		}
		if converter.GetDefaultDataConverter().FromPayload(said[0], &p) == nil && p.Leg == f.Row.Leg {
			f.Row = heard(f.Row, p)
		}
	}
	return f, err
}

func unknown(word string) error {
	return &fleet.UnknownError{What: "the fleet knows no run " + text.Line(word), Do: `"refrain fleet ls" lists those it knows`}
}
