package report

// A page lists every attempt of a run of up to mostListed, and of a longer one the
// last and those in which something happened.
const (
	mostListed  = 2000
	lastListed  = 500
	mostNotable = 2000
)

// attempts keeps what will be listed, and little more.
type attempts struct {
	list  []attempt
	total int
}

func (a *attempts) add(one attempt) {
	a.list = append(a.list, one)
	a.total++
	if len(a.list) >= mostListed+mostNotable+2*lastListed {
		a.list = pick(a.list)
	}
}

// listed gives those to list, and how many there are more.
func (a *attempts) listed() ([]attempt, int) {
	list := a.list
	if a.total > mostListed {
		list = pick(list)
	}
	return list, a.total - len(list)
}

// pick keeps the last, and of those before them the last notable ones.
func pick(list []attempt) []attempt {
	old, last := list[:len(list)-lastListed], list[len(list)-lastListed:]
	var kept []attempt
	for _, one := range old {
		if one.notable {
			kept = append(kept, one)
		}
	}
	kept = kept[max(0, len(kept)-mostNotable):]
	return append(kept, last...)
}
