package tests

import (
	"regexp"
	"strings"
)

var bunRan = regexp.MustCompile(`^Ran (\d+) tests? across \d+ files?\. \[(.+)\]$`)

// bun reads bun test. Its counts come before the line that ends the run; a run
// that it gave up early has none.
type bun struct {
	run
	on     bool // the tests are running
	again  bool // results are being repeated
	file   string
	why    *message // what was said on the test whose result comes next
	counts map[string]int
}

func (b *bun) line(text string) {
	if text == "" {
		return
	}
	switch text[0] {
	case 'b':
		if strings.HasPrefix(text, "bun test v") {
			b.next()
			*b = bun{run: b.run, on: true}
			return
		}
	case 'R':
		if m := bunRan.FindStringSubmatch(text); m != nil {
			b.ran(m[2])
			return
		}
	case 'N':
		if b.on && text == "No tests found!" {
			b.sumUp(0, 0, 0)
		}
	case 'T':
		if b.on && text == "The following filters did not match any test files:" {
			b.sumUp(0, 0, 0)
		}
	case ' ', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if b.counted(strings.TrimPrefix(text, " ")) {
			return
		}
	}
	if b.on {
		b.during(text)
	}
}

// counted reads " 2 pass" and the counts that follow it.
func (b *bun) counted(text string) bool {
	count, what, _ := strings.Cut(text, " ")
	n, ok := number(count)
	if !ok {
		return false
	}
	switch what {
	case "pass":
		b.counts = map[string]int{what: n}
	case "fail", "skip", "todo", "error", "errors":
		if b.counts == nil {
			return false
		}
		b.counts[what] = n
	default:
		b.again = b.again || b.on && (strings.HasSuffix(what, " failed:") || strings.HasSuffix(what, " skipped:") || strings.HasSuffix(what, " todo:"))
		return b.again
	}
	return true
}

func (b *bun) ran(took string) {
	if b.counts != nil {
		failed := max(b.counts["fail"], b.counts["error"]+b.counts["errors"])
		b.sumUp(b.counts["pass"], failed, b.counts["skip"]+b.counts["todo"])
	}
	b.next()
	b.sum.Duration += spelt(took)
	*b = bun{run: b.run}
}

// during reads a line while the tests run: a file's name, a result, or what is
// said on the result to come.
func (b *bun) during(text string) {
	if file, ok := strings.CutSuffix(text, ":"); ok && bunFile(file) {
		b.file, b.why = strings.Clone(short(file)), nil
		b.hush()
		return
	}
	if text == "# Unhandled error between tests" {
		b.fail(b.file, 0)
		return
	}
	mark, name, _ := strings.Cut(text, " ")
	switch mark {
	case "(pass)", "✓", "(skip)", "»", "(todo)", "✎", "(fail)", "✗":
		b.result(mark, name)
		return
	}
	if strings.Trim(text, "-") == "" || excerpt(text) {
		return
	}
	if b.telling != nil {
		b.say(text)
		return
	}
	if b.why == nil && !strings.HasPrefix(text, "error: ") && !strings.Contains(mark, "Error:") {
		return
	}
	if b.why == nil {
		b.why = new(message)
	}
	if !strings.HasPrefix(strings.TrimLeft(text, " "), "at ") {
		b.why.add(text)
	}
}

// result reads "(fail) suite > test [0.28ms]", which in colour begins with a mark.
func (b *bun) result(mark, name string) {
	why := b.why
	b.why = nil
	b.hush()
	if b.again {
		return
	}
	var took string
	if i := strings.LastIndex(name, " ["); i > 0 && strings.HasSuffix(name, "]") {
		name, took = name[:i], name[i+2:len(name)-1]
	}
	if b.file != "" {
		name = b.file + " > " + name
	}
	switch mark {
	case "(pass)", "✓":
		b.pass(name)
	case "(skip)", "»", "(todo)", "✎":
		b.skip(name)
	default:
		b.fail(name, spelt(took))
		if b.telling != nil && why != nil {
			b.say(why.String())
		}
		b.hush()
	}
}

// bunFile tells whether a name is that of a file that bun test runs.
func bunFile(name string) bool {
	if !script(name) {
		return false
	}
	return strings.Contains(name, ".test.") || strings.Contains(name, "_test.") || strings.Contains(name, ".spec.") || strings.Contains(name, "_spec.")
}
