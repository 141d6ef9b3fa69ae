package doctor

import "golang.org/x/sys/unix"

// networkDisks are the file systems on which a lock may not exclude runners on
// other machines.
var networkDisks = map[int64]string{
	unix.NFS_SUPER_MAGIC:  "NFS",
	0x517b:                "SMB",
	0xff534d42:            "CIFS",
	0xfe534d42:            "SMB2",
	unix.V9FS_MAGIC:       "9p",
	unix.CEPH_SUPER_MAGIC: "Ceph",
}

// networkDisk names the network file system that dir is on, if it is on one.
func networkDisk(dir string) string {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return ""
	}
	return networkDisks[int64(s.Type)&0xffffffff]
}
