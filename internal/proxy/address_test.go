package proxy

import (
	"net/netip"
	"testing"
)

func TestSpecialAddresses(t *testing.T) {
	tests := []struct {
		addr string
		want bool
	}{
		{"8.8.8.8", false},
		{"172.15.255.255", false},
		{"172.32.0.1", false},
		{"223.255.255.255", false},
		{"2606:4700::1111", false},
		{"64:ff9b::8.8.8.8", false},

		{"127.0.0.1", true},
		{"127.8.9.1", true},
		{"0.0.0.0", true},
		{"0.1.2.3", true},
		{"10.1.2.3", true},
		{"172.16.0.1", true},
		{"172.31.255.255", true},
		{"192.168.1.1", true},
		{"169.254.169.254", true}, // most clouds
		{"100.100.100.200", true}, // Alibaba
		{"168.63.129.16", true},   // Azure
		{"fd00:ec2::254", true},   // Amazon
		{"224.0.0.251", true},
		{"255.255.255.255", true},
		{"::", true},
		{"::1", true},
		{"fe80::1", true},
		{"fe80::1%eth0", true},
		{"fec0::1", true},
		{"ff02::1", true},
		{"::ffff:127.0.0.1", true},
		{"::127.0.0.1", true},
		{"::ffff:0:127.0.0.1", true},
		{"64:ff9b::169.254.169.254", true},
		{"64:ff9b:1::1", true},
		{"2002:7f00:1::", true},
		{"2002:808:808::", false},
		{"2001::1", true},
	}
	for _, tt := range tests {
		if got := isSpecial(netip.MustParseAddr(tt.addr)); got != tt.want {
			t.Errorf("isSpecial(%s) = %v", tt.addr, got)
		}
	}
	if !isSpecial(netip.Addr{}) {
		t.Error("no address is one of the world's")
	}
}
