package text

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that is made when it is first needed. Most
// commands need few of those that there are, and all of them together would take
// longer than many a command.
type Pattern func() *regexp.Regexp

// NewPattern takes an expression. Using it panics when it is none.
func NewPattern(expression string) Pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
