package notify

import "testing"

func TestSlack(t *testing.T) {
	s := serve(t, nil)
	n := slack{at(t, s.URL+secret)}
	if err := n.Notify(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	r, body := s.only(t)
	const want = `{"text":"*refrain: build-7 was aborted*\n3 failures in a row\nGrüße \u0026lt;!channel\u0026gt; @everyone"}`
	if body != want || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("body %s, want %s", body, want)
	}
}
