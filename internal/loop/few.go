package loop

import "fmt"

// mostNamed is how many of a list are named where a sentence has to stay short.
const mostNamed = 5

// Few names the first of a list, and how many there are more.
func Few(names []string) string {
	said := ""
	for i, name := range names[:min(len(names), mostNamed)] {
		if i > 0 {
			said += ", "
		}
		said += name
	}
	if more := len(names) - mostNamed; more > 0 {
		said += fmt.Sprintf(" and %d more", more)
	}
	return said
}
