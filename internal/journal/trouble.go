package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// trouble remembers what could not be saved. A disk that is full for a night
// fails in few ways many times; each way is kept, and told, once.
type trouble struct {
	mu     sync.Mutex
	gaps   []gap
	untold []string
	listen func(what string)
}

// gap is one way in which a file could not be saved.
type gap struct {
	file  string
	what  string
	saved bool // it has been made good since
}

func (t *trouble) note(file string, err error) {
	if err == nil {
		return
	}
	what := fmt.Sprintf("%s: %v", file, cause(err))
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.gaps {
		if t.gaps[i].what == what {
			t.gaps[i].saved = false
			return
		}
	}
	t.gaps = append(t.gaps, gap{file: file, what: what})
	t.untold = append(t.untold, what)
}

// settle says that the file has everything now.
func (t *trouble) settle(file string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.gaps {
		if t.gaps[i].file == file {
			t.gaps[i].saved = true
		}
	}
}

// tell passes on what is new. It is called without any other lock held, because
// the listener may well append a warning.
func (t *trouble) tell() {
	t.mu.Lock()
	listen, untold := t.listen, t.untold
	if listen != nil {
		t.untold = nil
	}
	t.mu.Unlock()
	if listen == nil {
		return
	}
	for _, what := range untold {
		listen(what)
	}
}

// cause leaves out the path, which differs from attempt to attempt.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
