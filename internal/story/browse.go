package story

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/text"
)

// Browse is a program for stories: "browse FILE PATH [JSON]" opens the page whose
// address is in a file, as a browser does, and prints what is at a path there; with
// JSON it sends that. {id} in the path is the run that the page lists first. It ends
// with 1 when the answer is a refusal.
func Browse() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: browse FILE PATH [JSON]")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	status, err := browse(ctx, os.Args[1], os.Args[2], strings.Join(os.Args[3:], " "))
	if err != nil {
		fmt.Fprintln(os.Stderr, "browse:", err)
		os.Exit(2)
	}
	if status >= http.StatusBadRequest {
		os.Exit(1)
	}
}

var pageAddress = text.NewPattern(`http://\S+`)

func browse(ctx context.Context, file, path, body string) (int, error) {
	said, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return 0, err
	}
	client := &http.Client{Jar: jar}
	address := pageAddress().FindString(string(said))
	if _, _, err := fetch(ctx, client, address, ""); err != nil {
		return 0, err
	}
	site, _, _ := strings.Cut(address, "/?")
	if strings.Contains(path, "{id}") {
		_, b, err := fetch(ctx, client, site+"/api/overview", "")
		var o struct{ Runs []struct{ ID string } }
		if err != nil || json.Unmarshal(b, &o) != nil || len(o.Runs) == 0 {
			return 0, fmt.Errorf("the page lists no run: %s %w", b, err)
		}
		path = strings.ReplaceAll(path, "{id}", o.Runs[0].ID)
	}
	status, b, err := fetch(ctx, client, site+path, body)
	fmt.Println(string(b))
	return status, err
}

func fetch(ctx context.Context, client *http.Client, url, body string) (int, []byte, error) {
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("X-Refrain", "1")
	answer, err := client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	return answer.StatusCode, b, err
}
