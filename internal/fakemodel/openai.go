package fakemodel

import (
	"net/http"
	"time"
)

// openAI is what the two formats of OpenAI have in common.
type openAI struct{}

func (openAI) faultOf(p preset) fault { return p.openAI }

func (openAI) failure(_ http.Header, e Error) object {
	inner := object{"message": e.Message, "type": e.Type, "code": e.Code, "param": nil}
	if e.Kind == "usage_limit" {
		inner["plan_type"] = "plus"
		resets := e.resets().Unix()
		inner["resets_at"] = resets
		inner["resets_in_seconds"] = resets - time.Now().Unix()
	}
	return object{"error": inner}
}
