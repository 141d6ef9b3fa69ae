package flow

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/text"
)

// secure is how the connection to a server is made safe; nil is a plain one.
func secure(s fleet.Server) (*tls.Config, error) {
	t := s.TLS
	if !t.On {
		if host, _, err := net.SplitHostPort(s.Address); s.APIKey != "" && (err != nil || !text.IsLoopback(host)) {
			return nil, &fleet.ServerError{
				What: "the key of the fleet's server would be sent to " + s.Address + " where everybody can read it",
				Do:   "set fleet.tls = true; or unset REFRAIN_FLEET_API_KEY",
			}
		}
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	if t.Cert != "" || t.Key != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, &fleet.ServerError{
				What: "what says to the fleet's server who we are cannot be read", Err: err,
				Do: "see fleet.tls_cert and fleet.tls_key: two files in PEM, both needed",
			}
		}
		c.Certificates = []tls.Certificate{pair}
	}
	if t.CA == "" {
		return c, nil
	}
	pem, err := os.ReadFile(t.CA)
	if err == nil {
		c.RootCAs = x509.NewCertPool()
		if c.RootCAs.AppendCertsFromPEM(pem) {
			return c, nil
		}
	}
	return nil, &fleet.ServerError{
		What: "there is no certificate in " + t.CA, Err: err,
		Do: "see fleet.tls_ca: a file in PEM with those whom we believe",
	}
}
