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
	return []temporal.SearchAttributeUpdate{
		attrName.ValueSet(r.Run), attrID.ValueSet(r.ID), attrState.ValueSet(string(r.State)),
		attrRemote.ValueSet(r.Remote), attrProcedure.ValueSet(r.Procedure), attrQueue.ValueSet(r.Queue),
		attrCost.ValueSet(r.CostUSD), attrIterations.ValueSet(int64(r.Iterations)),
	}
}
