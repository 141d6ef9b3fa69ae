package proxy

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// toASCII is a label of a name as DNS knows it (RFC 3492), in small letters.
//
// It does not put letters together that were written as two: such a name is
// another one for us, and so not listed.
func toASCII(label string) (string, error) {
	if !utf8.ValidString(label) {
		return "", errors.New("a part of its name is not text")
	}
	label = strings.Map(unicode.ToLower, label)
	var basic []byte
	var other bool
	for _, r := range label {
		switch {
		case r < utf8.RuneSelf:
			basic = append(basic, byte(r))
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			other = true
		default: // also the dots of other scripts, which some take for dots
			return "", errors.New("a part of its name has a sign in it")
		}
	}
	if !other {
		return label, nil
	}
	if strings.HasPrefix(label, "xn--") || len(label) > 4*longestLabel {
		return "", errors.New("a part of its name can not be encoded")
	}
	return "xn--" + punycode([]rune(label), basic), nil
}

// The numbers of RFC 3492, section 5.
const (
	base, tMin, tMax = 36, 1, 26
	skew, damp       = 38, 700
	firstN, firstB   = 128, 72
)

// punycode encodes a label; basic is those of its signs that are ASCII.
func punycode(label []rune, basic []byte) string {
	out := basic
	if len(basic) > 0 {
		out = append(out, '-')
	}
	n, delta, bias := rune(firstN), 0, firstB
	for done := len(basic); done < len(label); {
		next := rune(unicode.MaxRune)
		for _, r := range label {
			if r >= n && r < next {
				next = r
			}
		}
		delta += int(next-n) * (done + 1)
		n = next
		for _, r := range label {
			if r < n {
				delta++
			}
			if r != n {
				continue
			}
			out = appendNumber(out, delta, bias)
			bias = adapt(delta, done+1, done == len(basic))
			delta = 0
			done++
		}
		delta++
		n++
	}
	return string(out)
}

// appendNumber writes a number of variable length.
func appendNumber(out []byte, q, bias int) []byte {
	for k := base; ; k += base {
		t := min(max(k-bias, tMin), tMax)
		if q < t {
			return append(out, digit(q))
		}
		out = append(out, digit(t+(q-t)%(base-t)))
		q = (q - t) / (base - t)
	}
}

func adapt(delta, count int, first bool) int {
	if first {
		delta /= damp
	} else {
		delta /= 2
	}
	delta += delta / count
	k := 0
	for delta > (base-tMin)*tMax/2 {
		delta /= base - tMin
		k += base
	}
	return k + (base-tMin+1)*delta/(delta+skew)
}

func digit(d int) byte {
	if d < 26 {
		return byte('a' + d)
	}
	return byte('0' + d - 26)
}
