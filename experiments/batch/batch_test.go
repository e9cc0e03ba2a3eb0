package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// answer returns a job whose result is its key, and counts how often it is
// done.
func answer(key string, done *atomic.Int64) Job {
	return Job{ID: key, Do: func(context.Context) (json.RawMessage, error) {
		done.Add(1)
		return json.RawMessage(resultOf(key)), nil
	}}
}

func resultOf(key string) string { return fmt.Sprintf(`{"key":%q}`, key) }

func store(t *testing.T) *Store {
	t.Helper()
	s, err := OpenStore(filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOrderAndDuplicates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.StringMatching("[a-e]"), 0, 30).Draw(t, "keys")
		workers := rapid.IntRange(1, 4).Draw(t, "workers")
		var done atomic.Int64
		jobs := make([]Job, len(keys))
		distinct := map[string]bool{}
		for i, k := range keys {
			jobs[i] = answer(k, &done)
			distinct[k] = true
		}
		for i, r := range Do(context.Background(), jobs, Options{Workers: workers}) {
			if want := resultOf(keys[i]); r.Err != nil || string(r.Value) != want {
				t.Fatalf("job %d: %s, %v; want %s", i, r.Value, r.Err, want)
			}
		}
		if int(done.Load()) != len(distinct) {
			t.Fatalf("%d done, of %d keys", done.Load(), len(distinct))
		}
	})
}

// A second batch does nothing; nor does one in another process, which a second
// Store stands for.
func TestKept(t *testing.T) {
	s := store(t)
	again, err := OpenStore(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	var done atomic.Int64
	jobs := []Job{answer("a", &done), answer("b", &done)}
	for round, s := range []*Store{s, s, again} {
		for i, r := range Do(context.Background(), jobs, Options{Store: s}) {
			if r.Err != nil || r.Kept != (round > 0) || string(r.Value) != resultOf(jobs[i].ID) {
				t.Errorf("round %d, job %d: %+v", round, i, r)
			}
		}
	}
	if done.Load() != 2 {
		t.Errorf("%d done, want 2", done.Load())
	}
}

// What an interruption cut off is done the next time, and only that.
func TestResume(t *testing.T) {
	s := store(t)
	var done atomic.Int64
	ctx, interrupt := context.WithCancel(context.Background())
	jobs := []Job{answer("a", &done), answer("b", &done), answer("c", &done)}
	jobs[0].Cost = 2
	cut := jobs[1]
	jobs[1].Cost = 1
	jobs[1].Do = func(ctx context.Context) (json.RawMessage, error) {
		interrupt()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	r := Do(ctx, jobs, Options{Store: s, Workers: 1})
	if r[0].Err != nil || !errors.Is(r[1].Err, context.Canceled) || !errors.Is(r[2].Err, ErrNotDone) {
		t.Fatalf("%+v", r)
	}
	jobs[1] = cut
	r = Do(context.Background(), jobs, Options{Store: s, Workers: 1})
	if !r[0].Kept || r[1].Kept || r[2].Kept || r[1].Err != nil || r[2].Err != nil {
		t.Fatalf("%+v", r)
	}
	if done.Load() != 3 {
		t.Errorf("%d done, want 3", done.Load())
	}
}

func TestFailure(t *testing.T) {
	s := store(t)
	why := errors.New("why")
	var done atomic.Int64
	bad := Job{ID: "bad", Do: func(context.Context) (json.RawMessage, error) { return nil, why }}
	torn := Job{ID: "torn", Do: func(context.Context) (json.RawMessage, error) { return json.RawMessage(`{"a":`), nil }}
	r := Do(context.Background(), []Job{bad, torn, answer("good", &done)}, Options{Store: s})
	if !errors.Is(r[0].Err, why) || r[1].Err == nil || r[2].Err != nil {
		t.Errorf("%+v", r)
	}
	for _, key := range []string{"bad", "torn"} {
		if value, err := s.Get(key); !errors.Is(err, ErrNone) {
			t.Errorf("%s is kept: %s", key, value)
		}
	}
}

// A file that was cut or edited is known, and done anew.
func TestDamaged(t *testing.T) {
	for name, damage := range map[string]func(text []byte) []byte{
		"cut":                  func(text []byte) []byte { return text[:5] },
		"empty":                func([]byte) []byte { return nil },
		"without its checksum": func([]byte) []byte { return []byte(`{"key":"a"}`) },
		"edited":               func(text []byte) []byte { return bytes.Replace(text, []byte("long"), []byte("lone"), 1) },
		"longer":               func(text []byte) []byte { return append(text, '\n') },
		"a bit":                func(text []byte) []byte { text[len(text)-4] ^= 1; return text },
	} {
		s := store(t)
		var done atomic.Int64
		jobs := []Job{answer("a long enough key", &done)}
		Do(context.Background(), jobs, Options{Store: s})
		text, err := os.ReadFile(s.path(jobs[0].ID))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.path(jobs[0].ID), damage(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if value, err := s.Get(jobs[0].ID); !errors.Is(err, ErrDamaged) || s.Has(jobs[0].ID) {
			t.Errorf("%s: %s, %v", name, value, err)
		}
		if r := Do(context.Background(), jobs, Options{Store: s}); r[0].Kept || !r[0].Damaged || r[0].Err != nil || done.Load() != 2 {
			t.Errorf("%s: %+v, %d done", name, r[0], done.Load())
		}
		if value, err := s.Get(jobs[0].ID); err != nil || string(value) != resultOf("a long enough key") {
			t.Errorf("%s: %s, %v", name, value, err)
		}
	}
}

// What is kept is an object, and gives back the very bytes that it was made of.
func TestSealed(t *testing.T) {
	for _, object := range []string{`{}`, `{"a":1}`, `{ "a" : [1, 2] }`, `{"checksum":"x"}`, `{"a":"\"checksum\":\""}`} {
		text := sealed([]byte(object))
		if !json.Valid(text) {
			t.Fatalf("%s: %s", object, text)
		}
		if got, err := unsealed(text); err != nil || string(got) != object {
			t.Errorf("%s: %s, %v", object, got, err)
		}
	}
	for _, text := range []string{``, `1`, `"a"`, `[1]`, `{`, `{"a":1} `, `{}{}`} {
		if err := store(t).Put("a", json.RawMessage(text)); !errors.Is(err, errNoObject) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAbandonedFiles(t *testing.T) {
	dir := t.TempDir()
	old, young := filepath.Join(dir, ".1.tmp"), filepath.Join(dir, ".2.tmp")
	for _, path := range []string{old, young} {
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * abandoned)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenStore(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("%s: %v", old, err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Error(err)
	}
}

// The dearest job begins first; the sum of what runs stays within the bounds.
func TestCostAndMemory(t *testing.T) {
	const budget, workers = 10, 4
	var mu sync.Mutex
	var order []int
	var memory, most, running, peak int64
	jobs := make([]Job, 12)
	for i := range jobs {
		need := int64(1 + i%5*4) // the largest exceeds the budget and runs alone
		jobs[i] = Job{ID: fmt.Sprint(i), Cost: float64(i), Memory: need, Do: func(context.Context) (json.RawMessage, error) {
			mu.Lock()
			memory += min(need, budget)
			running++
			most, peak = max(most, memory), max(peak, running)
			mu.Unlock()
			time.Sleep(time.Millisecond)
			mu.Lock()
			memory -= min(need, budget)
			running--
			mu.Unlock()
			return json.RawMessage("{}"), nil
		}}
	}
	Do(context.Background(), jobs, Options{Workers: workers, Memory: budget})
	if most > budget || peak > workers {
		t.Errorf("%d bytes, %d jobs at a time", most, peak)
	}
	Do(context.Background(), jobs, Options{Workers: 1, Begun: func(i, _ int) { order = append(order, i) }})
	for at, i := range order {
		if i != len(jobs)-1-at {
			t.Fatalf("order %v", order)
		}
	}
}

func TestEnded(t *testing.T) {
	var done atomic.Int64
	ended := map[int]int{}
	jobs := []Job{answer("a", &done), answer("b", &done), answer("a", &done)}
	Do(context.Background(), jobs, Options{Ended: func(i int, r *Result) { ended[i]++ }})
	for i := range jobs {
		if ended[i] != 1 {
			t.Errorf("job %d ended %d times", i, ended[i])
		}
	}
}
