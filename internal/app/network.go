package app

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/proxy"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/sandbox"
)

// network is the way of a crew to the hosts that are listed: a proxy for each role, for
// whoever judges has no business with the agent's hosts.
type network struct {
	proxies []*proxy.Server
	ways    map[proc.Role]sandbox.Way
}

// openNetwork starts the proxies of a crew; nil: the network is open to all. What they
// refuse is told to news.
func openNetwork(a request.Assignment, kind fence.Kind, s site, news *news) (*network, error) {
	if a.Config().Sandbox.Network != config.Listed {
		return nil, nil
	}
	n := &network{ways: map[proc.Role]sandbox.Way{}}
	for role, hosts := range hostsOf(a, s) {
		settings := proxy.Settings{
			Hosts: hosts, Log: news.warn,
			Refused: func(r proxy.Refusal) { news.add(hostRefused(r, role)) },
		}
		if err := n.open(kind, role, s.temp, settings); err != nil {
			n.close()
			return nil, err
		}
	}
	return n, nil
}

// hostsOf is what each role may reach: those who judge need no agent's hosts.
func hostsOf(a request.Assignment, s site) map[proc.Role][]string {
	common := slices.Concat(a.Config().Sandbox.Hosts, proxy.Registries(filesOf(a.Tree)))
	hosts := map[proc.Role][]string{}
	for _, role := range roles {
		hosts[role] = common
	}
	hosts[proc.Agent] = slices.Concat(common, agentHosts(a, s.agents))
	hosts[proc.Reviewer] = slices.Concat(common, agentHosts(a, s.reviews))
	return hosts
}

// open starts the proxy of one role. In namespaces it is reached by a socket, from a
// loopback that is the role's alone; with landlock there is only one loopback.
func (n *network) open(kind fence.Kind, role proc.Role, temp string, s proxy.Settings) error {
	way := sandbox.Way{Forward: proxy.Forwards(s.Hosts)}
	var server *proxy.Server
	var err error
	if kind == fence.Namespaces {
		s.Socket = filepath.Join(temp, "net", fmt.Sprintf("%d.sock", role))
		way.Proxy, way.Port = s.Socket, freePort(way.Forward)
		server, err = proxy.Listen(s)
	} else {
		var l net.Listener
		if l, err = net.Listen("tcp4", "127.0.0.1:0"); err != nil {
			return fmt.Errorf("listen for the sandbox's network: %w", err)
		}
		way.Proxy, way.Port = l.Addr().String(), l.Addr().(*net.TCPAddr).Port
		if server, err = proxy.Serve(s, l); err != nil {
			_ = l.Close()
		}
	}
	if err != nil {
		return err
	}
	n.proxies = append(n.proxies, server)
	n.ways[role] = way
	return nil
}

// close ends all proxies, and every connection through them.
func (n *network) close() {
	if n == nil {
		return
	}
	for _, p := range n.proxies {
		_ = p.Close() // of a listener that is closed
	}
}

// insidePort is the port of the proxy in namespaces: above those that systems give
// away, so that few programs want it for themselves.
const insidePort = 61128

// freePort is one that is not forwarded.
func freePort(forward []string) int {
	port := insidePort
	for slices.ContainsFunc(forward, func(f string) bool { return strings.HasSuffix(f, fmt.Sprintf(":%d", port)) }) {
		port++
	}
	return port
}

// agentHosts is what agents must reach. Where a project sends its agents to it has to
// say in sandbox.hosts, which is asked about.
func agentHosts(a request.Assignment, names []string) []string {
	var list []string
	for _, name := range names {
		env := os.Environ()
		for key, value := range a.Config().Agents[name].Env {
			if !a.Settings.OfProject("agents." + name + ".env." + key) {
				env = append(env, key+"="+value)
			}
		}
		list = append(list, agent.Hosts(name, env)...)
	}
	return slices.DeleteFunc(list, func(host string) bool { return proxy.Valid(host) != nil })
}

const (
	// deepest is how far below the work tree a project may lie.
	deepest = 4
	// mostFiles is how many of them are looked at.
	mostFiles = 20_000
)

// filesOf names the files of a work tree by which its languages are known. What others
// wrote is not looked into.
func filesOf(tree string) []string {
	var list []string
	seen := 0
	_ = filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error { // it only ends early
		switch seen++; {
		case seen > mostFiles:
			return errEnough
		case err != nil:
			return nil
		case !d.IsDir():
			list = append(list, d.Name())
			return nil
		}
		rel, _ := filepath.Rel(tree, path)
		foreign := strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "vendor"
		if path != tree && (foreign || strings.Count(rel, string(filepath.Separator)) >= deepest) {
			return fs.SkipDir
		}
		return nil
	})
	return list
}

var errEnough = errors.New("enough was seen")

// onLoopback tells whether an address, with its port, is on loopback.
func onLoopback(address string) (port uint16, ok bool) {
	to, err := netip.ParseAddrPort(address)
	return to.Port(), err == nil && to.Addr().IsLoopback()
}
