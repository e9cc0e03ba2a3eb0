// Package htmlreport shows results of runs as pages for a browser: one file
// that needs nothing else, or a folder served on this computer.
package htmlreport

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"

	"heddle/experiments/study"
)

// Run is a result and its name, such as that of its file.
type Run struct {
	Name string
	*study.Outcome
}

//go:embed assets vendored/*.js
var files embed.FS

func asset(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // not a name of an embedded file
	}
	return string(text)
}

// The parts of every page.
var (
	style     = asset("assets/style.css")
	libraries = asset("vendored/d3.min.js") + "\n" + asset("vendored/plot.umd.min.js")
	program   = asset("assets/report.js")
	templates = template.Must(template.New("").Funcs(functions).ParseFS(files, "assets/*.html"))
)

// Policy is the content security policy of all pages: nothing is loaded, and no
// script runs but the pages' own.
var Policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'self'; script-src " +
	digest(libraries) + " " + digest(program)

// digest names a script as a policy does.
func digest(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// page is what all pages have.
type page struct {
	Title     string
	Back      string // link to what the page was reached from
	Policy    string
	Style     template.CSS
	Libraries template.JS
	Program   template.JS
}

func newPage(title string) page {
	return page{Title: title, Policy: Policy, Style: template.CSS(style), Program: template.JS(program)}
}

// Write writes a page about runs, and what compares them if there are several.
func Write(w io.Writer, runs []Run) error { return write(w, runs, "") }

func write(w io.Writer, runs []Run, back string) error {
	p := newReport(runs)
	p.Back = back
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, "report.html", p); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}
