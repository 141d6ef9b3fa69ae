package fence

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// role is what a path is for who is inside. At one path the last of these that asks
// for it has it: what forbids comes after what allows.
type role int

const (
	emptied   role = iota // a folder of its own, such as /run
	temporary             // the folder for temporary files
	shown                 // as it is, and only read
	reached               // as it is, and its sockets may be connected to
	sieved                // a folder with all that was there but what is hidden
	copied                // copy-on-write
	changed               // may be changed
	kept                  // only read, in what may be changed
	hidden                // not there
)

// place is one path of the plan, and what is mounted there.
type place struct {
	path   string // free of links
	role   role
	folder bool
	idle   bool // nothing is to be mounted: it is so by what is above it
	theirs bool // a socket of others, which may go at any time
	loose  bool // it is shown if it can be
}

// plan is what all paths are for who is inside: the deepest place above a path tells,
// and where there is none, it is only read.
type plan struct {
	places []place           // sorted, so that what lies below comes later
	links  map[string]string // links on the way to the places, and where they point
	temp   string            // what is in the folders for temporary files
}

// names are where programs ask for the names of hosts and users, or, as some systems
// have it, where the programs themselves are found.
var names = []string{
	"/run/systemd/resolve", "/run/nscd", "/run/nslcd", "/var/lib/sss/pipes/nss",
	"/run/current-system", "/run/booted-system", "/run/opengl-driver",
}

// newPlan finds out what is where. Links are followed: a fence is around what is
// there, by whatever name it is reached.
func newPlan(p Policy, sockets []string) (plan, error) {
	pl := plan{links: map[string]string{}}
	lists := []struct {
		role  role
		paths []string
	}{
		{shown, p.Show},
		{reached, p.Sockets},
		{reached, names},
		{shown, resolvers()},
		{copied, p.Private},
		{changed, p.Write},
		{changed, []string{p.Temp}},
		{kept, p.Keep},
		{hidden, p.Hide},
	}
	for _, path := range covered {
		if err := pl.cover(path, p); err != nil {
			return plan{}, err
		}
	}
	for _, list := range lists {
		for _, path := range list.paths {
			if err := pl.add(path, list.role); err != nil {
				return plan{}, err
			}
		}
	}
	pl.sort()
	for _, path := range p.Hide {
		pl.sieve(path)
	}
	pl.settle()
	for _, path := range sockets {
		pl.close(path)
	}
	pl.sort()
	return pl, nil
}

// cover gives one of the folders of everybody another content.
func (pl *plan) cover(path string, p Policy) error {
	if !strings.HasSuffix(path, "tmp") {
		return pl.add(path, emptied)
	}
	if p.Temp == "" || p.TempOwn {
		return nil
	}
	var err error
	if pl.temp, _, err = pl.follow(p.Temp); err != nil {
		return failed("have a folder for temporary files", err)
	}
	return pl.add(path, temporary)
}

// resolvers are the folders below /run in which the addresses of name servers are.
func resolvers() []string {
	path, err := filepath.EvalSymlinks("/etc/resolv.conf")
	if err != nil || !below(path, "/run") {
		return nil
	}
	if dir := filepath.Dir(path); dir != "/run" {
		return []string{dir} // it is replaced now and then
	}
	return []string{path}
}

// add puts a path on the plan, if there is such a thing.
func (pl *plan) add(path string, r role) error {
	if path == "" {
		return nil
	}
	real, info, err := pl.follow(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err != nil && r != changed:
		return nil // who is inside can not reach it either
	case err != nil:
		return &Error{Kind: Namespaces, What: "let " + path + " be changed", Err: err}
	case real == "/":
		return &Error{Kind: Namespaces, What: "go by the policy", Err: fmt.Errorf("it names %s, which is all there is", path)}
	case r == changed && filepath.Dir(real) == "/dev":
		return nil // there are devices inside, and none but those
	}
	pl.places = append(pl.places, place{path: real, role: r, folder: info.IsDir()})
	return nil
}

// maxSieved is how many things in a folder are shown one by one. In a fuller one what is
// hidden is covered where it lies.
const maxSieved = 2000

// sieve has the folder around something hidden be another one, with the rest of what is
// in it. A cover alone would go when somebody outside puts another file in the place of
// what it covers, as every program does that saves a file; and what is not there yet
// would be seen once it is.
func (pl *plan) sieve(path string) {
	dir, info, err := pl.follow(filepath.Dir(path))
	if err != nil || !info.IsDir() || dir == "/" || filepath.Dir(dir) == "/" && dir != "/root" {
		return // what is the system's own changes, and has to be seen as it is
	}
	at := pl.at(dir)
	if at == sieved || at != shown && at != reached {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > maxSieved {
		return
	}
	pl.places = append(pl.places, place{path: dir, role: sieved, folder: true})
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if e.Type()&fs.ModeSymlink == 0 {
			pl.places = append(pl.places, place{path: name, role: shown, folder: e.IsDir(), loose: true})
		} else if target, err := os.Readlink(name); err == nil {
			pl.links[name] = target
		}
	}
	pl.sort()
}

// at is what a path is so far. What is shown in what is not covered is as the rest of
// that.
func (pl *plan) at(path string) role {
	one := pl.deepest(path)
	if one.path == "" || one.role != shown && one.role != reached {
		return one.role
	}
	if above := pl.at(filepath.Dir(one.path)); !above.covers() {
		return above
	}
	return one.role
}

// deepest is the deepest place at a path or above it. What none is above is shown.
func (pl *plan) deepest(path string) (found place) {
	found.role = shown
	for _, one := range pl.places {
		if below(path, one.path) && len(one.path) > len(found.path) {
			found = one
		}
	}
	return found
}

// settle sorts the places, leaves one for each path, and finds out which are so
// without a mount. That is not for speed: nothing can be renamed or linked from one
// mount to another.
func (pl *plan) settle() {
	pl.sort()
	for i, one := range pl.places {
		above := pl.above(one.path)
		pl.places[i].idle = one.role.idleBelow(above.role)
		if one.role == kept && above.role == changed {
			pl.pin(one.path, above.path)
		}
	}
}

// pin makes places of the folders between what is kept and what may be changed. Else one
// of them could be renamed, and another one put where it was; what is a mount can not.
func (pl *plan) pin(path, below string) {
	for dir := filepath.Dir(path); dir != below; dir = filepath.Dir(dir) {
		pl.places = append(pl.places, place{path: dir, role: changed, folder: true})
	}
}

// sort puts the places in order, and leaves the strictest of those at one path.
func (pl *plan) sort() {
	slices.SortFunc(pl.places, deeperLast)
	slices.Reverse(pl.places) // of what is equal, the first is left
	pl.places = slices.CompactFunc(pl.places, func(a, b place) bool { return a.path == b.path })
	slices.Reverse(pl.places)
}

// idleBelow tells whether a path of this role needs no mount below one of the other.
func (r role) idleBelow(above role) bool {
	covered := above.covers()
	switch r {
	case shown, reached:
		return !covered
	case changed:
		return above == changed
	case copied:
		return above == copied
	case kept:
		return above != changed && above != copied
	case hidden:
		return covered
	}
	return false
}

// covers tells whether nothing of what was below a path of this role is seen.
func (r role) covers() bool {
	return r == emptied || r == temporary || r == hidden || r == sieved
}

// above is the deepest place above a path that is mounted, without the path itself. What
// no place is above is as a place that is shown.
func (pl *plan) above(path string) (found place) {
	found.role = shown
	for _, one := range pl.places {
		if !one.idle && one.path != path && below(path, one.path) && len(one.path) > len(found.path) {
			found = one
		}
	}
	return found
}

// close hides a socket that nobody inside may connect to.
func (pl *plan) close(path string) {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return
	}
	path = filepath.Join(dir, filepath.Base(path))
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSocket == 0 {
		return // of another place, with the same name here
	}
	switch pl.deepest(path).role {
	case shown, kept, copied:
		pl.places = append(pl.places, place{path: path, role: hidden, theirs: true})
	}
}

// follow gives the path without links, and what is there. It notes the links, for
// they may be in a folder that is covered.
func (pl *plan) follow(path string) (real string, info fs.FileInfo, err error) {
	real = "/"
	rest := strings.Split(path, "/")
	for hops := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			real = filepath.Dir(real)
			continue
		}
		next := filepath.Join(real, name)
		if info, err = os.Lstat(next); err != nil {
			return "", nil, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			real = next
			continue
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", nil, err
		}
		if hops++; hops > 40 {
			return "", nil, fmt.Errorf("too many links in %s", path)
		}
		pl.links[next] = target
		if filepath.IsAbs(target) {
			real = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	info, err = os.Lstat(real) // a link may have led back up
	return real, info, err
}

// deeperLast sorts what lies below after what it lies below, and at one path what is
// stricter last, and of that what is to be mounted.
func deeperLast(a, b place) int {
	if c := slices.Compare(strings.Split(a.path, "/"), strings.Split(b.path, "/")); c != 0 {
		return c
	}
	if c := cmp.Compare(a.role, b.role); c != 0 || a.idle == b.idle {
		return c
	}
	if a.idle {
		return -1
	}
	return 1
}
