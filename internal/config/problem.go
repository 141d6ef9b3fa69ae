package config

import (
	"fmt"
	"strings"
)

// Problem is one thing that is wrong with the settings, and where.
type Problem struct {
	File string `json:"file,omitempty"` // or the variable, or the flag
	Line int    `json:"line,omitempty"` // 0 outside a file
	Col  int    `json:"col,omitempty"`  // in bytes, from 1; 0 where only the line is known
	Key  string `json:"key,omitempty"`
	What string `json:"what"`
	Hint string `json:"hint,omitempty"`
}

// String is the problem on one line, without the hint.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	if p.Col > 0 {
		fmt.Fprintf(&b, ":%d", p.Col)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	return b.String() + p.What
}

// Errors is every problem found: at least one, in the order of the sources.
type Errors struct {
	Problems []Problem
}

// Error is the first problem, and how many more there are.
func (e *Errors) Error() string {
	first := e.Problems[0].String()
	if more := len(e.Problems) - 1; more > 0 {
		return fmt.Sprintf("%s (and %d more)", first, more)
	}
	return first
}

// Hint says what to do about the first problem; it may be empty.
func (e *Errors) Hint() string { return e.Problems[0].Hint }

// place is where something was written.
type place struct {
	file      string
	line, col int
}

// String is the place as people are shown it.
func (p place) String() string {
	if p.line == 0 {
		return p.file
	}
	return fmt.Sprintf("%s:%d", p.file, p.line)
}

func (p place) problem(key, what, hint string) Problem {
	return Problem{File: p.file, Line: p.line, Col: p.col, Key: key, What: what, Hint: hint}
}
