// Package small is looked at by a test.
package small

import "example.com/small/in"

// Wide has two methods in two files.
type Wide struct{ A, B int }

func (w *Wide) one() int {
	if w.A > 0 && w.B > 0 {
		for range w.A {
			w.far()
		}
		return near()
	} else if w.B > 3 {
		return in.Twice(w.B)
	}
	return 0
}

func near() int { return 1 }

// Sum is the same as another one.
func Sum(values []int) int {
	n := 0
	for _, v := range values {
		n += v
	}
	return n
}
