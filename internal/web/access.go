package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Access says who gets in.
type Access struct {
	// Token is what opens the page: in its address, or typed at the login.
	Token string
	// Key signs cookies. With one that is kept, those that were given out hold after a
	// restart of the server.
	Key []byte
	// Port is the one that is listened at. Cookies do not know ports: their names do.
	Port int
	// Hosts are names for the page beside those of loopback: of a tunnel, or of what
	// stands in front.
	Hosts []string
	// Elsewhere says that the server listens at more than loopback.
	Elsewhere bool

	tries *tries
}

// cookieTime is how long a browser is known.
const cookieTime = 30 * 24 * time.Hour

// header is what a page says that only our own can: another one would have to be
// allowed to send it.
const header = "X-Refrain"

// check refuses requests that another page has sent, or that came by another name:
// a name that leads to this machine may be anybody's.
func (a Access) check(r *http.Request) error {
	if !a.isOurs(r) {
		return fmt.Errorf("%q is no name of this server", r.Host)
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || u.Host != r.Host || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("the request comes from another page: %.200q", origin)
		}
	}
	site := r.Header.Get("Sec-Fetch-Site")
	// A link may lead here. A frame may not: its page could try tokens by the dozen, until
	// nobody gets in.
	navigates := r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" && r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/api/")
	if (site == "cross-site" || site == "same-site") && !navigates {
		return errors.New("the request comes from another page")
	}
	return nil
}

// isOurs tells whether the request names this server.
func (a Access) isOurs(r *http.Request) bool {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		host, port = strings.Trim(r.Host, "[]"), ""
	}
	for _, h := range a.Hosts {
		if strings.EqualFold(h, r.Host) || strings.EqualFold(h, host) {
			return true
		}
	}
	if port != strconv.Itoa(a.Port) {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	if ip.IsLoopback() {
		return true
	}
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return a.Elsewhere && ok && at.AddrPort().Addr().Unmap() == ip.Unmap()
}

// letIn passes on who has a cookie, gives one to who has the token, and sends all
// others to the login.
func (a Access) letIn(w http.ResponseWriter, r *http.Request, inner http.Handler) {
	if token := r.URL.Query().Get("token"); token != "" && r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/api/") {
		if !a.opens(token) {
			http.Redirect(w, r, "/login?wrong=1", http.StatusSeeOther)
			return
		}
		a.give(w, r)
		// What begins with two slashes, or one turned around, is another machine to a browser.
		leadOn(w, r, (&url.URL{Path: path.Clean("/" + r.URL.Path)}).String())
		return
	}
	switch {
	case !a.knows(r) && strings.HasPrefix(r.URL.Path, "/api/"):
		refuse(w, http.StatusUnauthorized, "this browser is not known here", "open the address that \"refrain serve\" printed")
	case !a.knows(r):
		http.Redirect(w, r, "/login", http.StatusSeeOther)
	case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Header.Get(header) == "":
		refuse(w, http.StatusForbidden, "the header "+header+" is missing", "send it with every request that changes something")
	default:
		inner.ServeHTTP(w, r)
	}
}

// leadOn sends a browser on that has just got its cookie. With what another site has
// begun it sends none, wherever that leads: then a page of our own has to begin anew.
func leadOn(w http.ResponseWriter, r *http.Request, to string) {
	if r.Header.Get("Sec-Fetch-Site") != "cross-site" {
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Referrer-Policy", "no-referrer") // its address has the token
	fmt.Fprintf(w, `<!doctype html><title>Refrain</title><meta http-equiv="refresh" content="0; url=%s">`, html.EscapeString(to))
}

// opens tells whether somebody has the token. Who guesses has to wait.
func (a Access) opens(token string) bool {
	if a.tries != nil && !a.tries.allow(time.Now()) {
		return false
	}
	got, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(a.Token))
	ok := a.Token != "" && subtle.ConstantTimeCompare(got[:], want[:]) == 1
	if !ok && a.tries != nil {
		a.tries.failed(time.Now())
	}
	return ok
}

func (a Access) cookie() string { return "refrain-" + strconv.Itoa(a.Port) }

// give makes the browser known.
func (a Access) give(w http.ResponseWriter, r *http.Request) {
	until := time.Now().Add(cookieTime)
	http.SetCookie(w, &http.Cookie{
		Name: a.cookie(), Value: a.sign(until.Unix()), Path: "/", MaxAge: int(cookieTime / time.Second),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.Header.Get("X-Forwarded-Proto") == "https",
	})
}

// knows tells whether the browser has a cookie of ours.
func (a Access) knows(r *http.Request) bool {
	c, err := r.Cookie(a.cookie())
	if err != nil {
		return false
	}
	until, _, _ := strings.Cut(c.Value, ".")
	n, err := strconv.ParseInt(until, 10, 64)
	return err == nil && time.Unix(n, 0).After(time.Now()) && hmac.Equal([]byte(c.Value), []byte(a.sign(n)))
}

// sign is a cookie that holds until a time.
func (a Access) sign(until int64) string {
	mac := hmac.New(sha256.New, a.Key)
	fmt.Fprintf(mac, "refrain cookie %d", until)
	return strconv.FormatInt(until, 10) + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// KeyFor is the key for cookies of those who have shown a token of the user's own:
// with another token they hold no longer.
func KeyFor(key []byte, token string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("refrain token " + token))
	return []byte(hex.EncodeToString(mac.Sum(nil)))
}

// tries counts wrong tokens: a few in a minute are mistakes, more are guesses.
type tries struct {
	mu    sync.Mutex
	wrong []time.Time
}

const (
	maxTries = 10
	tryTime  = time.Minute
)

func (t *tries) allow(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.wrong) > 0 && now.Sub(t.wrong[0]) > tryTime {
		t.wrong = t.wrong[1:]
	}
	return len(t.wrong) < maxTries
}

func (t *tries) failed(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wrong = append(t.wrong, now)
}
