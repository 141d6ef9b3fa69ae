package harness

import (
	"strings"
	"sync"
)

// set is a list of words to look things up in. It is made when it is first
// asked: most commands never look at a test.
type set func() map[string]struct{}

// words makes a set of the words of a text.
func words(text string) set {
	return sync.OnceValue(func() map[string]struct{} {
		m := map[string]struct{}{}
		for w := range strings.FieldsSeq(text) {
			m[w] = struct{}{}
		}
		return m
	})
}

func (s set) has(word string) bool {
	_, ok := s()[word]
	return ok
}
