package htmlreport_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/experiments/htmlreport"
)

// ask sends a request as it stands, without the cleaning that clients do.
func ask(folder http.Handler, method, target, host string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1/", nil)
	path, query, _ := strings.Cut(target, "?")
	r.URL.Path, r.URL.RawQuery = path, query
	r.Host = host
	w := httptest.NewRecorder()
	folder.ServeHTTP(w, r)
	return w
}

func get(folder http.Handler, target string) *httptest.ResponseRecorder {
	return ask(folder, "GET", target, "127.0.0.1:8340")
}

// The list has the folder's results, with links, and nothing else.
func TestList(t *testing.T) {
	folder, _ := folderOf(t)
	w := get(folder, "/")
	text := w.Body.String()
	if w.Code != 200 || !strings.Contains(text, `href="/report?run=a.json"`) || !strings.Contains(text, `href="/report?run=deep%2fb.json"`) ||
		!strings.Contains(text, "2 results, 2 other files") || strings.Contains(text, "outside") || strings.Contains(text, "secret") {
		t.Errorf("%d: %s", w.Code, text)
	}
	for _, name := range []string{"a.json", "deep/b.json"} {
		if w := get(folder, "/report?run="+name); w.Code != 200 || !strings.Contains(w.Body.String(), "verified") {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
	if w := get(folder, "/report?run=a.json&run=deep%2Fb.json"); w.Code != 200 || !strings.Contains(w.Body.String(), "2 runs side by side") {
		t.Errorf("%d", w.Code)
	}
}

// A file that changes is read anew.
func TestListFollowsFiles(t *testing.T) {
	folder, dir := folderOf(t)
	get(folder, "/")
	if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if text := get(folder, "/").Body.String(); !strings.Contains(text, "1 result, 3 other files") {
		t.Error(text)
	}
}

// Nothing outside the folder is reached: not by any spelling of a path, and not
// by symbolic links.
func TestTraversal(t *testing.T) {
	folder, dir := folderOf(t)
	for name, target := range map[string]string{
		"link.json": "../outside.json", "absolute.json": filepath.Join(filepath.Dir(dir), "outside.json"), "up": "..", "etc": "/etc",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{
		"../outside.json", "..%2Foutside.json", "%2e%2e%2foutside.json", "./../outside.json", "deep/../../outside.json", `..\outside.json`, "..%5Coutside.json",
		"/etc/passwd", "//etc/passwd", "etc/passwd", "etc/hostname.json", "file:///etc/passwd", filepath.Join(filepath.Dir(dir), "outside.json"),
		"link.json", "absolute.json", "up/outside.json", "a.json%00", "a.json%00.json", "", ".", "..", "deep", "other.txt", "notes.txt", "no.json", "a.json/", "./a.json", "deep//b.json",
		strings.Repeat("x", 5000) + ".json", strings.Repeat("a/", 4000) + "b.json",
	} {
		w := get(folder, "/report?run="+name)
		if w.Code < 400 || w.Code >= 500 || strings.Contains(w.Body.String(), "cray-xmt") || strings.Contains(w.Body.String(), "root:") || strings.Contains(w.Body.String(), dir) {
			t.Errorf("%.60q: %d %.200s", name, w.Code, w.Body.String())
		}
	}
	for _, path := range []string{"/../outside.json", "/a.json", "/etc/passwd", "/report/../../outside.json", "//", "/%2e%2e/outside.json", "/report/"} {
		if w := get(folder, path); w.Code != 404 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	if text := get(folder, "/").Body.String(); strings.Contains(text, "cray-xmt") || strings.Contains(text, "outside") {
		t.Error(text)
	}
}

// Nothing is written, whatever the method.
func TestReadsOnly(t *testing.T) {
	folder, dir := folderOf(t)
	before := listing(t, dir)
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "MKCOL"} {
		for _, path := range []string{"/", "/report?run=a.json", "/new.json"} {
			if w := ask(folder, method, path, "localhost"); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: %d", method, path, w.Code)
			}
		}
	}
	if after := listing(t, dir); after != before {
		t.Errorf("was\n%s\nis\n%s", before, after)
	}
}

func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		fmt.Fprintln(&b, path, info.Size(), info.ModTime())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Every answer says how it may be used.
func TestHeaders(t *testing.T) {
	folder, _ := folderOf(t)
	for _, target := range []string{"/", "/report?run=a.json", "/report?run=no.json", "/no"} {
		h := get(folder, target).Header()
		if csp := h.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "script-src 'sha256-") || strings.Contains(csp, "script-src 'unsafe") {
			t.Errorf("%s: policy %q", target, csp)
		}
		for key, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if h.Get(key) != want {
				t.Errorf("%s: %s %q", target, key, h.Get(key))
			}
		}
	}
}

// A name that somebody has made to lead here is refused.
func TestHostNames(t *testing.T) {
	folder, _ := folderOf(t)
	for host, want := range map[string]int{
		"127.0.0.1:8340": 200, "localhost:8340": 200, "localhost": 200, "[::1]:8340": 200, "192.168.7.9:8340": 200,
		"evil.example:8340": http.StatusMisdirectedRequest, "127.0.0.1.evil.example": http.StatusMisdirectedRequest, "": http.StatusMisdirectedRequest,
	} {
		if w := ask(folder, "GET", "/", host); w.Code != want {
			t.Errorf("%q: %d, want %d", host, w.Code, want)
		}
	}
}

func TestNumberOfRuns(t *testing.T) {
	folder, _ := folderOf(t)
	for n, want := range map[int]int{0: 400, 1: 200, htmlreport.MostRuns + 1: 400} {
		if w := get(folder, "/report?"+strings.Repeat("run=a.json&", n)); w.Code != want {
			t.Errorf("%d runs: %d, want %d", n, w.Code, want)
		}
	}
	if w := get(folder, "/report?run=other.json"); w.Code != http.StatusUnprocessableEntity || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
}
