package tests

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

var (
	cargoResult  = regexp.MustCompile(`^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; \d+ filtered out(?:; finished in (\d+\.\d+s))?$`)
	cargoTest    = regexp.MustCompile(`^test (.+?)(?: - (?:should panic|compile fail|compile|ignore))? \.\.\. (ok|FAILED|ignored)(?:, .*)?(?: <\d+\.\d+s>)?$`)
	cargoRunning = regexp.MustCompile(`^running \d+ tests?$`)
	cargoBinary  = regexp.MustCompile(`^ +Running .*\((?:.*[/\\])?([^/\\]+)-[0-9a-f]{16}(?:\.exe)?\)$`)
	cargoDied    = regexp.MustCompile("^(?:test (.+?)(?: - should panic)? \\.\\.\\. )?error: (?:doc)?test failed, to rerun pass `(.+)`$")
	cargoBroken  = regexp.MustCompile("^error: could not compile `(.+)` (\\((?:lib|bin \"[^\"]+\") test\\)|\\(test \"[^\"]+\"\\)) due to ")
)

// cargo reads cargo test: one summary for each test binary and for the doc-tests
// of each crate. Tests go by the name of their binary, since two crates may well
// have a tests::it_works each. Benchmarks count as passed tests, and what a
// filter left out does not count.
type cargo struct {
	tally
	binary string // with its colons: what the tests' names begin with
	open   bool   // a binary runs and has not summed up yet

	passed, failed, skipped int      // of the open binary
	failing                 []string // of the open binary
	pending                 names    // of the open binary
	texts                   said
	talking                 *message // the failing test whose output is printed
	listing                 bool     // the failing tests are listed
	compiler                message  // the errors of what is being compiled
}

func (c *cargo) line(text string) {
	if text == "" {
		return
	}
	if c.open && c.failures(text) {
		return
	}
	switch text[0] {
	case ' ':
		c.indented(text)
	case 't':
		if !strings.HasPrefix(text, "test ") {
			break
		}
		if !c.test(text) && !c.result(text) {
			c.died(text)
		}
	case 'r':
		if strings.HasPrefix(text, "running ") && cargoRunning.MatchString(text) {
			c.end()
			c.open = true
		}
	case 'e':
		if strings.HasPrefix(text, "error") {
			c.errors(text)
		}
	}
}

// failures reads what is printed of failing tests before a binary sums up: the
// output of each, which may look like anything, and then their names.
func (c *cargo) failures(text string) bool {
	if text == "failures:" {
		c.talking, c.listing = nil, true
		return true
	}
	if name, ok := strings.CutPrefix(text, "---- "); ok {
		if name, ok := strings.CutSuffix(name, " stdout ----"); ok {
			c.talking, c.listing = c.texts.of(name), false
			return true
		}
	}
	if name, ok := strings.CutPrefix(text, "    "); ok && c.listing {
		c.fails(name)
		return true
	}
	if c.talking == nil || cargoDied.MatchString(text) {
		return false
	}
	c.talking.add(text)
	return true
}

// indented reads what cargo says between the binaries, and where the compiler
// found an error.
func (c *cargo) indented(text string) {
	switch word := strings.TrimLeft(text, " "); {
	case strings.HasPrefix(word, "Running "):
		if m := cargoBinary.FindStringSubmatch(text); m != nil {
			c.end()
			c.binary = keep(m[1]) + "::"
		}
	case strings.HasPrefix(word, "Doc-tests "):
		c.end()
		c.binary = "" // they are named after their files
	case strings.HasPrefix(word, "--> "):
		c.compiler.add(word)
	}
}

func (c *cargo) test(text string) bool {
	if !c.open {
		return false
	}
	m := cargoTest.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	switch m[2] {
	case "ok":
		c.passed++
		c.pending.put(m[1], Passed)
	case "ignored":
		c.skipped++
		c.pending.put(m[1], Skipped)
	case "FAILED":
		c.fails(m[1])
		c.failed++
	}
	return true
}

func (c *cargo) result(text string) bool {
	m := cargoResult.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	passed, ok1 := number(m[1])
	failed, ok2 := number(m[2])
	ignored, ok3 := number(m[3])
	measured, ok4 := number(m[4])
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return false
	}
	c.passed, c.failed, c.skipped = passed+measured, failed, ignored
	c.sum.Duration += duration(m[5])
	c.open = true
	c.end()
	return true
}

// errors reads an error of cargo or of the compiler.
func (c *cargo) errors(text string) {
	if m := cargoBroken.FindStringSubmatch(text); m != nil {
		c.add(0, 1, 0)
		c.name(m[1]+" "+m[2], c.compiler.String(), 0)
		c.compiler = message{}
		return
	}
	if !c.died(text) {
		c.compiler.add(text)
	}
}

// died reads that a binary failed. One that has not summed up died, if its tests
// ran one by one in the middle of a line.
func (c *cargo) died(text string) bool {
	m := cargoDied.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	if c.open {
		c.failed++
		c.fails(cmp.Or(m[1], m[2]))
	}
	c.end()
	return true
}

func (c *cargo) fails(name string) {
	c.pending.put(name, Failed)
	if len(c.failing) < mostFailing && !slices.Contains(c.failing, name) {
		c.failing = append(c.failing, keep(name))
	}
}

// end counts the open binary, if there is one.
func (c *cargo) end() {
	if c.open {
		c.add(c.passed, c.failed, c.skipped)
		c.take(&c.pending, c.binary, c.passed, c.skipped)
		for _, name := range c.failing {
			c.name(c.binary+name, c.texts.of(name).String(), 0)
		}
	}
	c.open = false
	c.passed, c.failed, c.skipped, c.failing, c.pending = 0, 0, 0, nil, names{}
	c.texts, c.talking, c.listing = nil, nil, false
}

func (c *cargo) report() (Report, bool) {
	end := *c
	end.tally = c.fork()
	if c.passed+c.failed+c.skipped > 0 {
		end.end() // cut off before the summary
	}
	return end.tally.report()
}
