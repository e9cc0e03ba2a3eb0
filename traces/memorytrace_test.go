package traces

import (
	"bytes"
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"heddle/sim"
)

var testHeader = Header{Kernel: "k", Machine: "m", Graph: "g", Seed: 7, Width: 4, Contexts: 8, Period: 395_257}

var testArrays = []sim.MemoryArray{
	{Name: "a", Type: "i32", Element: 4, Base: 1 << 20, Length: 1000},
	{Name: "b", Type: "f64", Element: 8, Base: 2 << 20, Length: 50},
	{Name: "c", Type: "i8", Element: 1, Base: 3 << 20, Length: 3},
}

// recorded is a record as it was told.
type recorded struct {
	kind   RecordKind
	at     sim.Time
	thread int
	access AccessRecord
}

// record records random launches and returns the file and what is in it.
func record(t *testing.T, seed uint64, n int) ([]byte, []recorded) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var file bytes.Buffer
	w, err := NewRecorder(&file, testHeader)
	if err != nil {
		t.Fatal(err)
	}
	const origin = 12345
	w.Began(origin)
	var told []recorded
	at := sim.Time(0)
	const threads = 64
	for launch := range 3 {
		arrays := testArrays[:launch+1]
		w.Launched(&sim.Launched{Program: "p", Threads: threads, Block: 16, At: origin + at, Arrays: arrays})
		told = append(told, recorded{kind: LaunchRecord, at: at})
		for first := 0; first < threads; first += 4 {
			c := sim.Context{Core: int32(first / 8), Slot: int32(first % 8)}
			w.Started(c, first, origin+at)
			told = append(told, recorded{kind: StartRecord, at: at, thread: first})
		}
		for range n {
			first := r.IntN(threads/4) * 4
			c := sim.Context{Core: int32(first / 8), Slot: int32(first % 8)}
			at += sim.Time(r.IntN(3))*395_257 + sim.Time(r.IntN(2))
			if r.IntN(20) == 0 {
				w.Arrived(c, origin+at)
				told = append(told, recorded{kind: BarrierRecord, at: at, thread: first})
				continue
			}
			id := r.IntN(len(arrays))
			a := arrays[id]
			took := sim.Time(r.IntN(1 << 30))
			access := AccessRecord{Kind: sim.AccessKind(r.IntN(3)), Size: int32(a.Element), Array: id, Took: took, Lanes: 1 + r.Uint64N(15)}
			addr := make([]uint64, 4)
			for l := range addr {
				access.Offset[l] = uint64(r.IntN(a.Length) * a.Element)
				addr[l] = a.Base + access.Offset[l]
			}
			w.Access(&sim.Access{Context: c, Kind: access.Kind, Array: int16(id), Size: access.Size, Thread: first, Lanes: access.Lanes,
				Addr: addr, From: origin + at, To: origin + at + took})
			for access.Lanes&1 == 0 { // the first lane is the first thread
				access.Lanes >>= 1
				first++
				copy(access.Offset[:], access.Offset[1:])
			}
			for l := range access.Offset {
				if access.Lanes>>l&1 == 0 {
					access.Offset[l] = 0
				}
			}
			told = append(told, recorded{kind: MemoryRecord, at: at, thread: first, access: access})
		}
		w.Access(&sim.Access{Array: -1, Size: 4, Lanes: 3, Addr: make([]uint64, 4)}) // left out
		w.Returned(origin + at)
		told = append(told, recorded{kind: ReturnRecord, at: at})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), told
}

func TestMemoryTraceComesBack(t *testing.T) {
	for seed := range uint64(5) {
		file, told := record(t, seed, 500)
		r, err := NewReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if r.Header != testHeader {
			t.Errorf("header %+v", r.Header)
		}
		var x Record
		for i, want := range told {
			if err := r.Next(&x); err != nil {
				t.Fatal(err)
			}
			got := recorded{kind: x.Kind, at: x.At}
			switch x.Kind {
			case MemoryRecord:
				got.access = x.Access
				for l := range got.access.Offset {
					if got.access.Lanes>>l&1 == 0 {
						got.access.Offset[l] = 0
					}
				}
				fallthrough
			case StartRecord, BarrierRecord:
				got.thread = x.Thread
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("record %d: %+v, not %+v", i, got, want)
			}
		}
		if err := r.Next(&x); err != nil || x.Kind != EndRecord || x.Skipped != 6 {
			t.Fatalf("the end: %+v, %v", x, err)
		}
		if !slices.Equal(r.Arrays, testArrays) {
			t.Errorf("arrays %+v", r.Arrays)
		}
		r.Close()
	}
}

// readAll replays a file on a memory that takes no time.
func readAll(file []byte) (*flat, error) {
	r, err := NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	m := &flat{width: 4}
	_, err = Replay(context.Background(), r, m)
	return m, err
}

// Every file that was cut or changed is refused, in one line; but a few bits
// of a stream's head say nothing of what is in it.
func TestDamagedMemoryTrace(t *testing.T) {
	file, _ := record(t, 1, 200)
	whole, err := readAll(file)
	if err != nil {
		t.Fatal(err)
	}
	unnoticed := 0
	check := func(what string, at int, damaged []byte) {
		t.Helper()
		m, err := readAll(damaged)
		if err == nil {
			if unnoticed++; what != "changed" || unnoticed > 2 || !reflect.DeepEqual(m, whole) {
				t.Fatalf("%s at byte %d of %d: not noticed", what, at, len(file))
			}
			return
		}
		if text := err.Error(); strings.Contains(text, "\n") || !strings.HasPrefix(text, "damaged: ") && err != errNotTrace {
			t.Fatalf("%s at byte %d: %q", what, at, text)
		}
	}
	first := bytes.IndexByte(file[len(magic):], '\n') + len(magic) + 1 // byte of the stream
	for at := range len(file) {
		check("cut", at, file[:at])
		if at < len(magic) || at >= first { // the header has no checksum
			damaged := bytes.Clone(file)
			damaged[at] ^= 0x08
			check("changed", at, damaged)
		}
	}
	check("longer", len(file), append(bytes.Clone(file), 0))
}

// FuzzMemoryTrace reads anything: a file, and a stream of records.
func FuzzMemoryTrace(f *testing.F) {
	var t testing.T
	file, _ := record(&t, 2, 20)
	f.Add(file)
	f.Add([]byte(magic + `{"kernel":"","machine":"","graph":"","seed":0,"width":1,"contexts":1,"period":1}` + "\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		if _, err := readAll(in); err != nil && strings.Contains(err.Error(), "\n") {
			t.Fatalf("%q", err)
		}
	})
}

// FuzzRecords reads records that no checksum guards.
func FuzzRecords(f *testing.F) {
	f.Add([]byte{codeArray, 1, 'a', 3, 'i', '3', '2', 4, 8, 10, codeLaunch, 1, 'p', 4, 4, 0, codeStart, 0, 2,
		codeAccess | 2<<2 | codeLanes, 0, 2, 8, 0, 15, 2, 2, 2, 2, codeBarrier, 0, 2, codeReturn, 9, codeEnd, 1, 4, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		r := newRecords(testHeader, bytes.NewReader(in), nil)
		p, err := Replay(context.Background(), r, &flat{width: 1 + len(in)%5})
		if err != nil {
			if text := err.Error(); strings.Contains(text, "\n") || !strings.HasPrefix(text, "damaged: ") {
				t.Fatalf("%q", err)
			}
			return
		}
		if p.Elapsed < 0 || p.Requests > p.Accesses {
			t.Fatalf("%+v", p)
		}
	})
}
