package kernels

import (
	"os"
	"strings"
	"testing"
)

func TestSource(t *testing.T) {
	text, err := os.ReadFile("sources.go")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(Source("kernels/sources.go"), "\n") + "\n"; got != string(text) {
		t.Errorf("the embedded text differs:\n%s", got)
	}
	for _, name := range []string{"", "kernels/", "kernels/no.go", "kernels/../go.mod", "kernels/matching", "models/machine.go", "/etc/passwd"} {
		if Source(name) != nil {
			t.Errorf("%q has a source", name)
		}
	}
}
