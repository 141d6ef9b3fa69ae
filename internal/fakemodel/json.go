package fakemodel

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
)

// object is a JSON object. One from a request is read leniently: what is not
// there, or is of another kind, is empty.
type object map[string]any

// asObject is v when it is an object, else an empty one.
func asObject(v any) object {
	m, _ := v.(map[string]any)
	return m
}

func (o object) object(key string) object { return asObject(o[key]) }

func (o object) text(key string) string {
	s, _ := o[key].(string)
	return s
}

// objects is the list below key.
func (o object) objects(key string) []object {
	list, _ := o[key].([]any)
	all := make([]object, len(list))
	for i, v := range list {
		all[i] = asObject(v)
	}
	return all
}

// encode writes v as an agent's server would, without escapes meant for HTML.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // we only encode what came from JSON, or literals
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// send answers with a whole body.
func send(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(encode(body) + "\n"))
}
