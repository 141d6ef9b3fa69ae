package proxy

import (
	"errors"
	"net/http"
)

// placeOf is where a request wants to go: the HOST:PORT of a CONNECT, or the
// host of an absolute http:// address. A Host header has no say, and does not
// leave: what goes out has the host of the address.
func placeOf(r *http.Request) (place, error) {
	if r.Method == http.MethodConnect {
		return connectPlace(r)
	}
	switch {
	case r.URL.Scheme == "https":
		return place{}, errors.New("https goes through CONNECT")
	case r.URL.Scheme != "http" || r.URL.Opaque != "" || r.URL.Host == "":
		return place{}, errors.New("this is a proxy: it takes CONNECT HOST:PORT, and requests for http://HOST/")
	case r.URL.User != nil:
		return place{}, errors.New("the address has a user in it")
	}
	p, err := parsePlace(r.URL.Host)
	if p.port == 0 {
		p.port = 80
	}
	return p, err
}

func connectPlace(r *http.Request) (place, error) {
	p, err := parsePlace(r.RequestURI) // as it stood there, not as it was understood
	switch {
	case err != nil:
		return place{}, err
	case p.port == 0:
		return place{}, errors.New("CONNECT needs a port")
	case r.ContentLength != 0 || len(r.TransferEncoding) > 0:
		return place{}, errors.New("CONNECT has no body")
	}
	return p, nil
}

// authority is a place as the host of an http:// address.
func (p place) authority() string {
	if p.port != 80 {
		return p.String()
	}
	if p.addr.Is6() {
		return "[" + p.host() + "]"
	}
	return p.host()
}
