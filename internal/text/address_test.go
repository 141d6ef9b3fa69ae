package text

import "testing"

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.8.9.1": true, "::1": true, "::ffff:127.0.0.1": true,
		"": false, "0.0.0.0": false, "::": false, "10.0.0.1": false, "localhost.example": false, "127.1": false,
	} {
		if IsLoopback(host) != want {
			t.Errorf("%q: %v", host, !want)
		}
	}
}

func TestSplitHost(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:80": "127.0.0.1", "[::1]:0": "::1", "localhost:65535": "localhost",
		"": "", ":80": "", "localhost": "", "localhost:65536": "", "a b:1": "", "localhost:http": "",
	} {
		if host, ok := SplitHost(address); ok != (want != "") || ok && host != want {
			t.Errorf("%q: %q, %v", address, host, ok)
		}
	}
}
