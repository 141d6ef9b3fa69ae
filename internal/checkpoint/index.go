package checkpoint

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
)

// indexFile is what the index of a repository says of its files, in git's order, and
// which trees it knows already. Of large work trees git itself takes longer to read it,
// and would have to be asked several times.
type indexFile struct {
	entries []indexed
	trees   *knownTree // of the top; nil: none is known
}

// indexed is a file of an index.
type indexed struct {
	path   string
	mode   uint32
	object []byte
	odd    bool // it has several versions, or is only meant to be added
}

// knownTree is a folder whose tree an index knows, or did.
type knownTree struct {
	files   int    // how many there are in it, and below; -1: it is not known any more
	object  []byte // its name
	folders map[string]*knownTree
}

// errUnknownIndex says that only git can read an index.
var errUnknownIndex = errors.New("an index of unknown kind")

// readIndex reads an index.
func readIndex(ctx context.Context, path, format string) (*indexFile, error) {
	text, err := files.ReadFile(ctx, path, maxIndex)
	if err != nil {
		return nil, err
	}
	return parseIndex(text, nameLength(format))
}

// The parts of an entry: what is known of the file on the disk, the name of what it
// holds, flags.
const (
	entryMode    = 24
	entryStat    = 40
	flagExtended = 0x4000
	flagStage    = 0x3000
	flagName     = 0x0fff
	flagIntent   = 0x2000 // among the others
)

func parseIndex(text []byte, length int) (*indexFile, error) {
	if len(text) < 12+length || string(text[:4]) != "DIRC" {
		return nil, errUnknownIndex
	}
	version, n := binary.BigEndian.Uint32(text[4:]), int(binary.BigEndian.Uint32(text[8:]))
	rest := text[12 : len(text)-length]
	if version < 2 || version > 4 || n > len(rest)/entryStat {
		return nil, errUnknownIndex
	}
	x := &indexFile{entries: make([]indexed, 0, n)}
	var before string
	for range n {
		head := entryStat + length + 2
		if len(rest) < head {
			return nil, errUnknownIndex
		}
		e := indexed{mode: binary.BigEndian.Uint32(rest[entryMode:]), object: rest[entryStat : entryStat+length]}
		flags := binary.BigEndian.Uint16(rest[entryStat+length:])
		e.odd = flags&flagStage != 0
		if flags&flagExtended != 0 {
			if head += 2; len(rest) < head || version < 3 {
				return nil, errUnknownIndex
			}
			e.odd = e.odd || binary.BigEndian.Uint16(rest[head-2:])&flagIntent != 0
		}
		var size int
		if version == 4 {
			strip, used := offset(rest[head:])
			if used == 0 || strip > len(before) {
				return nil, errUnknownIndex
			}
			end := bytes.IndexByte(rest[head+used:], 0)
			if end < 0 {
				return nil, errUnknownIndex
			}
			e.path = before[:len(before)-strip] + string(rest[head+used:][:end])
			size = head + used + end + 1
		} else {
			end := bytes.IndexByte(rest[head:], 0)
			if end < 0 || int(flags&flagName) != min(end, flagName) {
				return nil, errUnknownIndex
			}
			e.path = string(rest[head:][:end])
			size = (head + end + 8) &^ 7
		}
		if size > len(rest) || e.path == "" || e.path <= before && !e.odd {
			return nil, errUnknownIndex
		}
		before, rest = e.path, rest[size:]
		x.entries = append(x.entries, e)
	}
	return x, x.extend(rest, length)
}

// offset is a number as git writes one in few bytes; none were used where it is none.
func offset(b []byte) (n, used int) {
	for i, c := range b {
		if i > 4 {
			return 0, 0
		}
		n = n<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return n, i + 1
		}
		n++
	}
	return 0, 0
}

// extend reads what else there is. Of what must be understood only git knows all.
func (x *indexFile) extend(rest []byte, length int) error {
	for len(rest) >= 8 {
		name, size := string(rest[:4]), int(binary.BigEndian.Uint32(rest[4:]))
		if size > len(rest)-8 {
			return errUnknownIndex
		}
		part := rest[8:][:size]
		rest = rest[8+size:]
		switch {
		case name == "TREE":
			top, after, err := parseKnown(part, length, 0)
			if err != nil || len(after) > 0 {
				return errUnknownIndex
			}
			x.trees = top.folders[""]
		case name[0] < 'A' || name[0] > 'Z': // "link": it is split; "sdir": it is sparse
			return errUnknownIndex
		}
	}
	if len(rest) > 0 {
		return errUnknownIndex
	}
	return nil
}

// deepest is more folders in each other than any disk has.
const deepest = 4096

// parseKnown reads one folder, and gives it as the only one of a folder above it.
func parseKnown(b []byte, length, depth int) (in *knownTree, rest []byte, err error) {
	name, b, ok := bytes.Cut(b, []byte{0})
	counts, b, whole := bytes.Cut(b, []byte{'\n'})
	first, second, both := strings.Cut(string(counts), " ")
	k := &knownTree{}
	var folders int
	if k.files, err = strconv.Atoi(first); err == nil {
		folders, err = strconv.Atoi(second)
	}
	if err != nil || !ok || !whole || !both || folders < 0 || depth > deepest {
		return nil, nil, errUnknownIndex
	}
	if k.files >= 0 {
		if len(b) < length {
			return nil, nil, errUnknownIndex
		}
		k.object, b = b[:length], b[length:]
	}
	for range folders {
		var one *knownTree
		if one, b, err = parseKnown(b, length, depth+1); err != nil {
			return nil, nil, err
		}
		if k.folders == nil {
			k.folders = one.folders
			continue
		}
		for name, folder := range one.folders {
			k.folders[name] = folder
		}
	}
	return &knownTree{folders: map[string]*knownTree{string(name): k}}, b, nil
}

// folders are those that files are in, those above others first; the top is empty.
func (x *indexFile) folders() []string {
	list := []string{""}
	seen := map[string]bool{}
	var last string
	for _, e := range x.entries {
		at := strings.LastIndexByte(e.path, '/')
		if at < 0 || e.path[:at] == last {
			continue
		}
		last = e.path[:at]
		for i, c := range e.path[:at] + "/" {
			if c == '/' && !seen[e.path[:i]] {
				seen[e.path[:i]] = true
				list = append(list, e.path[:i])
			}
		}
	}
	return list
}

// treeOf makes the tree of an index as "git write-tree" does. It hands on each tree
// that the index did not know, and gives the name of the last, which is that of all.
func (x *indexFile) treeOf(write func(tree []byte) (name []byte, err error)) (name string, made int, err error) {
	b := treeBuilder{entries: x.entries, write: write}
	top, err := b.build("", x.trees)
	if err == nil && len(b.entries) > 0 {
		err = fmt.Errorf("%w: %s is in none of its folders", errUnknownIndex, b.entries[0].path)
	}
	return hex.EncodeToString(top), b.made, err
}

type treeBuilder struct {
	entries []indexed // those that are not in a tree yet
	write   func([]byte) ([]byte, error)
	made    int
}

const folderMode = "40000"

// build makes the tree of one folder, whose name ends with a slash.
func (b *treeBuilder) build(folder string, known *knownTree) ([]byte, error) {
	if known != nil && known.files >= 0 {
		n := known.files
		if n > len(b.entries) || n == 0 && folder != "" || n > 0 && !strings.HasPrefix(b.entries[n-1].path, folder) ||
			n < len(b.entries) && strings.HasPrefix(b.entries[n].path, folder) {
			return nil, errUnknownIndex // it is damaged
		}
		b.entries = b.entries[n:]
		return known.object, nil
	}
	var tree []byte
	for len(b.entries) > 0 && strings.HasPrefix(b.entries[0].path, folder) {
		e := b.entries[0]
		name, _, isFolder := strings.Cut(e.path[len(folder):], "/")
		mode, object := strconv.FormatUint(uint64(e.mode), 8), e.object
		switch {
		case e.odd || name == "":
			return nil, errUnknownIndex
		case isFolder:
			var in *knownTree
			if known != nil {
				in = known.folders[name]
			}
			mode = folderMode
			var err error
			if object, err = b.build(folder+name+"/", in); err != nil {
				return nil, err
			}
		default:
			b.entries = b.entries[1:]
		}
		tree = fmt.Appendf(tree, "%s %s\x00", mode, name)
		tree = append(tree, object...)
	}
	b.made++
	return b.write(tree)
}

// forgotten is how many trees an index may have forgotten before git is to write them
// into it again.
const forgotten = 200

// writeTree makes the tree of the index. Git would read the index for that, and write
// it: it does so only when it is the first to look, when much is to be made anew, or
// when nobody else can read it.
func (r *shadow) writeTree(ctx context.Context) (string, error) {
	if r.whole {
		x, err := readIndex(ctx, r.index(), r.format)
		if err == nil {
			name, made, err := x.treeOf(func(tree []byte) ([]byte, error) {
				name, err := r.put("tree", tree)
				if err != nil {
					return nil, err
				}
				return hex.DecodeString(name)
			})
			if err == nil && made <= forgotten {
				return name, nil
			}
			if err != nil && !errors.Is(err, errUnknownIndex) {
				return "", fmt.Errorf("write a tree: %w", err)
			}
		}
	}
	out, err := r.run(ctx, git.Command{}, "write-tree", "--missing-ok")
	r.whole = err == nil
	return strings.TrimSpace(string(out)), err
}
