package control

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
)

// mostMessage is more than any event has: an agent's line is cut long before.
const mostMessage = 64 << 20

var errTooLong = fmt.Errorf("the stream has a line of more than %d bytes", mostMessage)

// message is one server-sent event. Its data is only good until the next one.
type message struct {
	id    string
	event string
	data  []byte
}

// messages reads server-sent events. A half one at the end was cut off and is
// left out; so are comments. An error is the last thing it gives, and the end of
// the stream is none.
func messages(r io.Reader) iter.Seq2[message, error] {
	return func(yield func(message, error) bool) {
		lines := bufio.NewReaderSize(r, batchSize)
		var m message
		var data, buffer []byte
		begun := false // has the message a line of data
		for {
			line, err := readLine(lines, &buffer)
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return
			}
			if err != nil {
				yield(message{}, err)
				return
			}
			if len(line) == 0 {
				if m.data = data; begun && !yield(m, nil) {
					return
				}
				m, data, begun = message{}, data[:0], false
				continue
			}
			field, value, _ := bytes.Cut(line, []byte(":"))
			value = bytes.TrimPrefix(value, []byte(" "))
			switch string(field) {
			case "id":
				m.id = string(value)
			case "event":
				m.event = string(value)
			case "data":
				if begun {
					data = append(data, '\n')
				}
				data, begun = append(data, value...), true
			}
			if len(data) > mostMessage {
				yield(message{}, errTooLong)
				return
			}
		}
	}
}

// readLine reads a line without its end. It is good until the next one; a line
// that does not fit in the reader is put together in a buffer.
func readLine(r *bufio.Reader, buffer *[]byte) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := append((*buffer)[:0], line...)
		for errors.Is(err, bufio.ErrBufferFull) && len(long) <= mostMessage {
			line, err = r.ReadSlice('\n')
			long = append(long, line...)
		}
		if len(long) > mostMessage {
			return nil, errTooLong
		}
		*buffer, line = long, long
	}
	if err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), nil
}
