package dispatch

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/request"
)

// settings is what holds for the fleet in the folder of -C.
func (p post) settings(flags ...config.Flag) (config.Fleet, error) {
	a, err := request.In(p.Dir(), request.Request{Flags: flags})
	if err != nil {
		return config.Fleet{}, err
	}
	return a.Config().Fleet, nil
}

// workerSettings is what holds for a worker: no project has a say in that, wherever it
// was started.
func workerSettings(flags ...config.Flag) (config.Fleet, error) {
	r, err := config.Load(request.Sources("", request.Request{Untrusted: true, Flags: flags}))
	if err != nil {
		return config.Fleet{}, err
	}
	return r.Config.Fleet, nil
}

// serverOf is the server that settings and environment name. Whoever has something to
// show to it, or about it, wants nobody to listen.
func serverOf(f config.Fleet) fleet.Server {
	tls := fleet.TLS{On: f.TLS.On, Cert: home(f.TLS.Cert), Key: home(f.TLS.Key), CA: home(f.TLS.CA), ServerName: f.TLS.ServerName}
	s := fleet.Server{Address: f.Address, Namespace: f.Namespace, APIKey: strings.TrimSpace(os.Getenv(config.FleetKey))}
	tls.On = tls.On || tls.Cert != "" || tls.Key != "" || tls.CA != "" || tls.ServerName != "" || s.APIKey != ""
	s.TLS = tls
	return s
}

// home is a path of the settings, in which ~ is the home folder.
func home(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		return path // opening it says that it is not there
	}
	return filepath.Join(dir, rest)
}
