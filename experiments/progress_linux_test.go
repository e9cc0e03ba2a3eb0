package experiments

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal returns both ends of a pseudo-terminal of 40 lines of 100
// columns.
func openTerminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminals: ", err)
	}
	t.Cleanup(func() { _ = master.Close() })
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skip("no pseudo-terminals: ", err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals: ", err)
	}
	t.Cleanup(func() { _ = slave.Close() })
	if err := unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 100}); err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// A terminal on standard error shows how far the run is, and is left clean.
func TestProgressOnTerminal(t *testing.T) {
	master, slave := openTerminal(t)
	shown := make(chan string)
	go func() {
		text, _ := io.ReadAll(master) // ends with an error when the slave is closed
		shown <- string(text)
	}()
	var stdout bytes.Buffer
	status := Main(context.Background(), []string{"run", "--graph", "rmat-g:13"}, &stdout, slave)
	_ = slave.Close()
	text := <-shown
	if status != exitVerified {
		t.Fatalf("status %d: %s", status, text)
	}
	// Which launch is under way when the bar is drawn is the computer's affair.
	if want := regexp.MustCompile(`launch \d+, block \d+ of \d+ .* simulated, .* instructions/s`); !want.MatchString(text) {
		t.Errorf("no %s in %q", want, text)
	}
	const clear = "\x1b[1A\x1b[J" // up a line, and nothing from there on
	if rest := text[strings.LastIndex(text, clear)+len(clear):]; rest != "" {
		t.Errorf("left on the terminal: %q", rest)
	}
	if strings.Contains(stdout.String(), "\x1b") {
		t.Error("color in what is not a terminal")
	}
}

// A terminal on standard output has color, unless NO_COLOR asks for none.
func TestColor(t *testing.T) {
	for _, none := range []string{"", "1"} {
		t.Setenv("NO_COLOR", none)
		master, slave := openTerminal(t)
		shown := make(chan string)
		go func() {
			text, _ := io.ReadAll(master)
			shown <- string(text)
		}()
		Main(context.Background(), []string{"run", "--machine", "functional", "--graph", "karate"}, slave, io.Discard)
		_ = slave.Close()
		if text := <-shown; strings.Contains(text, "\x1b[1;32mverified\x1b[0m") != (none == "") {
			t.Errorf("NO_COLOR=%q: %q", none, text)
		}
	}
}

// Piped, standard error stays silent.
func TestProgressPiped(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	status := Main(context.Background(), []string{"run", "--graph", "rmat-g:10"}, io.Discard, w)
	_ = w.Close()
	if text, err := io.ReadAll(r); status != exitVerified || err != nil || len(text) > 0 {
		t.Errorf("status %d, %v, standard error %q", status, err, text)
	}
}
