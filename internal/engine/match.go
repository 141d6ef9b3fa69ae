package engine

import (
	"regexp"
	"sync"
)

// matcher looks for the user's stop patterns on both streams at once.
type matcher struct {
	mu       sync.Mutex
	patterns []*regexp.Regexp
	found    map[string]bool
}

func newMatcher(patterns []*regexp.Regexp) *matcher {
	return &matcher{patterns: patterns, found: map[string]bool{}}
}

func (m *matcher) look(text string) {
	if len(m.patterns) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.patterns {
		if !m.found[p.String()] && p.MatchString(text) {
			m.found[p.String()] = true
		}
	}
}

// matched lists the patterns that were found, in the user's order.
func (m *matcher) matched() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []string
	for _, p := range m.patterns {
		if m.found[p.String()] {
			list = append(list, p.String())
		}
	}
	return list
}
