package fakemodel

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// word is a choice that a script makes, and what there is to choose from.
type word struct {
	key, said string
	known     []string
}

// check finds words that the server would not understand: a misspelt script
// would play something else without a sound.
func (s Script) check() error {
	if len(s.Turns) == 0 {
		return errors.New("the script has no turns")
	}
	words := []word{
		{"index", s.Index, []string{"counter", "conversation"}},
		{"after", s.After, []string{"repeat", "loop", "stop"}},
		{"side", s.Side, []string{"no_tools", "never"}},
	}
	for _, t := range s.Turns {
		words = append(words, t.words()...)
	}
	for _, r := range s.Rules {
		words = append(words, r.Turn.words()...)
	}
	for _, w := range words {
		if w.said != "" && !slices.Contains(w.known, w.said) {
			return fmt.Errorf("unknown %s %q: use one of %s", w.key, w.said, strings.Join(w.known, ", "))
		}
	}
	return nil
}

func (t Turn) words() []word {
	words := []word{
		{"stop", t.Stop, []string{"end", "tool", "length", "refusal"}},
		{"hang", t.Hang, []string{"headers", "mid", "end"}},
		{"break", t.Break, []string{"mid", "error"}},
	}
	if t.Error != nil {
		words = append(words, word{"error kind", t.Error.Kind, slices.Sorted(maps.Keys(presets))})
	}
	return words
}
