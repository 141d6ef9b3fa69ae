package flow

import (
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// The search attributes of a run.
var (
	attrName       = temporal.NewSearchAttributeKeyKeyword("RefrainName")
	attrID         = temporal.NewSearchAttributeKeyKeyword("RefrainID")
	attrState      = temporal.NewSearchAttributeKeyKeyword("RefrainState")
	attrRemote     = temporal.NewSearchAttributeKeyKeyword("RefrainRemote")
	attrProcedure  = temporal.NewSearchAttributeKeyKeyword("RefrainProcedure")
	attrQueue      = temporal.NewSearchAttributeKeyKeyword("RefrainQueue")
	attrCost       = temporal.NewSearchAttributeKeyFloat64("RefrainCost")
	attrIterations = temporal.NewSearchAttributeKeyInt64("RefrainIterations")
)

// card is what the server keeps beside a run, so that a list of runs asks nobody else.
type card struct {
	Row       fleet.Row `json:"row"`
	Submitted time.Time `json:"submitted"`
}

const cardMemo = "refrain" // the key of the card among what the server keeps

func (c card) memo() map[string]any { return map[string]any{cardMemo: c} }

// attributes are what runs are found by.
func (c card) attributes() []temporal.SearchAttributeUpdate {
	r := c.Row
	return append(c.changing(),
		attrName.ValueSet(r.Run), attrID.ValueSet(r.ID), attrRemote.ValueSet(r.Remote),
		attrProcedure.ValueSet(r.Procedure), attrQueue.ValueSet(r.Queue))
}

// changing are those that do not stay as they were when the run was submitted.
func (c card) changing() []temporal.SearchAttributeUpdate {
	r := c.Row
	return []temporal.SearchAttributeUpdate{
		attrState.ValueSet(string(r.State)), attrCost.ValueSet(r.CostUSD), attrIterations.ValueSet(int64(r.Iterations)),
	}
}

// found tells whether a run is found as before.
func (c card) found(before card) bool {
	a, b := c.Row, before.Row
	return a.State == b.State && a.CostUSD == b.CostUSD && a.Iterations == b.Iterations
}
