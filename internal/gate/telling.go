package gate

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// tellings are the ways in which tools say that something is not there, which
// is what a clean checkout fails of.
var tellings = text.NewPattern(strings.Join([]string{
	`Cannot find (?:module|package) '`, // node
	`Could not resolve "`,              // esbuild
	`Failed to resolve import `,        // vite
	`ModuleNotFoundError: `,            // python
	`ImportError: `,
	`No module named `,
	`cannot load such file -- `, // ruby
	`Could not find .+ in (?:any of the sources|locally installed gems|rubygems|cached gems)`,
	`Failed opening required '`, // php
	`Class "[^"]+" not found`,
	`Unchecked dependencies for environment`, // mix
	`NETSDK1004`,                             // dotnet: restore was not run
	`error NU[0-9]{4}`,
	`no required module provides package `, // go
	`missing go\.sum entry`,
	`pattern \S+: no matching files found`,
	`can't find crate for `, // cargo
	`package [\w.]+ does not exist`,
	`: (?:command )?not found\s*$`, // shells
	`command not found: `,
	`is not recognized as an internal or external command`,
	`No such file or directory`,
	`ENOENT: `,
	`FileNotFoundError: `,
	`[Ee]nvironment variable .*(?:not set|required|missing|undefined)`,
	`[Nn]ot a git repository`,
	`ECONNREFUSED`,
	`[Cc]onnection refused`,
	`[Pp]ermission denied`,
}, "|"))

const maxTelling = 160

// telling is the first line of an output that says what is missing, or nothing.
func telling(text string) string {
	for line := range strings.Lines(text) {
		if tellings().MatchString(line) {
			return oneLine(line, maxTelling)
		}
	}
	return ""
}

// absentPatterns are how shells name a program that is not there.
var absentPatterns = []text.Pattern{
	text.NewPattern(`(?:^|: )([^\s:]+): (?:command )?not found\s*$`),
	text.NewPattern(`command not found: (\S+)`),
	text.NewPattern(`['‘]([^'’]+)['’]: No such file or directory`),
}

// absent is the program that a telling line says is not there, or nothing.
func absent(line string) string {
	for _, p := range absentPatterns {
		if found := p().FindStringSubmatch(line); found != nil {
			return found[1]
		}
	}
	return ""
}
