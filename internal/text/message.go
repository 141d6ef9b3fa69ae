package text

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

var placeholder = NewPattern(`\{([^{}\n]*)\}`)

// Placeholders are the names in braces, such as {iteration}, that Expand fills in.
func Placeholders(template string) []string {
	var names []string
	for _, m := range placeholder().FindAllStringSubmatch(template, -1) {
		names = append(names, m[1])
	}
	return names
}

// Expand fills in the names in braces, such as {iteration}. A name that has no
// value is an error that lists those that have one.
func Expand(template string, values map[string]string) (string, error) {
	var unknown []string
	expanded := placeholder().ReplaceAllStringFunc(template, func(found string) string {
		value, ok := values[found[1:len(found)-1]]
		if !ok {
			unknown = append(unknown, found)
		}
		return value
	})
	if len(unknown) > 0 {
		var known []string
		for _, name := range slices.Sorted(maps.Keys(values)) {
			known = append(known, "{"+name+"}")
		}
		return "", fmt.Errorf("template %q: %s is not known, only %s", template, unknown[0], strings.Join(known, " "))
	}
	return expanded, nil
}

var trailer = NewPattern(`^[A-Za-z0-9][A-Za-z0-9-]*: `)

// WithTrailers puts the trailers at the end of the message. Git reads only
// those of the last paragraph, so they join any that are there.
func WithTrailers(message string, trailers []string) string {
	message = strings.TrimSpace(message)
	if len(trailers) == 0 {
		return message + "\n"
	}
	between := "\n\n"
	if i := strings.LastIndex(message, "\n\n"); i >= 0 {
		last := strings.Split(message[i+2:], "\n")
		if !slices.ContainsFunc(last, func(line string) bool { return !trailer().MatchString(line) }) {
			between = "\n"
		}
	}
	return message + between + strings.Join(trailers, "\n") + "\n"
}
