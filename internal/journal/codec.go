package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/seal"
)

// head is the part of a line that every event has.
type head struct {
	Seq     int64     `json:"seq"`
	Time    string    `json:"time"`
	Run     string    `json:"run"`
	Iter    int       `json:"iter,omitempty"`
	Attempt int       `json:"attempt,omitempty"`
	Type    loop.Type `json:"type"`
}

// timeLayout has a fixed width, so that the times of a journal stand in a column.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Encode gives the event as one line of JSON, without the newline. The fields
// of the payload stand beside those of the event.
func Encode(e loop.Event) ([]byte, error) { return appendEvent(nil, e) }

// appendEvent appends what Encode gives. With an error it appends nothing.
func appendEvent(to []byte, e loop.Event) ([]byte, error) {
	if t, ok := e.Payload.(*asLine); ok {
		return append(to, t.line...), nil
	}
	at, err := wholeMillis(e.Time)
	if err != nil {
		return to, fmt.Errorf("encode %s: %w", e.Type(), err)
	}
	line := strconv.AppendInt(append(to, `{"seq":`...), e.Seq, 10)
	line = at.AppendFormat(append(line, `,"time":"`...), timeLayout)
	line = appendString(append(line, `","run":`...), e.Run)
	if e.Iter != 0 {
		line = strconv.AppendInt(append(line, `,"iter":`...), int64(e.Iter), 10)
	}
	if e.Attempt != 0 {
		line = strconv.AppendInt(append(line, `,"attempt":`...), int64(e.Attempt), 10)
	}
	line = appendString(append(line, `,"type":`...), string(e.Type()))
	line, known := appendChatter(line, e.Payload)
	if !known {
		if line, err = appendReflected(line, e.Payload); err != nil {
			return to, fmt.Errorf("encode %s: %w", e.Type(), err)
		}
	}
	line = append(line, '}')
	if e.Seal != "" {
		line = seal.Append(line[:len(line)-1], e.Seal)
	}
	return line, nil
}

// appendReflected appends the fields of any payload.
func appendReflected(line []byte, p loop.Payload) ([]byte, error) {
	b := encoders.Get().(*encoder)
	defer encoders.Put(b)
	b.Reset()
	if err := b.json.Encode(p); err != nil {
		return line, err
	}
	fields := bytes.TrimSuffix(b.Bytes(), []byte("}\n"))[1:]
	if len(fields) == 0 {
		return line, nil
	}
	return append(append(line, ','), fields...), nil
}

// encoder writes payloads into memory that is used again and again.
type encoder struct {
	bytes.Buffer
	json *json.Encoder
}

var encoders = sync.Pool{New: func() any {
	e := new(encoder)
	e.json = json.NewEncoder(&e.Buffer)
	e.json.SetEscapeHTML(false) // an agent's <promise> stays readable
	return e
}}

// Decode reads one line. Fields that this version does not know are skipped,
// and a type that it does not know gives a *loop.Unknown.
func Decode(line []byte) (loop.Event, error) {
	h, err := decodeHead(line)
	if err != nil {
		return loop.Event{}, fmt.Errorf("decode event: %w", err)
	}
	if h.Type == "" {
		return loop.Event{}, errors.New("decode event: it has no type")
	}
	at, err := time.Parse(time.RFC3339, h.Time)
	if err == nil {
		at, err = wholeMillis(at)
	}
	if err != nil {
		return loop.Event{}, fmt.Errorf("decode %s: %w", h.Type, err)
	}
	p := loop.NewPayload(h.Type)
	if err := json.Unmarshal(line, p); err != nil {
		return loop.Event{}, fmt.Errorf("decode %s: %w", h.Type, err)
	}
	return loop.Event{
		Seq: h.Seq, Time: at, Run: h.Run,
		Iter: h.Iter, Attempt: h.Attempt, Payload: p, Seal: seal.Of(line),
	}, nil
}

// decodeHead reads the fields that every event has. A line that begins as ours
// do has them first: then the rest, which may be long, is not gone through for
// them.
func decodeHead(line []byte) (head, error) {
	var h head
	if bytes.HasPrefix(line, []byte(seal.EventStart)) {
		before, after, _ := bytes.Cut(line, []byte(`,"type":"`))
		end := len(line) - len(after) + bytes.IndexByte(after, '"')
		if end > len(before) && json.Unmarshal(append(line[:end+1:end+1], '}'), &h) == nil && h.Time != "" {
			return h, nil
		}
		h = head{}
	}
	err := json.Unmarshal(line, &h)
	return h, err
}

// wholeMillis is the time as a line can hold it, so that an event read back
// equals the one that was written.
func wholeMillis(t time.Time) (time.Time, error) {
	t = t.UTC().Truncate(time.Millisecond)
	if y := t.Year(); y < 0 || y > 9999 {
		return time.Time{}, fmt.Errorf("the year %d cannot be written", y)
	}
	return t, nil
}
