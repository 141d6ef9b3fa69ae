package fakemodel

import (
	"cmp"
	"encoding/json"
	"time"
)

// Error is an answer that is none. Its kind fills in what the script does not
// say, in the way of each format.
type Error struct {
	Kind    string            `json:"kind,omitempty"` // one of the presets; without one, Status tells
	Status  int               `json:"status,omitempty"`
	Type    string            `json:"type,omitempty"`
	Code    string            `json:"code,omitempty"`
	Message string            `json:"message,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    json.RawMessage   `json:"body,omitempty"` // replaces the whole body
	// ResetsInS is how many seconds a usage limit lasts. With "counter", and no
	// Repeat, its turn is played to whoever asks before that time is over: a server
	// that answered earlier would hide a caller that does not wait long enough.
	ResetsInS int `json:"resets_in_s,omitempty"`

	until time.Time // its end, once it has begun
}

// fault is how one format says an error.
type fault struct {
	status int
	kind   string // the type; Gemini calls it status
	says   string // the message, where it differs from the preset's
}

// preset is an error of one kind, as each vendor has it.
type preset struct {
	anthropic, openAI, gemini fault

	code    string // OpenAI's
	message string
}

// presets is every kind of error.
var presets = map[string]preset{
	"auth": {
		anthropic: fault{status: 401, kind: "authentication_error"},
		openAI:    fault{status: 401, kind: "invalid_request_error"},
		gemini:    fault{status: 401, kind: "UNAUTHENTICATED"},
		code:      "invalid_api_key", message: "invalid x-api-key",
	},
	"rate_limit": {
		anthropic: fault{status: 429, kind: "rate_limit_error"},
		openAI:    fault{status: 429, kind: "requests"},
		gemini:    fault{status: 429, kind: "RESOURCE_EXHAUSTED"},
		code:      "rate_limit_exceeded", message: "This request would exceed your rate limit. Please try again later.",
	},
	"overloaded": {
		anthropic: fault{status: 529, kind: "overloaded_error"},
		openAI:    fault{status: 503, kind: "server_error"},
		gemini:    fault{status: 503, kind: "UNAVAILABLE"},
		code:      "server_is_overloaded", message: "Overloaded",
	},
	"server": {
		anthropic: fault{status: 500, kind: "api_error"},
		openAI:    fault{status: 500, kind: "server_error"},
		gemini:    fault{status: 500, kind: "INTERNAL"},
		code:      "server_error", message: "Internal server error",
	},
	"bad_request": {
		anthropic: fault{status: 400, kind: "invalid_request_error"},
		openAI:    fault{status: 400, kind: "invalid_request_error"},
		gemini:    fault{status: 400, kind: "INVALID_ARGUMENT"},
		code:      "invalid_request", message: "The request is not valid.",
	},
	"context": {
		anthropic: fault{status: 400, kind: "invalid_request_error"},
		openAI:    fault{status: 400, kind: "invalid_request_error"},
		gemini:    fault{status: 400, kind: "INVALID_ARGUMENT"},
		code:      "context_length_exceeded", message: "prompt is too long: 250000 tokens > 200000 maximum",
	},
	"model": {
		anthropic: fault{404, "not_found_error", "model: fake-model"},
		openAI:    fault{status: 404, kind: "invalid_request_error"},
		gemini:    fault{404, "NOT_FOUND", "models/fake-model is not found for API version v1beta, or is not supported for generateContent."},
		code:      "model_not_found", message: "The model `fake-model` does not exist or you do not have access to it.",
	},
	// Prepaid money is gone.
	"quota": {
		anthropic: fault{400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."},
		openAI:    fault{status: 429, kind: "insufficient_quota"},
		gemini:    fault{status: 429, kind: "RESOURCE_EXHAUSTED"},
		code:      "insufficient_quota", message: "You exceeded your current quota, please check your plan and billing details.",
	},
	// A subscription's window is used up.
	"usage_limit": {
		anthropic: fault{status: 429, kind: "rate_limit_error"},
		openAI:    fault{status: 429, kind: "usage_limit_reached"},
		gemini:    fault{status: 429, kind: "RESOURCE_EXHAUSTED"},
		code:      "usage_limit_reached", message: "The usage limit has been reached",
	},
}

// kindOf is the kind of an error that only has a status.
func kindOf(status int) string {
	switch status {
	case 400:
		return "bad_request"
	case 401, 403:
		return "auth"
	case 429:
		return "rate_limit"
	case 503, 529:
		return "overloaded"
	}
	return "server"
}

// filled is the error with all that its kind stands for in a format.
func (e Error) filled(d dialect) Error {
	p := presets[cmp.Or(e.Kind, kindOf(e.Status))]
	f := d.faultOf(p)
	e.Status = cmp.Or(e.Status, f.status)
	e.Type = cmp.Or(e.Type, f.kind)
	e.Code = cmp.Or(e.Code, p.code)
	e.Message = cmp.Or(e.Message, f.says, p.message)
	return e
}

// resets is when a usage limit is over, in whole seconds as the vendors tell it.
func (e Error) resets() time.Time {
	if !e.until.IsZero() {
		return e.until
	}
	return time.Unix(time.Now().Unix()+int64(e.ResetsInS), 0)
}

// fail answers with an error.
func (o *reply) fail(e Error) {
	e = e.filled(o.dialect)
	var body any = o.dialect.failure(o.w.Header(), e)
	if e.Body != nil {
		body = e.Body
	}
	for name, value := range e.Headers {
		o.w.Header().Set(name, value)
	}
	send(o.w, e.Status, body)
}
