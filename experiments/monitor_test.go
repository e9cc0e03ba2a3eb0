package experiments

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
)

// freePort returns a port that nothing listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("no network: ", err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// addresses returns the addresses by which other computers reach this one.
func addresses(t *testing.T) (list []string) {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.IsGlobalUnicast() {
			list = append(list, ip.IP.String())
		}
	}
	return list
}

func TestMonitor(t *testing.T) {
	port := freePort(t)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var stdout, stderr bytes.Buffer
	ended := make(chan int)
	go func() {
		ended <- Main(ctx, []string{"run", "--graph", "rmat-g:18", "--monitor", fmt.Sprint(port), "--json"}, &stdout, &stderr)
	}()
	get := func(path string) (status int, body string) {
		t.Helper()
		answer, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d%s", port, path))
		if err != nil {
			return 0, err.Error()
		}
		defer func() { _ = answer.Body.Close() }()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return answer.StatusCode, string(text)
	}
	want := func(path string, status int, part string) {
		t.Helper()
		if got, body := get(path); got != status || !strings.Contains(body, part) {
			t.Errorf("%s: status %d, %.300s; want %d and %s", path, got, body, status, part)
		}
	}
	now := func() (seconds float64) {
		t.Helper()
		_, body := get("/api/now")
		var answer struct{ Now float64 }
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			t.Fatalf("/api/now: %v in %s", err, body)
		}
		return answer.Now
	}

	deadline := time.Now().Add(20 * time.Second)
	for _, body := get("/api/progress"); !strings.Contains(body, "launch 1, blocks"); _, body = get("/api/progress") {
		if time.Now().After(deadline) {
			t.Fatalf("no progress: %s", body)
		}
		time.Sleep(20 * time.Millisecond)
	}
	want("/", http.StatusOK, "Akita Monitoring Tool")
	want("/api/list_components", http.StatusOK, `"SM[0]","SM[1]"`)
	want("/api/progress", http.StatusOK, `"total":1024,`)
	want("/api/resource", http.StatusOK, `"memory_size":`)
	want("/api/component/"+url.PathEscape("SM[0]"), http.StatusOK, `"State":"2"`)
	want("/api/component/"+url.PathEscape("DRAM[5]"), http.StatusOK, `"State":"2"`)
	want("/api/component/SM", http.StatusNotFound, "Component not found")
	field := func(name string) string {
		return "/api/field/" + url.PathEscape(`{"comp_name":"SM[0]","field_name":"`+name+`"}`)
	}
	want(field("State"), http.StatusOK, `"Id":"`)
	want(field("State.Id"), http.StatusOK, `"v":0`)
	want(field("State.Nothing"), http.StatusBadRequest, "field Nothing not found")
	want("/api/field/x", http.StatusBadRequest, "invalid character")
	want("/api/run", http.StatusMethodNotAllowed, "drives its engine itself")
	want("/debug/pprof/", http.StatusNotFound, "")

	for from := now(); now() == from; {
		if time.Now().After(deadline) {
			t.Fatal("time stands still")
		}
	}
	want("/api/pause", http.StatusOK, "")
	at := now()
	want(field("State"), http.StatusOK, `"Id":"`)
	time.Sleep(50 * time.Millisecond)
	if later := now(); later != at {
		t.Errorf("paused at %v, then at %v", at, later)
	}
	want("/api/continue", http.StatusOK, "")

	if status, _, refused := heddle(t, "run", "--graph", "karate", "--monitor", fmt.Sprint(port)); status != exitBadInput ||
		!strings.HasPrefix(refused, fmt.Sprintf("heddle: --monitor %d: listen tcp", port)) {
		t.Errorf("a port in use: status %d, %s", status, refused)
	}

	for _, address := range addresses(t) {
		if conn, err := net.DialTimeout("tcp", net.JoinHostPort(address, fmt.Sprint(port)), time.Second); err == nil {
			_ = conn.Close()
			t.Errorf("listens on %s", address)
		}
	}

	stop()
	select {
	case status := <-ended:
		if status != exitFailed || !strings.Contains(stdout.String(), `"error":"interrupted"`) {
			t.Errorf("status %d", status)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the run does not end")
	}
	if status, body := get("/api/now"); status != 0 {
		t.Errorf("after the run: status %d, %s", status, body)
	}
	if n := strings.Count(stderr.String(), fmt.Sprintf("monitor at http://127.0.0.1:%d, for this computer alone\n", port)); n != 1 {
		t.Errorf("standard error: %s", stderr.String())
	}
}

type inner struct {
	n     int32
	f     func()
	items [3]uint8
}

type outer struct {
	_     int
	name  string
	part  *inner
	self  *outer
	list  []inner
	any   any
	ratio float32
	on    bool
	table map[string]int
}

func TestSnapshot(t *testing.T) {
	o := &outer{name: "x", table: map[string]int{"k": 1}, part: &inner{n: -4, f: func() {}, items: [3]uint8{1, 2, 3}}, list: make([]inner, 2000), any: uint16(9), ratio: 0.5, on: true}
	o.self = o
	o.list[7].n = 70
	for path, want := range map[string]string{
		"": `struct { X_ interface {}; Name interface {}; Part interface {}; Self interface {}; List interface {}; Any interface {}; ` +
			`Ratio interface {}; On interface {}; Table interface {} }`,
		"Part":                "struct { N interface {}; F interface {}; Items interface {} }",
		"Part.N":              "-4",
		"Part.F":              "(func())",
		"Part.Items":          "[1 2 3]",
		"Part.Items.2":        "3",
		"Self.Self.List.7.N":  "70",
		"Any":                 "9",
		"Ratio":               "0.5",
		"On":                  "true",
		"Name":                "x",
		"Table":               "(map[string]int)",
		"Self.Part.Items.1":   "2",
		"List.1023.N":         "0",
		"Self.Self.Self.Name": "x",
	} {
		var steps []string
		if path != "" {
			steps = strings.Split(path, ".")
		}
		v := reflect.ValueOf(along(reflect.ValueOf(o), steps))
		for _, step := range steps { // as akita finds it
			for v.Kind() == reflect.Interface {
				v = v.Elem()
			}
			if v.Kind() == reflect.Struct {
				v = v.FieldByName(step)
				continue
			}
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil {
				t.Fatal(err)
			}
			v = v.Index(i)
		}
		got := fmt.Sprint(v)
		if v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		if v.Kind() == reflect.Struct {
			got = v.Type().String()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
	for _, path := range []string{"Nothing", "List.1024", "List.-1", "List.x", "Part.N.More"} {
		along(reflect.ValueOf(o), strings.Split(path, ".")) // must not panic
	}
	if list := along(reflect.ValueOf(o), []string{"List"}); reflect.ValueOf(list).Field(0).Elem().Len() != mostItems {
		t.Error("a long list is not cut")
	}
}
