package htmlreport

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// MostRuns is how many runs a page compares at most.
const MostRuns = 12

// index is the page that lists a folder's results.
type index struct {
	page
	Dir     string
	Entries []entry
	Others  int // files that are no results
	Most    int
}

// ServeHTTP serves the folder: / lists its results, /report?run=PATH shows one
// or, with several, compares them. It reads only.
func (f *Folder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", Policy+"; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	switch {
	case !local(r.Host):
		http.Error(w, "this server is called by another name", http.StatusMisdirectedRequest)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "results are only read", http.StatusMethodNotAllowed)
	case r.URL.Path == "/":
		f.index(w)
	case r.URL.Path == "/report":
		f.report(w, r.URL.Query()["run"])
	default:
		http.Error(w, "no such page", http.StatusNotFound)
	}
}

// local reports whether a request names its host by an address or as
// localhost, so that a page elsewhere whose name has been made to lead here
// reads nothing.
func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host == "localhost" {
		return true
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil
}

func (f *Folder) index(w http.ResponseWriter) {
	entries, others, err := f.list()
	if err != nil {
		http.Error(w, "the folder cannot be read", http.StatusInternalServerError)
		return
	}
	p := index{newPage("Heddle: results"), f.name, entries, others, MostRuns}
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, "index.html", p); err != nil {
		http.Error(w, "the page cannot be made", http.StatusInternalServerError)
		return
	}
	send(w, b.Bytes())
}

func (f *Folder) report(w http.ResponseWriter, names []string) {
	if len(names) == 0 || len(names) > MostRuns {
		http.Error(w, fmt.Sprintf("1 to %d results can be shown: mark some on the page before", MostRuns), http.StatusBadRequest)
		return
	}
	var runs []Run
	for _, name := range names {
		o, err := f.read(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.As(err, new(*fs.PathError)):
			http.Error(w, "no such result", http.StatusNotFound)
			return
		case err != nil:
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		runs = append(runs, Run{name, o})
	}
	var b bytes.Buffer
	if err := write(&b, runs, "/"); err != nil {
		http.Error(w, "the page cannot be made", http.StatusInternalServerError)
		return
	}
	send(w, b.Bytes())
}

func send(w http.ResponseWriter, page []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page) // whoever asked has gone
}
