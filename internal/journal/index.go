package journal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/seal"
)

// Index is what a list says of runs that are over, kept so that their records need
// not be read for every list. It is only ever a copy of what was read: a run counts
// as known for as long as nothing was written to any file that this came of, and
// where the index is damaged, foreign or missing, all runs are read.
//
// What tells of writes is size, times and number of each of those files, and
// among the times the one that the system keeps for itself. Nobody can put that
// back, so who tampers with records after they were read has them read again. Where
// the system keeps none, there is no index.
//
// To make the index say what no records have said takes the key that seals them, for
// it is sealed with that too: it is not easier to forge than they are. So only runs
// whose records have a seal that fits are in it.
type Index struct {
	store   Store
	version string
	now     time.Time
	seals   seal.Chain // keyed where there can be an index
	known   map[string]known
	next    []known
	changed bool
}

// known is a run in the index.
type known struct {
	name  string
	stamp string
	began int64 // in nanoseconds, by run.json
	tree  string
	link  string // project.Linked as JSON; empty: none
	said  string
}

// Brief is a run for a list.
type Brief struct {
	Name  string
	Tree  string // its work tree
	Entry *Entry // as it was read; nil: it is known
	Said  string // what was kept of it then

	began   time.Time
	number  int
	stamp   string
	settled bool  // so long ago that another write would give another stamp
	as      *Meta // as run.json has it, where that was read
	meta    Meta
}

// BriefOf is a run that was read.
func BriefOf(e Entry) *Brief { return &Brief{Name: e.Name, Tree: e.Tree, Entry: &e} }

const (
	// indexName is a file beside the runs.
	indexName = "runs.index"
	// indexFormat is another one when the file means something else.
	indexFormat = "refrain index 1"
	// settling is how coarse the times of files are at most, and wholeSettling where
	// they are in whole seconds.
	settling, wholeSettling = 100 * time.Millisecond, 2 * time.Second
)

// OpenIndex reads the index of a store at a time. The version says who made what is
// kept: that of any other is not believed.
func OpenIndex(s Store, version string, now time.Time) *Index {
	x := &Index{store: s, version: version, now: now, known: map[string]known{}}
	key, err := s.keys.key()
	if err != nil || key == nil {
		return x
	}
	x.seals = seal.New(seal.KeyOf(key, "index of runs\n"+s.keys.records()), "")
	x.read()
	return x
}

func (x *Index) path() string { return filepath.Join(x.store.Dir, indexName) }

// head is the first line of the file.
func (x *Index) head() string { return fmt.Sprintf("%s %q", indexFormat, x.version) }

// read takes in what was kept, if all of it is as it was written.
func (x *Index) read() {
	x.changed = true // until all that is known is found to be so still
	b, err := readSmall(x.path())
	if err != nil || !x.seals.Follows(x.seals.Place(indexName), b) {
		return
	}
	head, rest, _ := strings.Cut(string(b), "\n")
	if head != x.head() {
		return
	}
	x.known = make(map[string]known, strings.Count(rest, "\n"))
	for {
		line, after, more := strings.Cut(rest, "\n")
		if !more {
			break // the seal
		}
		if k, ok := readKnown(line); ok {
			x.known[k.name] = k
		}
		rest = after
	}
	x.changed = false
}

func readKnown(line string) (k known, ok bool) {
	var began string
	for _, field := range []*string{&k.name, &k.stamp, &began, &k.tree, &k.link} {
		if *field, line, ok = strings.Cut(line, "\t"); !ok {
			return known{}, false
		}
	}
	k.said = line
	k.began, _ = strconv.ParseInt(began, 10, 64) // we have written it
	return k, true
}

func (k known) line() string {
	return strings.Join([]string{k.name, k.stamp, strconv.FormatInt(k.began, 10), k.tree, k.link, k.said}, "\t")
}

// home is what its work tree follows from.
func (k known) home() string {
	if k.link == "" {
		return k.tree
	}
	return k.tree + "\t" + k.link
}

// at is when it began.
func (k known) at() time.Time { return time.Unix(0, k.began).UTC() }

// meta is as much of run.json as is kept.
func (k known) meta() Meta {
	m := Meta{Name: k.name, StartedAt: k.at(), Tree: k.tree}
	if k.link != "" {
		m.Linked = new(project.Linked)
		_ = json.Unmarshal([]byte(k.link), m.Linked) // we have written it
	}
	return m
}

// List is Store.List, where what is known is not read.
func (x *Index) List() ([]*Brief, []Unreadable, error) {
	folders, err := x.store.runs().folders()
	if err != nil {
		return nil, nil, err
	}
	list := make([]*Brief, 0, len(folders))
	x.next = make([]known, 0, len(folders))
	var bad []Unreadable
	marks := openStamps(string(x.store.runs()))
	defer marks.close()
	trees := map[string]string{} // many runs are of one
	for _, f := range folders {
		b := &Brief{Name: f.Name()}
		if x.seals.Keyed() {
			b.stamp, b.settled = marks.of(b.Name, x.now) // before anything is read
		}
		if k, ok := x.known[b.Name]; ok && b.stamp == k.stamp {
			tree, ok := trees[k.home()]
			if !ok {
				tree, _ = x.store.homes().of(k.meta())
				trees[k.home()] = tree
			}
			b.Tree, b.Said, b.began = tree, k.said, k.at()
			x.next = append(x.next, k)
			list = append(list, b.numbered())
			continue
		}
		m, err := x.store.runs().written(b.Name, true, x.store.keys)
		b.meta = x.store.homes().at(m)
		b.as, b.Tree, b.began = &m, b.meta.Tree, m.StartedAt
		switch {
		case err == nil:
			list = append(list, b.numbered())
		case !isNotFound(err):
			bad = append(bad, b.unreadable(x.store, err))
		}
	}
	x.changed = x.changed || len(x.next) < len(x.known)
	slices.SortStableFunc(list, (*Brief).before)
	read := list[:0]
	for _, b := range list {
		if b.as != nil {
			e, err := x.store.entry(b.meta)
			if err != nil {
				if !isNotFound(err) {
					bad = append(bad, b.unreadable(x.store, err))
				}
				continue
			}
			b.Entry = &e
		}
		read = append(read, b)
	}
	return read, bad, nil
}

func (b *Brief) unreadable(s Store, err error) Unreadable {
	return Unreadable{Name: b.Name, Tree: b.Tree, Dir: s.dir(b.Name), Err: err}
}

// numbered knows the number of the run, which its name ends with.
func (b *Brief) numbered() *Brief {
	b.number, _ = strconv.Atoi(b.Name[strings.LastIndexByte(b.Name, '-')+1:])
	return b
}

// before is the order of Meta.before.
func (b *Brief) before(o *Brief) int {
	if later := b.began.Compare(o.began); later != 0 {
		return later
	}
	return cmp.Or(cmp.Compare(b.number, o.number), strings.Compare(b.Name, o.Name))
}

// Keep remembers what a list says of a run that was read, on one line. One that is not
// over, or whose records are not all as they should be, is read every time.
func (x *Index) Keep(b *Brief, said func() string) {
	e := b.Entry
	if e == nil || b.as == nil || b.stamp == "" || !b.settled || !sound(*e) || x.live(*e) {
		return
	}
	k := known{name: b.Name, stamp: b.stamp, began: b.began.UnixNano(), tree: b.as.Tree, said: said()}
	if b.as.Linked != nil {
		link, err := json.Marshal(b.as.Linked)
		if err != nil {
			return
		}
		k.link = string(link)
	}
	// A path may have any letter, and a time any year.
	if again, ok := readKnown(k.line()); !ok || again != k || k.said == "" || !k.at().Equal(b.began) || strings.Contains(k.line(), "\n") {
		return
	}
	x.next = append(x.next, k)
	x.changed = true
}

// sound tells whether a run is over, and all that was read of it is believed: by its
// seals, and not for want of them.
func sound(e Entry) bool {
	return (e.Finished != nil || e.Parked != nil) && e.Tampered == "" && e.Unchecked == "" && !e.Strange.Any() &&
		!e.Unsealed && e.Key != "" && e.Head != nil
}

// live tells whether somebody goes on with a run, who may not have said so yet.
func (x *Index) live(e Entry) bool {
	h, held := x.store.At(e.Tree).Holder()
	return held && h.Run == e.Name
}

// Close writes what is known now. Where it cannot, the next list reads more: that is
// no error. Of two who write at once, one has written.
func (x *Index) Close() {
	if !x.changed || !x.seals.Keyed() || len(x.next)+len(x.known) == 0 {
		return
	}
	var b bytes.Buffer
	b.WriteString(x.head() + "\n")
	for _, k := range x.next {
		b.WriteString(k.line() + "\n")
	}
	fmt.Fprintf(&b, `{"runs":%d}`, len(x.next))
	sealed, _ := x.seals.Seal(x.seals.Place(indexName), b.Bytes())
	_ = replace(x.path(), sealed, false)
}

// forgetIndex removes the index, so that it says nothing of a run that was deleted.
// It is made anew with the next list.
func forgetIndex(s Store) { _ = os.Remove(filepath.Join(s.Dir, indexName)) }
