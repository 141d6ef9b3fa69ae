// Package wellformed says what a value of a setting must look like: an address, a
// path, the hours of a day, a promise. A check gives what is wrong with a value and
// what to do, to follow the key in a sentence; both are empty for a good one. Which
// key wants which is for package config to say.
package wellformed

import (
	"fmt"
	"net/mail"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/refrain-loop/refrain/internal/proxy"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
)

// EmptyOrNotBlank is nothing at all, or a text that can be seen.
func EmptyOrNotBlank(v any) (what, hint string) {
	if s := v.(string); s == "" || strings.TrimSpace(s) != "" {
		return "", ""
	}
	return "must not be blank", `write "" for none`
}

// OneLine is a text on one line.
func OneLine(v any) (what, hint string) {
	if !strings.ContainsAny(v.(string), "\r\n") {
		return "", ""
	}
	return "must be on one line", "shorten it"
}

// Promise is a text that fits into the tag that claims it.
func Promise(v any) (what, hint string) {
	s := v.(string)
	switch {
	case strings.ContainsAny(s, "\r\n"):
		return "must be on one line", "choose a word or a short sentence"
	case strings.Contains(s, "<promise>") || strings.Contains(s, "</promise>"):
		return "must not hold the tag itself", "write only the text that stands between the tags"
	}
	return EmptyOrNotBlank(v)
}

// NoFlag refuses what an agent's program would take for a flag of its own.
func NoFlag(v any) (what, hint string) {
	if strings.HasPrefix(strings.TrimSpace(v.(string)), "-") {
		return "must not begin with -, not " + setting.Quote(v.(string)), "write the model's name; flags of an agent go into agents.NAME.command"
	}
	return "", ""
}

// Placeholders complains about what stands in braces and is none of the names.
func Placeholders(template string, names ...string) (what, hint string) {
	for _, name := range text.Placeholders(template) {
		if !slices.Contains(names, name) {
			return "has {" + name + "}, which stands for nothing", "use {" + strings.Join(names, "}, {") + "}"
		}
	}
	return "", ""
}

// EachOnce is a list in which nothing comes twice.
func EachOnce(v any) (what, hint string) {
	seen := map[string]bool{}
	for _, name := range v.([]string) {
		if seen[name] {
			return "has " + setting.Quote(name) + " twice", "write each once"
		}
		seen[name] = true
	}
	return "", ""
}

// IterationNumbers says what is wrong with a list of iterations.
func IterationNumbers(v any) (what, hint string) {
	for _, text := range v.([]string) {
		if n, err := strconv.Atoi(text); err != nil || n < 1 {
			return fmt.Sprintf("%q is not an iteration", text), "write numbers from 1, such as [\"3\", \"10\"]"
		}
	}
	return "", ""
}

// Hours is for a span of a day, which may go past midnight.
func Hours(v any) (what, hint string) {
	s := v.(string)
	from, to, _ := strings.Cut(s, "-")
	begin, errBegin := time.Parse("15:04", strings.TrimSpace(from))
	end, errEnd := time.Parse("15:04", strings.TrimSpace(to))
	if s == "" || errBegin == nil && errEnd == nil && !begin.Equal(end) {
		return "", ""
	}
	return "must be two times of the day, not " + setting.Quote(s), "write it like 22:00-07:00"
}

// Below is a folder below the work tree.
func Below(v any) (what, hint string) {
	dir := v.(string)
	if dir == "" || filepath.IsLocal(filepath.FromSlash(dir)) {
		return "", ""
	}
	return "must be a folder below the work tree, not " + setting.Quote(dir), `write it without a leading "/" or ".."`
}

// AllBelow is paths below the work tree.
func AllBelow(v any) (what, hint string) {
	for _, path := range v.([]string) {
		local := filepath.FromSlash(path)
		if !filepath.IsLocal(local) || filepath.Clean(local) == "." {
			return "must be paths below the work tree, not " + setting.Quote(path), `write them without a leading "/" or ".."`
		}
	}
	return "", ""
}

// AbsolutePaths refuses folders that would be others in another place.
func AbsolutePaths(v any) (what, hint string) {
	for _, path := range v.([]string) {
		if path != "~" && !strings.HasPrefix(path, "~/") && !filepath.IsAbs(path) {
			return "must hold whole paths, not " + setting.Quote(path), "begin it with / or ~/"
		}
	}
	return "", ""
}

// Hidden is paths that a sandbox hides.
func Hidden(v any) (what, hint string) {
	if i := slices.IndexFunc(v.([]string), isRoot); i >= 0 {
		return "has " + setting.Quote(v.([]string)[i]) + ", which is all there is", "name what should not be read"
	}
	return AbsolutePaths(v)
}

// isRoot tells whether everything is below a path.
func isRoot(path string) bool {
	path = filepath.Clean(path)
	return filepath.IsAbs(path) && path == filepath.Dir(path)
}

// Programs is names of programs, not paths to them.
func Programs(v any) (what, hint string) {
	for _, name := range v.([]string) {
		if strings.ContainsAny(name, `/\`) {
			return "has " + setting.Quote(name) + ", which is a path", "write the name of the program's file alone"
		}
	}
	return "", ""
}

// Openings is what can be let into a sandbox by its name.
var Openings = []string{"dbus", "display", "docker", "gpg", "ssh"}

// Allowed is what a sandbox may let in: paths, and names of Openings.
func Allowed(v any) (what, hint string) {
	for _, one := range v.([]string) {
		if isRoot(one) {
			return "has " + setting.Quote(one) + ", which is all there is", "name what is to be changed; --sandbox none does without a sandbox"
		}
		if !slices.Contains(Openings, one) && one != "~" && !strings.HasPrefix(one, "~/") && !filepath.IsAbs(one) {
			return "has " + setting.Quote(one) + ", which is neither a whole path nor one of " + strings.Join(Openings, ", "), "begin a path with / or ~/"
		}
	}
	return "", ""
}

// Hosts is hosts of the network, and ports of them.
func Hosts(v any) (what, hint string) {
	for _, host := range v.([]string) {
		if err := proxy.Valid(host); err != nil {
			return "has a host that can not be: " + text.Line(err.Error()), "write \"example.com\", \".example.com\" for all below it, or HOST:PORT"
		}
	}
	return "", ""
}

// VariablePatterns is names of variables, and patterns of such.
func VariablePatterns(v any) (what, hint string) {
	for _, pattern := range v.([]string) {
		if _, err := path.Match(pattern, ""); err != nil || strings.ContainsAny(pattern, "= /") {
			return "has " + setting.Quote(pattern) + ", which is neither the name of a variable nor a pattern", "write names alone, such as \"OPENAI_API_KEY\" or \"OPENAI_*\""
		}
	}
	return "", ""
}

// WebAddress is an address of the web, or none.
func WebAddress(v any) (what, hint string) {
	s := v.(string)
	u, err := url.Parse(s)
	if s == "" || err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && !strings.ContainsFunc(s, unicode.IsSpace) {
		return "", ""
	}
	return "must be an address of the web", "write it like https://HOST/PATH"
}

// TraceAddress is for an address that is shown.
func TraceAddress(v any) (what, hint string) {
	if what, hint = WebAddress(v); what != "" {
		return what, hint
	}
	if u, err := url.Parse(v.(string)); err == nil && u.User != nil {
		return "must not hold a password", "write it in trace.headers, which is never shown"
	}
	return "", ""
}

// TopicAddress is for the address of a topic, not that of its server.
func TopicAddress(v any) (what, hint string) {
	if what, hint = WebAddress(v); what != "" {
		return what, hint
	}
	if u, err := url.Parse(v.(string)); v != "" && err == nil && strings.Trim(u.Path, "/") == "" {
		return "names no topic", "write it like https://ntfy.sh/TOPIC"
	}
	return "", ""
}

// Loopback is for an address that nobody else can reach.
func Loopback(v any) (what, hint string) {
	const example = "write it like 127.0.0.1:9464"
	s := v.(string)
	host, ok := text.SplitHost(s)
	switch {
	case s == "" || ok && text.IsLoopback(host):
		return "", ""
	case ok || strings.HasPrefix(s, ":"):
		return "must be an address that only this machine can reach, not " + setting.Quote(s), example
	}
	return "must be a host and a port, not " + setting.Quote(s), example
}

// As RFC 9110 has it: what cannot end the header and begin another one.
var goodHeaderName = text.NewPattern("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// HeaderName is the name of a header.
func HeaderName(name string) (what, hint string) {
	if goodHeaderName().MatchString(name) {
		return "", ""
	}
	return setting.Quote(name) + " is not a name for a header", "use letters, digits and -"
}

// HeaderValue is the value of a header.
func HeaderValue(v any) (what, hint string) {
	if strings.ContainsFunc(v.(string), unicode.IsControl) {
		return "must be on one line, without control characters", "write it as one text"
	}
	return "", ""
}

// MailAddress is an address of e-mail, or none.
func MailAddress(v any) (what, hint string) {
	s := v.(string)
	if _, err := mail.ParseAddress(s); s == "" || err == nil {
		return "", ""
	}
	return "must be an e-mail address, not " + setting.Quote(s), "write it like name@example.com"
}

// MailAddresses is addresses of e-mail.
func MailAddresses(v any) (what, hint string) {
	for _, s := range v.([]string) {
		if _, err := mail.ParseAddress(s); err != nil {
			return "has " + setting.Quote(s) + ", which is not an e-mail address", "write it like name@example.com"
		}
	}
	return "", ""
}

// MailServer is for a host, with or without a port.
func MailServer(v any) (what, hint string) {
	s := v.(string)
	if _, ok := text.SplitHost(s); s == "" || ok || goodHost().MatchString(s) {
		return "", ""
	}
	return "must be a host, or a host and a port, not " + setting.Quote(s), "write it like smtp.example.com or smtp.example.com:465"
}

var goodHost = text.NewPattern(`^[A-Za-z0-9.-]+$`)

// ImageName is the name of an image of containers, or none.
func ImageName(v any) (what, hint string) {
	if s := v.(string); strings.HasPrefix(s, "-") || strings.ContainsAny(s, " \t\n") {
		return "is " + setting.Quote(s) + ", which is not the name of an image", "write it as docker does, such as \"node:22\""
	}
	return "", ""
}
