package redact

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/refrain-loop/refrain/internal/setting"
)

// Secret is a value that is not told, and the name that is told instead.
type Secret struct{ Name, Value string }

// minValue is how long a secret is at least: what is shorter stands in ordinary
// text by chance.
const minValue = 8

// Variables are the secrets in an environment. A variable counts when its name
// looks secret and its value is not what anybody may write (see plain), or when it
// is a URL with a password in it: then that counts, whatever the name. A path is
// only known by looking at the disk, which is for the caller.
func Variables(env []string, isPath func(string) bool) []Secret {
	var list []Secret
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		value = strings.TrimSpace(value)
		if setting.SecretName(name) && !usual(name, value) && !isPath(value) {
			list = append(list, Secret{name, value})
			list = append(list, leaves(name, value)...)
		}
		list = append(list, passwordIn(name, value)...)
	}
	return list
}

// Given are the secrets among variables that somebody has set for one program: a
// name need not look secret there, if the value looks made by chance.
func Given(values map[string]string, isPath func(string) bool) []Secret {
	var list []Secret
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, Variables([]string{name + "=" + values[name]}, isPath)...)
		if value := strings.TrimSpace(values[name]); random(value) && !setting.SecretName(name) && !isPath(value) && passwordIn(name, value) == nil {
			list = append(list, Secret{name, value})
		}
	}
	return list
}

// Settings are the secrets among settings that are never shown, whatever their
// names. Of a header with a word before the key, as in "Bearer KEY", the key alone
// is one too.
func Settings(values map[string]string) []Secret {
	var list []Secret
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := strings.TrimSpace(values[name])
		if !oneWord(value) {
			list = append(list, Secret{name, value})
		}
		if word, rest, ok := strings.Cut(value, " "); ok && isWord(word) && !oneWord(strings.TrimSpace(rest)) {
			list = append(list, Secret{name, strings.TrimSpace(rest)})
		}
		list = append(list, passwordIn(name, value)...)
	}
	return list
}

// passwordIn is the password of a URL.
func passwordIn(name, value string) []Secret {
	if !strings.Contains(value, "://") || !strings.Contains(value, "@") {
		return nil
	}
	u, err := url.Parse(value)
	if err != nil || u.User == nil {
		return nil
	}
	if password, ok := u.User.Password(); ok && !oneWord(password) {
		return []Secret{{name, password}}
	}
	if user := u.User.Username(); random(user) { // https://TOKEN@host
		return []Secret{{name, user}}
	}
	return nil
}

// leaves are the secrets in a value that is JSON, as the keys of service accounts
// are: the value as a whole is rarely what a program prints.
func leaves(name, value string) []Secret {
	var object map[string]any
	if !strings.HasPrefix(value, "{") || json.Unmarshal([]byte(value), &object) != nil {
		return nil
	}
	var list []Secret
	var walk func(key string, v any)
	walk = func(key string, v any) {
		switch v := v.(type) {
		case string:
			if v = strings.TrimSpace(v); setting.SecretName(key) && !usual(key, v) {
				list = append(list, Secret{name, v})
			}
		case []any:
			for _, one := range v {
				walk(key, one)
			}
		case map[string]any:
			for k, one := range v {
				walk(k, one)
			}
		}
	}
	walk("", object)
	return list
}

// usual tells whether a value is what anybody may write, under a name that looks
// secret. Words tell where secrets are kept as often as they are secrets, unless
// the name says that the value itself is one: SECRET_BACKEND is none, DB_PASSWORD
// is, and an app password may well be letters alone.
func usual(name, value string) bool {
	if setting.HoldsSecret(name) {
		return oneWord(value)
	}
	return plain(value)
}

// longestUsual is as long as a word is that stands in ordinary text, and that
// somebody gives where a secret could stand: production.
const longestUsual = 10

// oneWord tells whether a value that should be secret is not: it is short, one
// short word, a number, or a URL without a password.
func oneWord(value string) bool {
	return plain(value) && (len(value) < minValue || len(value) <= longestUsual && isWord(value) || strings.Contains(value, "://") || !strings.ContainsFunc(value, unicode.IsLetter))
}

const (
	maxWords    = 3  // a fourth makes a passphrase
	longestWord = 16 // what is longer is no word
	maxDigits   = 12 // a number that people or machines count to
)

// plain tells whether a value is what anybody may write, so that to hide it would
// tear ordinary text apart: what is short; up to three words; a number, a date or
// a version; a URL without a password.
func plain(value string) bool {
	if len(value) < minValue {
		return true
	}
	if u, err := url.Parse(value); err == nil && u.Scheme != "" && u.Host != "" {
		return u.User == nil && !random(u.RequestURI())
	}
	pieces := strings.FieldsFunc(value, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	digits, words := 0, 0
	for _, piece := range pieces {
		switch {
		case isWord(piece):
			words++
		case strings.IndexFunc(piece, func(r rune) bool { return r < '0' || r > '9' }) < 0:
			digits += len(piece)
		default:
			return false
		}
	}
	if words == 0 {
		return digits <= maxDigits
	}
	return digits == 0 && words <= maxWords
}

// isWord tells whether a piece of text is a word: letters, small, large or with a
// large one first.
func isWord(piece string) bool {
	if len(piece) > longestWord || strings.IndexFunc(piece, func(r rune) bool { return !unicode.IsLetter(r) }) >= 0 {
		return false
	}
	rest := []rune(piece)[1:]
	lower := !slices.ContainsFunc(rest, unicode.IsUpper)
	return lower || piece == strings.ToUpper(piece)
}

// leastRandom is how long a piece of letters and digits is that nobody wrote by
// hand.
const leastRandom = 12

// random tells whether a text has a piece in it that looks made by chance: letters
// and digits mixed, without a gap.
func random(value string) bool {
	for piece := range strings.FieldsFuncSeq(value, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(piece) >= leastRandom && strings.ContainsFunc(piece, unicode.IsDigit) && strings.ContainsFunc(piece, unicode.IsLetter) {
			return true
		}
	}
	return false
}
