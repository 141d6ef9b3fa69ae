package fence

import "golang.org/x/sys/unix"

// program is a filter of system calls while it is written. A jump names where it
// goes, and is reckoned when the program is done.
type program struct {
	code  []unix.SockFilter
	jumps []jump
	marks map[string]int
}

type jump struct {
	at  int
	to  string
	not bool // taken when the comparison fails
}

// What a filter can look at, by its place in the kernel's struct seccomp_data. Of an
// argument the lower half, for all that we look at are of 32 bits.
const (
	callNumber = 0
	callArch   = 4
)

func argument(n uint32) uint32 { return 16 + 8*n }

func (p *program) load(place uint32) { p.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, place) }
func (p *program) and(mask uint32)   { p.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, mask) }
func (p *program) ret(action uint32) { p.add(unix.BPF_RET|unix.BPF_K, action) }
func (p *program) mark(name string)  { p.marks[name] = len(p.code) }

func (p *program) add(code uint16, k uint32) {
	p.code = append(p.code, unix.SockFilter{Code: code, K: k})
}

// Each of these goes on with the next line when it does not jump.
func (p *program) equal(k uint32, to string)    { p.test(unix.BPF_JEQ, k, to, false) }
func (p *program) notEqual(k uint32, to string) { p.test(unix.BPF_JEQ, k, to, true) }
func (p *program) atLeast(k uint32, to string)  { p.test(unix.BPF_JGE, k, to, false) }
func (p *program) anyOf(k uint32, to string)    { p.test(unix.BPF_JSET, k, to, false) }

func (p *program) test(how uint16, k uint32, to string, not bool) {
	p.jumps = append(p.jumps, jump{len(p.code), to, not})
	p.add(unix.BPF_JMP|how|unix.BPF_K, k)
}

// done reckons the jumps.
func (p *program) done() []unix.SockFilter {
	for _, j := range p.jumps {
		far := uint8(p.marks[j.to] - j.at - 1)
		if j.not {
			p.code[j.at].Jf = far
		} else {
			p.code[j.at].Jt = far
		}
	}
	return p.code
}
