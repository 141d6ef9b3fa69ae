//go:build unix

package proc

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/refrain-loop/refrain/internal/fence"
)

// A message goes over a link as its length in four bytes, and then its fields in the
// order in which they stand below: numbers as varints, and before a text or a list how
// long it is. Both ends are the same program, so no version and no names are told.

// longestMessage is far more than a start takes, whose arguments and variables the
// system limits.
const longestMessage = 64 << 20

var errNoMessage = errors.New("this is no message")

// message tells its fields, in the order in which they travel.
type message interface{ fields(w *wire) }

func (r *request) fields(w *wire) {
	number(w, &r.ID)
	number(w, &r.Do)
	w.text(&r.Path)
	w.texts(&r.Argv)
	w.texts(&r.Env)
	w.text(&r.Dir)
	w.text(&r.Mark)
	w.text(&r.Signal)
	number(w, &r.Leave)
	w.flag(&r.Plain)
}

func (r *report) fields(w *wire) {
	number(w, &r.ID)
	number(w, &r.Of)
	number(w, &r.PID)
	number(w, &r.Errno)
	number(w, &r.Status)
	w.flag(&r.Held)
	w.flag(&r.Asked)
	each(w, &r.Left, number)
	w.text(&r.Why)
	unfenced := r.Unfenced != nil
	if w.flag(&unfenced); unfenced {
		if r.Unfenced == nil {
			r.Unfenced = &lack{}
		}
		w.text((*string)(&r.Unfenced.Kind))
		w.text(&r.Unfenced.What)
		w.text(&r.Unfenced.Why)
	}
	w.text(&r.Absent)
	w.text(&r.Refused.Socket)
	w.text(&r.Refused.Address)
}

// policy is that of a fence, on its way to the keeper that raises it.
type policy fence.Policy

func (p *policy) fields(w *wire) {
	w.text((*string)(&p.Kind))
	for _, list := range []*[]string{&p.Write, &p.Keep, &p.Hide, &p.Show, &p.Private, &p.Sockets, &p.Forward} {
		w.texts(list)
	}
	w.text(&p.Upper)
	w.text(&p.Temp)
	w.flag(&p.TempOwn)
	w.text(&p.Proxy)
	number(w, &p.ProxyPort)
}

// wire writes the fields of a message, or reads them.
type wire struct {
	bytes   []byte
	reading bool
	bad     bool // what is read is no message
}

// encoded is a message as it is sent.
func encoded(m message) []byte {
	w := wire{bytes: make([]byte, 4, 512)}
	m.fields(&w)
	binary.BigEndian.PutUint32(w.bytes, uint32(len(w.bytes)-4))
	return w.bytes
}

// decode reads the message that comes next.
func decode(from io.Reader, m message) error {
	var head [4]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return err
	}
	length := binary.BigEndian.Uint32(head[:])
	if length > longestMessage {
		return errNoMessage
	}
	w := wire{bytes: make([]byte, length), reading: true}
	if _, err := io.ReadFull(from, w.bytes); err != nil {
		return err
	}
	if m.fields(&w); w.bad || len(w.bytes) > 0 {
		return errNoMessage
	}
	return nil
}

func number[T ~int | ~int64 | ~uint32 | ~uintptr](w *wire, p *T) {
	if !w.reading {
		w.bytes = binary.AppendVarint(w.bytes, int64(*p))
		return
	}
	n, size := binary.Varint(w.bytes)
	if size <= 0 {
		w.bad, w.bytes = true, nil
		return
	}
	*p, w.bytes = T(n), w.bytes[size:]
}

func (w *wire) flag(p *bool) {
	n := 0
	if *p {
		n = 1
	}
	number(w, &n)
	*p = n == 1
}

func (w *wire) text(p *string) {
	n := len(*p)
	number(w, &n)
	switch {
	case !w.reading:
		w.bytes = append(w.bytes, *p...)
	case n < 0 || n > len(w.bytes):
		w.bad, w.bytes = true, nil
	default:
		*p, w.bytes = string(w.bytes[:n]), w.bytes[n:]
	}
}

func (w *wire) texts(p *[]string) { each(w, p, (*wire).text) }

// each is the entries of a list. None takes less than a byte.
func each[T any](w *wire, p *[]T, field func(*wire, *T)) {
	n := len(*p)
	number(w, &n)
	if w.reading {
		if n < 0 || n > len(w.bytes) {
			w.bad, w.bytes = true, nil
			return
		}
		*p = nil
		if n > 0 {
			*p = make([]T, n)
		}
	}
	for i := range *p {
		field(w, &(*p)[i])
	}
}
