package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
)

// forms are the ways in which a value is written: as it is, as in JSON, as in a
// URL, and as base64, where it may stand behind something else, such as a user
// name and a colon. Programs print a key of several lines line by line.
func forms(value string) []string {
	list := []string{value, inJSON(value, true), inJSON(value, false), url.QueryEscape(value), url.PathEscape(value), strings.ReplaceAll(url.QueryEscape(value), "+", "%20")}
	list = append(list, inBase64(value)...)
	if strings.Contains(value, "\n") {
		for line := range strings.SplitSeq(value, "\n") {
			if line = strings.TrimSpace(line); random(line) {
				list = append(list, line)
			}
		}
	}
	var long []string
	for _, form := range list {
		if len(form) >= minValue {
			long = append(long, form)
		}
	}
	return long
}

// inJSON is a value as it stands in JSON, without the quotes around it.
func inJSON(value string, html bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if err := e.Encode(value); err != nil {
		return value // strings always encode
	}
	return strings.TrimSuffix(b.String()[1:], "\"\n")
}

// inBase64 is a value in base64 behind any text: the characters that depend on
// the value alone.
func inBase64(value string) []string {
	var list []string
	for before := range 3 {
		padded := append(make([]byte, before), value...)
		from := (before*8 + 5) / 6
		to := len(padded) * 8 / 6
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			list = append(list, alphabet.EncodeToString(padded)[from:to])
		}
	}
	return list
}
