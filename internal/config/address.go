package config

import (
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/refrain-loop/refrain/internal/setting"
)

// The checks of rows that say whom to tell, where and when. Those of secret
// rows do not repeat what was written.

func webAddress(v any) (what, hint string) {
	s := v.(string)
	u, err := url.Parse(s)
	if s == "" || err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && !strings.ContainsFunc(s, unicode.IsSpace) {
		return "", ""
	}
	return "must be an address of the web", "write it like https://HOST/PATH"
}

// topicAddress is for the address of a topic, not that of its server.
func topicAddress(v any) (what, hint string) {
	if what, hint = webAddress(v); what != "" {
		return what, hint
	}
	if u, err := url.Parse(v.(string)); v != "" && err == nil && strings.Trim(u.Path, "/") == "" {
		return "names no topic", "write it like https://ntfy.sh/TOPIC"
	}
	return "", ""
}

// traceAddress is for an address that is shown.
func traceAddress(v any) (what, hint string) {
	if what, hint = webAddress(v); what != "" {
		return what, hint
	}
	if u, err := url.Parse(v.(string)); err == nil && u.User != nil {
		return "must not hold a password", "write it in trace.headers, which is never shown"
	}
	return "", ""
}

// As RFC 9110 has it: what cannot end the header and begin another one.
var goodHeaderName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

func headerName(name string) (what, hint string) {
	if goodHeaderName.MatchString(name) {
		return "", ""
	}
	return setting.Quote(name) + " is not a name for a header", "use letters, digits and -"
}

func headerValue(v any) (what, hint string) {
	if strings.ContainsFunc(v.(string), unicode.IsControl) {
		return "must be on one line, without control characters", "write it as one text"
	}
	return "", ""
}

func mailAddress(v any) (what, hint string) {
	s := v.(string)
	if _, err := mail.ParseAddress(s); s == "" || err == nil {
		return "", ""
	}
	return "must be an e-mail address, not " + setting.Quote(s), "write it like name@example.com"
}

func mailAddresses(v any) (what, hint string) {
	for _, s := range v.([]string) {
		if _, err := mail.ParseAddress(s); err != nil {
			return "has " + setting.Quote(s) + ", which is no e-mail address", "write it like name@example.com"
		}
	}
	return "", ""
}

// mailServer is for a host, with or without a port.
func mailServer(v any) (what, hint string) {
	s := v.(string)
	if _, ok := splitHost(s); s == "" || ok || goodHost.MatchString(s) {
		return "", ""
	}
	return "must be a host, or a host and a port, not " + setting.Quote(s), "write it like smtp.example.com or smtp.example.com:465"
}

var goodHost = regexp.MustCompile(`^[A-Za-z0-9.-]+$`)

// loopback is for an address that nobody else can reach.
func loopback(v any) (what, hint string) {
	const example = "write it like 127.0.0.1:9464"
	s := v.(string)
	host, ok := splitHost(s)
	ip, err := netip.ParseAddr(host)
	switch {
	case s == "" || ok && (host == "localhost" || err == nil && ip.IsLoopback()):
		return "", ""
	case ok || strings.HasPrefix(s, ":"):
		return "must be an address that only this machine can reach, not " + setting.Quote(s), example
	}
	return "must be a host and a port, not " + setting.Quote(s), example
}

// splitHost is the host of an address that has one and a port.
func splitHost(s string) (host string, ok bool) {
	host, port, err := net.SplitHostPort(s)
	_, notPort := strconv.ParseUint(port, 10, 16)
	return host, err == nil && notPort == nil && host != "" && !strings.ContainsFunc(host, unicode.IsSpace)
}

// hours is for a span of a day, which may go past midnight.
func hours(v any) (what, hint string) {
	s := v.(string)
	from, to, _ := strings.Cut(s, "-")
	begin, errBegin := time.Parse("15:04", strings.TrimSpace(from))
	end, errEnd := time.Parse("15:04", strings.TrimSpace(to))
	if s == "" || errBegin == nil && errEnd == nil && !begin.Equal(end) {
		return "", ""
	}
	return "must be two times of the day, not " + setting.Quote(s), "write it like 22:00-07:00"
}
