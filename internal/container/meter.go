package container

import (
	"strconv"
	"strings"
	"time"
)

// meter knows how much processor time those in a container have used.
type meter struct {
	usage func() (string, error)
	at    time.Time
	used  int
}

// ticks is how many units of processor time make a second, on all Linuxes.
const ticks = 100

// active tells whether they have used more than a twentieth of one processor since
// it was last asked, as proc does. Where nobody can tell, it is no.
func (m *meter) active() bool {
	answer, err := m.usage()
	if err != nil {
		return false
	}
	before, since := m.used, m.at
	m.at, m.used = time.Now(), usedTicks(answer)
	return !since.IsZero() && time.Duration(m.used-before)*time.Second/ticks > m.at.Sub(since)/20
}

// usedTicks adds up the lines of /proc/PID/stat.
func usedTicks(stats string) (sum int) {
	for line := range strings.Lines(stats) {
		_, rest, ok := cutLast(line, ")") // a program may be called anything
		fields := strings.Fields(rest)
		if !ok || len(fields) < 13 {
			continue
		}
		for _, field := range fields[11:13] {
			if n, err := strconv.Atoi(field); err == nil && n > 0 {
				sum += n
			}
		}
	}
	return sum
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
