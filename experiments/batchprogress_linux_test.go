package experiments

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

// A terminal on standard error shows how many runs are done and what each worker
// does, and is left clean.
func TestBatchProgressOnTerminal(t *testing.T) {
	studying(t)
	master, slave := openTerminal(t)
	shown := make(chan string)
	go func() {
		text, _ := io.ReadAll(master) // ends with an error when the slave is closed
		shown <- string(text)
	}()
	status := Main(context.Background(), []string{"sweep", "--graph", "rmat-g:11", "--set", "sms=1,2,4", "--jobs", "1"}, new(bytes.Buffer), slave)
	_ = slave.Close()
	text := <-shown
	if status != exitVerified {
		t.Fatalf("status %d: %s", status, text)
	}
	for _, want := range []string{" of 3 runs, ", "█", "matching/ld on tesla-c2050, rmat-g:11 --set sms="} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
	const clear = "\x1b[2A\x1b[J" // up a line for each bar, and nothing from there on
	if rest := text[strings.LastIndex(text, clear)+len(clear):]; rest != "" {
		t.Errorf("left on the terminal: %q", rest)
	}
}
