package later

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is made when it is first needed: most
// commands never look for what runs later.
type pattern func() *regexp.Regexp

func compiled(expression string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
