package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Longer texts and lists than these are in the files of the run.
const (
	mostText = 1000
	mostList = 20
)

// brief is an event as the journal writes it, without what an agent need not
// read again and again: the id of the run, and the sum of everything before.
func brief(e loop.Event) (map[string]any, error) {
	line, err := journal.Encode(e)
	if err != nil {
		return nil, err
	}
	var all map[string]any
	if err := json.Unmarshal(line, &all); err != nil {
		return nil, fmt.Errorf("read event %d: %w", e.Seq, err)
	}
	delete(all, "run")
	if _, sum := e.Payload.(*loop.IterationFinished); sum {
		delete(all, "state")
	}
	return shorten(all).(map[string]any), nil
}

// shorten cuts what is long in a value from JSON.
func shorten(v any) any {
	switch v := v.(type) {
	case string:
		if runes := []rune(v); len(runes) > mostText {
			return string(runes[:mostText]) + "…"
		}
	case []any:
		more := len(v) - mostList
		if more > 0 {
			v = v[:mostList:mostList]
		}
		for i := range v {
			v[i] = shorten(v[i])
		}
		if more > 0 {
			return append(v, fmt.Sprintf("… and %d more", more))
		}
		return v
	case map[string]any:
		for name := range v {
			v[name] = shorten(v[name])
		}
	}
	return v
}
