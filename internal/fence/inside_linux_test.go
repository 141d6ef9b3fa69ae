package fence

import (
	"encoding/binary"
	"net"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestTheKernelTellsWhichFileASocketHas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	raw, err := l.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var st unix.Stat_t
	if err := raw.Control(func(fd uintptr) { _ = unix.Fstat(int(fd), &st) }); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, unix.O_PATH, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var of unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &of); err != nil {
		t.Fatal(err)
	}
	dev, ok := mountDevice(int(file.Fd()))
	if !ok {
		t.Fatal("the device of its mount is not known")
	}
	list, err := listeners()
	if err != nil {
		t.Skipf("the kernel does not tell: %v", err)
	}
	for _, s := range list {
		if s.number == uint32(st.Ino) {
			if !s.file || s.ino != uint32(of.Ino) || s.dev != dev {
				t.Errorf("it is %+v, want file %d on %#x", s, of.Ino, dev)
			}
			return
		}
	}
	t.Errorf("socket %d is not among %d", st.Ino, len(list))
}

func TestWhatIsOpenHereIsNotInside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	file, err := os.OpenFile(path, unix.O_PATH, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if insideFile(int(file.Fd())) {
		t.Error("our own socket counts as one of the inside")
	}
	if insideAbstract([]byte("\x00nobody listens here")) {
		t.Error("a name on which nobody listens counts as one of the inside")
	}
}

func FuzzParseListeners(f *testing.F) {
	one := binary.NativeEndian.AppendUint32(nil, 16+16+12)
	one = binary.NativeEndian.AppendUint16(one, diagByFamily)
	one = append(one, make([]byte, 10+16)...)
	one = binary.NativeEndian.AppendUint16(one, 12)
	one = binary.NativeEndian.AppendUint16(one, diagFile)
	one = append(one, 1, 0, 0, 0, 2, 0, 0, 0)
	f.Add(one)
	f.Add([]byte{16, 0, 0, 0, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		list, over, err := parseListeners(b)
		if err != nil && !over {
			t.Error("an error is the end")
		}
		if len(list) > len(b)/16 {
			t.Errorf("%d sockets in %d bytes", len(list), len(b))
		}
	})
	list, over, err := parseListeners(one)
	if err != nil || over || len(list) != 1 || !list[0].file || list[0].ino != 1 || list[0].dev != 2 {
		f.Errorf("parseListeners = %+v, %v, %v", list, over, err)
	}
}
