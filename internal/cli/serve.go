package cli

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/doctor"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/governor"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/policy"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/web"
)

// usualListen is where the page is, unless somebody wants it elsewhere: always the
// same place, so that a browser finds it again.
const usualListen = "127.0.0.1:4117"

func serveCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show every run of this machine on a page in your browser, and act on it there",
		Long: "Serve a page with the runs of every project of yours, live: what needs you, what runs, what is over; for each\n" +
			"run what its agents say and do, what changed, what the gates said and why claims were refused. On it you can start,\n" +
			"steer, stop, resume and roll back runs, as with the commands of that name. Ctrl+C ends the page, and no run.\n\n" +
			"Only this machine can reach it, and only a browser that was opened with the address that is printed. Another\n" +
			"address for --listen needs a token of your own, and something in front of it that encrypts; docs/web.md says how.",
		Example: "  refrain serve --open\n" +
			"  refrain serve --listen 127.0.0.1:8080\n" +
			"  refrain serve --listen 0.0.0.0:4117 --token-file ~/.refrain-token --host loops.example.org",
		Args: noArguments,
	}
	o := serving{what: "The runs of this machine"}
	o.command(sh, cmd, usualListen, func(context.Context) (web.Options, func(), error) { return machine(sh), func() {}, nil })
	return cmd
}

// command makes a command of it, which shows what somebody can look at.
func (o *serving) command(sh *shell, cmd *cobra.Command, listen string, look func(context.Context) (options web.Options, end func(), err error)) {
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", listen, "the address and port to listen at")
	f.StringVar(&o.tokenFile, "token-file", "", "the file with a token of your own, of 16 characters at least")
	f.StringArrayVar(&o.hosts, "host", nil, "another name that the page is reached by, as of a tunnel or a proxy (repeatable)")
	f.BoolVar(&o.tunnel, "tunnel", false, "a tunnel or a proxy on this machine stands in front: let those act whose process cannot be seen")
	open := f.Bool("open", false, "show it in a browser")
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if os.Getenv("REFRAIN_RUN_ID") != "" || partOfARun(os.Getpid()) {
			return failure{"this is a part of a run: an agent must not serve what steers it", "start it in a terminal of your own", statusFailed}
		}
		ctx, stop := sh.untilSignal(cmd.Context())
		defer stop()
		options, end, err := look(ctx)
		if err != nil {
			return err
		}
		defer end()
		o.moves = !cmd.Flags().Changed("listen")
		page, err := o.begin(options)
		if err != nil {
			return err
		}
		if *asJSON {
			err = printJSON(sh.out, map[string]string{"address": page.address})
		} else {
			_, err = fmt.Fprintf(sh.out, "%s: %s\n", o.what, page.address) // in one piece, to be clicked
		}
		if err != nil {
			page.close()
			return err
		}
		if page.note != "" {
			fmt.Fprintln(sh.err, page.note)
		}
		if *open {
			if err := showPage(ctx, page.address); err != nil {
				fmt.Fprintf(sh.err, "WARNING: %v\n", err)
			}
		}
		err = page.serve(ctx)
		sh.status = 0 // a signal is how it ends
		return err
	}
}

// serveBeside serves the page while a run is alive, to its very end: who interrupts the
// run wants to see what comes of it. Its end must be called.
func serveBeside(ctx context.Context, sh *shell) (end func(), err error) {
	options := machine(sh)
	options.Farewell = "this page has ended with its run; \"refrain serve\" shows it again"
	page, err := serving{listen: usualListen, moves: true}.begin(options)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(sh.err, "The runs of this machine: %s\n", page.address)
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = page.serve(ctx) // the run goes on without it
	}()
	return func() {
		cancel()
		<-done
	}, nil
}

// serving is what a person wants of the page.
type serving struct {
	what      string // is shown
	listen    string
	tokenFile string
	hosts     []string
	tunnel    bool
	moves     bool // another port will do, where this one is taken
}

// served is a page that is about to be served.
type served struct {
	server   *web.Server
	listener net.Listener
	address  string // with the token
	note     string // what a person should know
}

// close lets go of a page that nobody will see.
func (p *served) close() {
	_ = p.listener.Close()
	p.server.Close()
}

func (p *served) serve(ctx context.Context) error { return p.server.Serve(ctx, p.listener) }

// begin listens, so that whatever is wrong is told before anything is opened.
func (o serving) begin(options web.Options) (*served, error) {
	host, port, err := net.SplitHostPort(o.listen)
	if err != nil {
		return nil, usage(fmt.Sprintf("%q is not an address to listen at", o.listen), "write it like 127.0.0.1:4117")
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return nil, usage(fmt.Sprintf("%q is not a port", port), "write a number up to 65535; 0 is any that is free")
	}
	for _, name := range o.hosts {
		if u, err := url.Parse("http://" + name); err != nil || u.Host != name || u.Hostname() == "" || strings.ContainsAny(name, " \\<>") {
			return nil, usage(fmt.Sprintf("%q is not a name that a page is reached by", name), "write it as it stands in the address, like loops.example.org or 127.0.0.1:8080")
		}
	}
	elsewhere := !text.IsLoopback(host)
	access := web.Access{Hosts: o.hosts, Elsewhere: elsewhere}
	if access.Key, err = cookieKey(); err != nil {
		return nil, err
	}
	switch {
	case o.tokenFile != "":
		if access.Token, err = ownToken(o.tokenFile); err != nil {
			return nil, err
		}
		access.Key = web.KeyFor(access.Key, access.Token)
	case elsewhere:
		return nil, usage(fmt.Sprintf("%s can be reached by others, and the page would be theirs", o.listen),
			"give a token of your own with --token-file, and put TLS in front, or keep 127.0.0.1 and use a tunnel: docs/web.md says how")
	default:
		access.Token = newToken()
	}
	p := &served{}
	if p.listener, err = net.Listen("tcp", o.listen); errors.Is(err, syscall.EADDRINUSE) && o.moves {
		p.note = fmt.Sprintf("NOTE: %s is taken, perhaps by another \"refrain serve\": this is another port", o.listen)
		p.listener, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return nil, failure{fmt.Sprintf("cannot listen at %s: %v", o.listen, cause(err)), "choose another address with --listen; port 0 is any that is free", statusFailed}
	}
	access.Port = p.listener.Addr().(*net.TCPAddr).Port
	options.Access, options.Tunnel, options.Inside = access, o.tunnel, partOfARun
	if p.server, err = web.New(options); err != nil {
		_ = p.listener.Close()
		return nil, err
	}
	shown := host
	if host == "" || net.ParseIP(host).IsUnspecified() {
		shown = "127.0.0.1"
	}
	p.address = "http://" + net.JoinHostPort(shown, strconv.Itoa(access.Port)) + "/"
	if o.tokenFile == "" {
		p.address += "?token=" + access.Token
	}
	if elsewhere {
		p.note = strings.TrimPrefix(p.note+"\n", "\n") + "WARNING: what goes over the network is not encrypted here: put TLS in front, or use a tunnel (docs/web.md)"
	}
	return p, nil
}

// plainPage is what a server of any runs needs of this program.
func plainPage() web.Options {
	return web.Options{
		Version: Version, Farewell: "this page has ended with its server", Raisable: policy.Raisable,
		Explain: func(err error) (why, hint string) {
			f := explain(err)
			return oneLine(f.what), f.hint
		},
	}
}

// machine is the runs of this machine.
func machine(sh *shell) web.Options {
	opts := plainPage()
	opts.Stores, opts.Look, opts.LookClosely, opts.Limits, opts.Program = history.Stores, lookAt, lookClosely, knownLimits, program{}
	opts.Tasks = func(store journal.Store, run string) ([]web.Task, error) {
		list, err := tasksOf(store, run)
		var tasks []web.Task
		for _, t := range list {
			said := strings.TrimLeft(t.Text, " ")
			tasks = append(tasks, web.Task{Text: said, Depth: (len(t.Text) - len(said)) / 2, Done: t.Done, Doing: t.Doing})
		}
		return tasks, err
	}
	if store, err := sh.store(); err == nil { // else it stands nowhere
		opts.Here = store.Tree
	}
	return opts
}

// knownLimits are what the providers have told the runs of this user.
func knownLimits(now time.Time) ([]web.Limit, error) {
	dir, err := project.Folder(os.Getenv)
	if err != nil {
		return nil, err
	}
	entries, err := governor.Open(dir).All(now)
	var list []web.Limit
	for _, e := range entries {
		list = append(list, web.Limit{Agent: e.Agent, Kind: e.Kind, Until: e.Ends(), At: e.At, Run: e.Run, Tree: e.Tree})
	}
	return list, err
}

// cause is the innermost reason of an error of the network's.
func cause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

func newToken() string {
	var b [24]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// shortestToken is what a token of a person's own has at least.
const shortestToken = 16

func ownToken(path string) (string, error) {
	b, err := files.ReadFile(context.Background(), path, 4<<10)
	if err != nil {
		return "", usage(fmt.Sprintf("the token in %s cannot be read: %s", path, files.Cause(err)), "make the file, with a long random text in it")
	}
	token := strings.TrimSpace(string(b))
	if len(token) < shortestToken {
		return "", usage(fmt.Sprintf("the token in %s is too short", path), fmt.Sprintf("take %d characters at least: head -c 24 /dev/urandom | base64 > %s", shortestToken, path))
	}
	return token, nil
}

// cookieKey is what cookies are signed with. It is kept, so that a browser that was let
// in is known to the next server. Where it cannot be kept, it is for this one.
func cookieKey() ([]byte, error) {
	fresh := []byte(newToken())
	dir, err := project.Folder(os.Getenv)
	if err != nil {
		return fresh, nil
	}
	path := filepath.Join(dir, "serve.key")
	if b, err := files.Read(context.Background(), dir, "serve.key", 4<<10); err == nil && len(b) >= shortestToken {
		return b, nil
	}
	if os.MkdirAll(dir, 0o700) == nil {
		_ = files.Replace(path, fresh, 0o600, files.NoSync)
	}
	return fresh, nil
}

// partOfARun tells whether a process was started by a run, or may have been. What the
// process is tells more than the records, which an agent can write to.
func partOfARun(pid int) bool {
	if proc.Kept(pid) {
		return true
	}
	list, err := everyLive()
	return err != nil || slices.ContainsFunc(list, func(r history.LiveRun) bool {
		h, held := r.Store.Holder()
		return held && h.PID != 0 && proc.Descends(pid, h.PID)
	})
}

// program is this program, for what a page starts: it is typed as a person would.
type program struct{}

func (program) Start(ctx context.Context, tree string, args []string) (run, id string, err error) {
	said, err := runSelf(ctx, slices.Concat(args[:1], []string{"--dir", tree, "--detach"}, args[1:]))
	if err != nil {
		return "", "", err
	}
	store, err := history.OpenStore(tree)
	if err != nil {
		return "", "", err
	}
	name, _, _ := strings.Cut(string(said), " ")
	if !runName().MatchString(name) {
		name = "" // it has ended already: it is the latest
	}
	entry, err := store.Find(name)
	return entry.Name, entry.ID, err
}

func (program) Check(ctx context.Context, tree string, args []string) ([]byte, error) {
	return runSelf(ctx, slices.Concat(args[:1], []string{"--dir", tree, "--dry-run", "--output", "json"}, args[1:]))
}

func (program) Offers(ctx context.Context, tree string) (web.Offers, error) {
	o := web.Offers{Procedures: []web.Procedure{}, Agents: []web.Agent{}}
	here, err := request.In(tree, request.Request{})
	if err != nil {
		return o, told(err)
	}
	o.Agent = here.Config().Agent
	for _, a := range doctor.Agents(ctx, here) {
		o.Agents = append(o.Agents, web.Agent{Name: a.Name, Installed: a.Found})
	}
	list, err := request.Procedures(tree, nil)
	if err != nil {
		return o, told(err)
	}
	for _, p := range list {
		o.Procedures = append(o.Procedures, web.Procedure{Name: p.Name, About: p.Summary, Family: p.Family})
	}
	return o, nil
}

// runSelf runs this program, and gives what it printed. What it refuses is an error in
// its own words.
func runSelf(ctx context.Context, args []string) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	var complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err == nil {
		return out, nil
	}
	refusal := &web.Refusal{Why: cmp.Or(oneLine(complaint.String()), "the command ended with: "+err.Error())}
	for line := range strings.Lines(complaint.String()) {
		line = strings.TrimSpace(line)
		if why, ok := strings.CutPrefix(line, "refrain: "); ok {
			refusal.Why, refusal.Hint = why, ""
		}
		if hint, ok := strings.CutPrefix(line, "hint: "); ok {
			refusal.Hint = hint
		}
	}
	return nil, refusal
}
