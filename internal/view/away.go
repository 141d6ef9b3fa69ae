package view

import (
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// TurnedAway says what keeps an agent from its model.
func TurnedAway(a loop.Away, now time.Time) string {
	said := text.Line(strings.ReplaceAll(string(a.Kind), "_", " "))
	switch loop.Treat(a.Kind).Result {
	case loop.Limited:
		said = "usage limit"
		if a.Limit != nil {
			said += " (" + text.Line(a.Limit.Kind) + ")"
		}
	case loop.Unavailable:
		said = "the provider is unavailable (" + said + ")"
	}
	switch {
	case a.Kind == loop.ErrAuth:
		said = "not signed in"
	case a.Kind == loop.ErrBilling:
		said = "no credit left"
	}
	if a.Limit != nil && a.Limit.Until.After(a.At) {
		said += " until " + Clock(a.Limit.Until, now)
	}
	return said
}
