package proxy

import "net/netip"

// special are the networks that a name of the world has no business in: those of
// this machine, of its surroundings, and of nobody.
var special = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/3",
	"168.63.129.16/32", // what Azure tells its machines about themselves
	"::/127", "64:ff9b:1::/48", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
)

// wrapping are the networks of IPv6 whose addresses hold one of IPv4, and where.
var wrapping = []struct {
	netip.Prefix
	at int
}{
	{netip.MustParsePrefix("::/96"), 12},
	{netip.MustParsePrefix("64:ff9b::/96"), 12},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12},
	{netip.MustParsePrefix("2002::/16"), 2},
}

// teredo hides the address it leads to.
var teredo = netip.MustParsePrefix("2001::/32")

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// isSpecial tells whether an address is not one of the world's.
func isSpecial(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	for _, p := range special {
		if p.Contains(addr) {
			return true
		}
	}
	for _, w := range wrapping {
		if w.Contains(addr) {
			bytes := addr.As16()
			return isSpecial(netip.AddrFrom4([4]byte(bytes[w.at : w.at+4])))
		}
	}
	return !addr.IsValid() || teredo.Contains(addr)
}
