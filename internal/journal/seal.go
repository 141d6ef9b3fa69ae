package journal

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
)

// The journal is sealed line by line: each line ends with a sum of itself and of
// the seal before it, which nobody can make without the key. So a line that
// somebody has added, changed or taken out is found by whoever reads on.

// sealStart begins the field that ends a sealed line.
const sealStart = `,"seal":"`

// sealSize is that of a seal in characters.
const sealSize = 32

// chain makes and checks seals.
type chain struct {
	mac  hash.Hash // nil: nothing is sealed, and nothing checked
	seed string    // stands for the seal before the first line
	// early says that lines without a seal may stand at the beginning: an earlier
	// version wrote them.
	early bool
	// unsealed says that all of them are.
	unsealed bool
	lost     bool // the key is not there any more
	// keyFile is where it was.
	keyFile string
}

func newChain(key []byte, seed string) chain {
	return chain{mac: hmac.New(sha256.New, key), seed: seed}
}

// keyOf is the key for one thing, of which nobody can tell that for another.
func keyOf(key []byte, thing string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("refrain run " + thing))
	return mac.Sum(nil)
}

// keyID tells keys apart, and nothing of them.
func keyID(key []byte) string {
	sum := sha256.Sum256(append([]byte("refrain key "), key...))
	return hex.EncodeToString(sum[:4])
}

// sum is the seal of a text that follows another seal.
func (c chain) sum(before string, text []byte) string {
	c.mac.Reset()
	c.mac.Write([]byte(before))
	c.mac.Write([]byte{'\n'})
	c.mac.Write(text)
	return hex.EncodeToString(c.mac.Sum(nil))[:sealSize]
}

// seal closes a line, which is a JSON object with fields, and gives its seal.
func (c chain) seal(before string, line []byte) (sealed []byte, seal string) {
	body := bytes.TrimSuffix(line, []byte("}"))
	seal = c.sum(before, body)
	return appendSeal(body[:len(body):len(body)], seal), seal
}

// appendSeal ends a line that is open at its end with a seal.
func appendSeal(body []byte, seal string) []byte {
	return append(append(append(body, sealStart...), seal...), `"}`...)
}

// sealOf is the seal of a line; empty when it has none.
func sealOf(line []byte) string {
	_, seal := unseal(bytes.TrimRight(line, "\r\n "))
	return seal
}

// unseal takes the seal off a line; it is empty when there is none.
func unseal(line []byte) (body []byte, seal string) {
	const tail = len(sealStart) + sealSize + len(`"}`)
	at := len(line) - tail
	if at < 0 || !bytes.HasPrefix(line[at:], []byte(sealStart)) || !bytes.HasSuffix(line, []byte(`"}`)) {
		return line, ""
	}
	return line[:at], string(line[at+len(sealStart) : at+len(sealStart)+sealSize])
}

// follows tells whether a line is the one that was written after a seal.
func (c chain) follows(before string, line []byte) bool {
	body, seal := unseal(line)
	if seal == "" {
		return false
	}
	if hmac.Equal([]byte(c.sum(before, body)), []byte(seal)) {
		return true
	}
	// Half a line, from a crash, may stand before it.
	if i := bytes.LastIndex(body, eventStart); i > 0 {
		return hmac.Equal([]byte(c.sum(before, body[i:])), []byte(seal))
	}
	return false
}

// Files that a resume goes by are sealed one by one, each for its place.

// sealFile adds a seal to a JSON object, as its last field.
func (c chain) sealFile(place string, object []byte) []byte {
	body := bytes.TrimRight(bytes.TrimSuffix(bytes.TrimSpace(object), []byte("}")), " \n")
	comma := ","
	if bytes.HasSuffix(body, []byte("{")) {
		comma = ""
	}
	return fmt.Appendf(nil, "%s%s\n  \"seal\": \"%s\"\n}\n", body, comma, c.sum(place, body))
}

// unsealFile gives the object without its seal, and whether that fits.
func (c chain) unsealFile(place string, file []byte) (object []byte, sealed, fits bool) {
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
