package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/setting"
)

// The checks of single rows. Each completes the sentence that begins with the
// key, or is silent.

func below(v any) (what, hint string) {
	dir := v.(string)
	if dir == "" || filepath.IsLocal(filepath.FromSlash(dir)) {
		return "", ""
	}
	return "must be a folder below the work tree, not " + setting.Quote(dir), `write it without a leading "/" or ".."`
}

func allBelow(v any) (what, hint string) {
	for _, path := range v.([]string) {
		local := filepath.FromSlash(path)
		if !filepath.IsLocal(local) || filepath.Clean(local) == "." {
			return "must be paths below the work tree, not " + setting.Quote(path), `write them without a leading "/" or ".."`
		}
	}
	return "", ""
}

func someProgress(v any) (what, hint string) {
	if len(v.([]string)) > 0 {
		return "", ""
	}
	return "is empty, so nothing would count as progress", "set stop.no_progress = 0 to go on without progress"
}

func emptyOrNotBlank(v any) (what, hint string) {
	if s := v.(string); s == "" || strings.TrimSpace(s) != "" {
		return "", ""
	}
	return "must not be blank", `write "" for none`
}

func oneLine(v any) (what, hint string) {
	if !strings.ContainsAny(v.(string), "\r\n") {
		return "", ""
	}
	return "must be on one line", "shorten it"
}

// aPromise is a text that fits into the tag that claims it.
func aPromise(v any) (what, hint string) {
	s := v.(string)
	switch {
	case strings.ContainsAny(s, "\r\n"):
		return "must be on one line", "choose a word or a short sentence"
	case strings.Contains(s, "<promise>") || strings.Contains(s, "</promise>"):
		return "must not hold the tag itself", "write only the text that stands between the tags"
	}
	return emptyOrNotBlank(v)
}

func regexps(v any) (what, hint string) {
	for _, pattern := range v.([]string) {
		if _, err := regexp.Compile(pattern); err != nil {
			why := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
			return fmt.Sprintf("has a bad pattern %s: %s", setting.Quote(pattern), why), "write it in Go's regular expressions, and put a backslash before what is meant literally"
		}
	}
	return "", ""
}

func programs(v any) (what, hint string) {
	for _, name := range v.([]string) {
		if strings.ContainsAny(name, `/\`) {
			return "has " + setting.Quote(name) + ", which is a path", "write the name of the program's file alone"
		}
	}
	return "", ""
}

func commitTemplate(v any) (what, hint string) {
	return placeholders(v.(string), "iteration", "run", "procedure", "summary", "timestamp")
}

func branchTemplate(v any) (what, hint string) {
	return placeholders(v.(string), "timestamp", "procedure")
}

var placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

// placeholders complains about what stands in braces and is none of the names.
func placeholders(template string, names ...string) (what, hint string) {
	for _, m := range placeholder.FindAllStringSubmatch(template, -1) {
		if !slices.Contains(names, m[1]) {
			return "has " + m[0] + ", which stands for nothing", "use {" + strings.Join(names, "}, {") + "}"
		}
	}
	return "", ""
}

func eachOnce(v any) (what, hint string) {
	seen := map[string]bool{}
	for _, name := range v.([]string) {
		if seen[name] {
			return "has " + setting.Quote(name) + " twice", "write each once"
		}
		seen[name] = true
	}
	return "", ""
}

// iterationNumbers says what is wrong with a list of iterations.
func iterationNumbers(v any) (what, hint string) {
	for _, text := range v.([]string) {
		if n, err := strconv.Atoi(text); err != nil || n < 1 {
			return fmt.Sprintf("%q is no iteration", text), "write numbers from 1, such as [\"3\", \"10\"]"
		}
	}
	return "", ""
}
