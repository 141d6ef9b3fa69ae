package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"path/filepath"
	"time"

	"github.com/refrain-loop/refrain/internal/seal"
)

// stamped are the files of a run that a list goes by, in its folder: what is read to
// tell how it stands, and whether somebody else has written to that.
func stamped() []string {
	list := []string{journalName, seal.HeadName, carriedName}
	for _, name := range besideNames {
		list = append(list, besidePath("", name))
	}
	return list
}

// mark is what the system knows of a file without reading it; zero where there is
// none.
type mark struct{ mode, size, inode, written, changed int64 }

// stamps are the marks of the files of runs.
type stamps struct {
	marker
	names []string
	block []byte
}

func openStamps(runs string) *stamps {
	s := &stamps{marker: openMarker(runs), names: stamped()}
	for i, name := range s.names {
		s.names[i] = string(filepath.Separator) + name
	}
	return s
}

// of is the stamp of a run, and whether no write after it can leave it as it is:
// times of files are coarse. It is empty where there is none to rely on.
func (s *stamps) of(run string, now time.Time) (stamp string, settled bool) {
	latest, settles := int64(0), settling
	s.block = s.block[:0]
	for _, name := range s.names {
		m, ok := s.mark(run + name)
		if !ok {
			return "", false
		}
		latest = max(latest, m.written, m.changed)
		if m != (mark{}) && (m.written%int64(time.Second) == 0 || m.changed%int64(time.Second) == 0) {
			settles = wholeSettling
		}
		for _, n := range []int64{m.mode, m.size, m.inode, m.written, m.changed} {
			s.block = binary.LittleEndian.AppendUint64(s.block, uint64(n))
		}
	}
	sum := sha256.Sum256(s.block)
	return hex.EncodeToString(sum[:16]), latest < now.Add(-settles).UnixNano()
}
