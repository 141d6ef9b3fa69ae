// Package seal makes lines and files that only who has the key can make, and tells
// which of those that were found are to be believed.
//
// The journal of a run is sealed line by line: each line ends with a sum of itself
// and of the seal before it. So a line that somebody has added, changed or taken
// out is found by whoever reads on. What the lines mean, and what to do about one
// that does not fit, is for others to say.
package seal

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"sync"
)

// sealStart begins the field that ends a sealed line.
const sealStart = `,"seal":"`

// sealSize is that of a seal in characters.
const sealSize = 32

// EventStart is how every line that is sealed begins.
const EventStart = `{"seq":`

// Chain makes and checks seals. That of nobody seals nothing, and checks nothing.
type Chain struct {
	mac  *maker // nil: nobody's
	seed string // stands for the seal before the first line

	Early    bool   // lines without a seal may stand at the beginning: an earlier version wrote them
	Unsealed bool   // all of them have none
	Lost     bool   // the key is not there any more
	KeyFile  string // where it was
}

// maker makes seals under a key, for several readers at once: copies of a chain share
// it.
type maker struct {
	mu  sync.Mutex
	mac hash.Hash
}

// New is the chain of one run, under a key.
func New(key []byte, seed string) Chain {
	return Chain{mac: &maker{mac: hmac.New(sha256.New, key)}, seed: seed}
}

// Keyed tells whether the chain makes seals.
func (c Chain) Keyed() bool { return c.mac != nil }

// Checks tells whether it can tell which seals fit.
func (c Chain) Checks() bool { return c.mac != nil && !c.Lost }

// KeyOf is the key for one thing, of which nobody can tell that for another.
func KeyOf(key []byte, thing string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("refrain run " + thing))
	return mac.Sum(nil)
}

// KeyID tells keys apart, and nothing of them.
func KeyID(key []byte) string {
	sum := sha256.Sum256(append([]byte("refrain key "), key...))
	return hex.EncodeToString(sum[:4])
}

// sum is the seal of a text that follows another seal.
func (c Chain) sum(before string, text []byte) string {
	c.mac.mu.Lock()
	defer c.mac.mu.Unlock()
	mac := c.mac.mac
	mac.Reset()
	mac.Write([]byte(before))
	mac.Write([]byte{'\n'})
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil))[:sealSize]
}

// Seal closes a line, which is a JSON object with fields, and gives its seal.
func (c Chain) Seal(before string, line []byte) (sealed []byte, seal string) {
	body := bytes.TrimSuffix(line, []byte("}"))
	seal = c.sum(before, body)
	return Append(body[:len(body):len(body)], seal), seal
}

// Append ends a line that is open at its end with a seal.
func Append(body []byte, seal string) []byte {
	return append(append(append(body, sealStart...), seal...), `"}`...)
}

// Of is the seal of a line; empty when it has none.
func Of(line []byte) string {
	_, seal := Unseal(bytes.TrimRight(line, "\r\n "))
	return seal
}

// Unseal takes the seal off a line; it is empty when there is none.
func Unseal(line []byte) (body []byte, seal string) {
	its := sealIn(line)
	if its == nil {
		return line, ""
	}
	return line[:len(line)-sealTail], string(its)
}

// sealTail is how much of a line its seal takes.
const sealTail = len(sealStart) + sealSize + len(`"}`)

// sealIn is the seal at the end of a line; nil when there is none.
func sealIn(line []byte) []byte {
	at := len(line) - sealTail
	if at < 0 || !bytes.HasPrefix(line[at:], []byte(sealStart)) || !bytes.HasSuffix(line, []byte(`"}`)) {
		return nil
	}
	return line[at+len(sealStart) : at+len(sealStart)+sealSize]
}

// Follows tells whether a line is the one that was written after a seal.
func (c Chain) Follows(before string, line []byte) bool {
	body, seal := Unseal(line)
	if seal == "" {
		return false
	}
	if hmac.Equal([]byte(c.sum(before, body)), []byte(seal)) {
		return true
	}
	// Half a line, from a crash, may stand before it.
	if i := bytes.LastIndex(body, []byte(EventStart)); i > 0 {
		return hmac.Equal([]byte(c.sum(before, body[i:])), []byte(seal))
	}
	return false
}

// Files that a resume goes by are sealed one by one, each for its place.

// SealFile adds a seal to a JSON object, as its last field.
func (c Chain) SealFile(place string, object []byte) []byte {
	body := bytes.TrimRight(bytes.TrimSuffix(bytes.TrimSpace(object), []byte("}")), " \n")
	comma := ","
	if bytes.HasSuffix(body, []byte("{")) {
		comma = ""
	}
	return fmt.Appendf(nil, "%s%s\n  \"seal\": \"%s\"\n}\n", body, comma, c.sum(place, body))
}

// UnsealFile gives the object without its seal, and whether that fits.
func (c Chain) UnsealFile(place string, file []byte) (object []byte, sealed, fits bool) {
	i := bytes.LastIndex(file, []byte("\n  \"seal\": \""))
	if i < 0 {
		return file, false, false
	}
	body := bytes.TrimSuffix(file[:i], []byte(","))
	_, rest, _ := bytes.Cut(file[i:], []byte(`: "`))
	seal, end, _ := bytes.Cut(rest, []byte(`"`))
	fits = c.mac != nil && string(end) == "\n}\n" && hmac.Equal(seal, []byte(c.sum(place, body)))
	return append(body[:len(body):len(body)], "\n}\n"...), true, fits
}
