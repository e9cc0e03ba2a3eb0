package experiments

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

// A run that ends before its end leaves a whole timeline, or trace, of what it
// did, and nothing else.
func TestTraceOfUnfinishedRun(t *testing.T) {
	for name, machine := range map[string]string{
		"gpu":    "tesla-c2050",
		"xmt":    "cray-xmt --set processors=4 --set launch.streams=8",
		"window": "xeon-e5540 --set threads=4",
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			// The limit lies within a launch.
			common := " bfs/level --graph rmat-g:8 --max-cycles 60000 --machine " + machine
			status, _, stderr := heddle(t, strings.Fields("run --trace run.pftrace"+common)...)
			if status != exitFailed || !strings.Contains(stderr, "reached the limit of 60000 cycles") {
				t.Fatalf("status %d, %s", status, stderr)
			}
			x := readTimeline(t, "run.pftrace")
			some := map[string]int{}
			for _, s := range x.slices {
				some[s.kind]++
			}
			if some["launch"] == 0 || some["threads"] == 0 || some["state"] == 0 || some["request"] == 0 {
				t.Errorf("slices %v", some)
			}
			if status, _, stderr := heddle(t, strings.Fields("record -o run.trace"+common)...); status != exitFailed {
				t.Fatalf("status %d, %s", status, stderr)
			}
			if status, _, stderr := heddle(t, "replay", "run.trace"); status != exitVerified {
				t.Errorf("replay: status %d, %s", status, stderr)
			}
			left, err := os.ReadDir(".")
			if err != nil || len(left) != 2 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// An interrupt, whenever it comes, ends the file cleanly.
func TestTraceOfInterruptedRun(t *testing.T) {
	for _, after := range []time.Duration{0, 400 * time.Millisecond} {
		t.Chdir(t.TempDir())
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		if after == 0 {
			stop()
		} else {
			time.AfterFunc(after, stop)
		}
		var stdout, stderr bytes.Buffer
		args := "run matching/ld --graph rmat-g:13 --machine tesla-c2050 --trace run.pftrace --trace-cores 0"
		if status := Main(ctx, strings.Fields(args), &stdout, &stderr); status != exitFailed || !strings.HasSuffix(stderr.String(), "heddle: interrupted\n") {
			t.Fatalf("status %d, %q", status, stderr.String())
		}
		readTimeline(t, "run.pftrace")
		left, err := os.ReadDir(".")
		if err != nil || len(left) != 1 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

// So does one that comes to a replay.
func TestInterruptedReplay(t *testing.T) {
	t.Chdir(t.TempDir())
	if status, _, stderr := heddle(t, strings.Fields("record bfs/level --graph karate -o run.trace")...); status != exitVerified {
		t.Fatal(stderr)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	var stdout, stderr bytes.Buffer
	if status := Main(ctx, []string{"replay", "run.trace"}, &stdout, &stderr); status != exitFailed || stderr.String() != "heddle: interrupted\n" {
		t.Errorf("status %d, %q", status, stderr.String())
	}
}
