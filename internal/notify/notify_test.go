package notify

import (
	"encoding/json"
	"testing"
)

func TestTheNamesInJSON(t *testing.T) {
	const want = `{"kind":"aborted","title":"refrain: build-7 gave up","text":"3 failures in a row\nGrüße \u003c!channel\u003e @everyone","urgent":true,` +
		`"run":"build-7","run_id":"loop_1","procedure":"build","state":"aborted","reason":"failures","why":"3 failures in a row","proven":false,` +
		`"iterations":6,"cost_usd":1.25,"cost_estimated":true,"elapsed_ms":90000,"dir":"/src/app","at":"2026-11-15T03:04:05Z"}`
	if got, err := json.Marshal(message); err != nil || string(got) != want {
		t.Errorf("message = %s, %v, want\n%s", got, err, want)
	}
}
