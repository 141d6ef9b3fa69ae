package rehearsal

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/refrain-loop/refrain/internal/setting"
)

// maxCount bounds the counts in a script, so that none overflows when it is
// multiplied.
const maxCount = 1_000_000

// values reads the fields of one step. The first error is kept, so that a verb
// reads all it needs and its maker stays a straight line.
type values struct {
	fields map[string]any
	err    error
}

func (f *values) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

// only refuses fields that do not go with the verb.
func (f *values) only(verb string, known []string) {
	for _, key := range slices.Sorted(maps.Keys(f.fields)) {
		if !slices.Contains(known, key) {
			f.fail("%s does not go with %s", key, verb)
		}
	}
}

// field gives a value of type T, or the zero value when there is none.
func field[T any](f *values, key, kind string) T {
	var zero T
	v, ok := f.fields[key]
	if !ok {
		return zero
	}
	got, ok := v.(T)
	if !ok {
		f.fail("%s is %v: write %s", key, v, kind)
		return zero
	}
	return got
}

func (f *values) text(key string) string { return field[string](f, key, "a text in quotes") }
func (f *values) flag(key string) bool   { return field[bool](f, key, "true or false") }

// some gives a text that must not be empty.
func (f *values) some(key string) string {
	text := f.text(key)
	if text == "" {
		f.fail("%s is empty", key)
	}
	return text
}

// yes checks a verb that has nothing more to say than true.
func (f *values) yes(key string) {
	if !f.flag(key) {
		f.fail("%s is not true: write true, or leave the step out", key)
	}
}

func (f *values) whole(key string, low, high, otherwise int) int {
	if _, ok := f.fields[key]; !ok {
		return otherwise
	}
	n := field[int64](f, key, "a whole number")
	if n < int64(low) || n > int64(high) {
		f.fail("%s is %d: write a number from %d to %d", key, n, low, high)
	}
	return int(n)
}

// money gives an amount; 1 is as good as 1.0.
func (f *values) money(key string) float64 {
	if n, ok := f.fields[key].(int64); ok {
		f.fields[key] = float64(n)
	}
	amount := field[float64](f, key, "a number")
	if amount < 0 || math.IsNaN(amount) || math.IsInf(amount, 0) { // TOML has all three
		f.fail("%s is %v: write a number from 0", key, amount)
	}
	return amount
}

func (f *values) duration(key string) time.Duration {
	said := f.text(key)
	d, err := setting.ReadDuration(said)
	if err != nil || d < 0 {
		f.fail("%s is %q: write a duration such as \"2s\" or \"1m30s\"", key, said)
	}
	return d
}

// path gives the path of a file below the working directory.
func (f *values) path(key string) string {
	path := filepath.FromSlash(f.some(key))
	if f.err == nil && (!filepath.IsLocal(path) || filepath.Clean(path) == ".") {
		f.fail("%s is %q: write a path below the working directory", key, path)
	}
	return path
}

// mode gives file permissions, 0 when there are none.
func (f *values) mode(key string) uint32 {
	text := f.text(key)
	if text == "" {
		return 0
	}
	bits, err := strconv.ParseUint(text, 8, 32)
	if err != nil || bits == 0 || bits > 0o777 {
		f.fail("%s is %q: write octal permissions such as \"0755\"", key, text)
	}
	return uint32(bits)
}
