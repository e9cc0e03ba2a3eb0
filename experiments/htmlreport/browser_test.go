package htmlreport_test

import (
	"context"
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"heddle/experiments/htmlreport"
)

// screenshots names a folder in which tests leave pictures of pages, for people
// to look at.
const screenshots = "HEDDLE_SCREENSHOTS"

// browser returns a context of a page in headless Chromium, and what has gone
// wrong on it so far.
func browser(t *testing.T) (context.Context, func() []string) {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("there is no Chromium to look at pages with")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.WindowSize(1280, 900), chromedp.UserDataDir(t.TempDir()), chromedp.WSURLReadTimeout(time.Minute))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	var mu sync.Mutex
	var faults []string
	if err := chromedp.Listen(ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			var words []string
			for _, a := range e.Args {
				words = append(words, string(a.Value))
			}
			faults = append(faults, fmt.Sprintf("console %s: %s", e.Type, strings.Join(words, " ")))
		case *runtime.EventExceptionThrown:
			faults = append(faults, "exception: "+e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			faults = append(faults, "log: "+e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if u := e.Request.URL; !strings.HasPrefix(u, "file://") && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "http://127.0.0.1:") {
				faults = append(faults, "request of "+u)
			}
		}
	}); err != nil {
		t.Skipf("%s does not start: %v", path, err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	return ctx, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return faults
	}
}

// do performs steps on the page.
func do(t *testing.T, ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// eval returns the value of a script on the page.
func eval[T any](t *testing.T, ctx context.Context, script string) T {
	t.Helper()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return value
}

// media makes the page believe in a medium, and in a color scheme.
func media(t *testing.T, ctx context.Context, medium, scheme string) {
	t.Helper()
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	}); err != nil {
		t.Fatal(err)
	}
}

// picture keeps a screenshot of the whole page if there is a folder for it.
func picture(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	dir := os.Getenv(screenshots)
	if dir == "" {
		return
	}
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		t.Fatal(err)
	}
}

// written writes a page about runs to a file and returns its address.
func written(t *testing.T, runs ...htmlreport.Run) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := htmlreport.Write(f, runs); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

// column returns the full values of a table's column, by its heading.
func column(t *testing.T, ctx context.Context, table, heading string) []string {
	t.Helper()
	return eval[[]string](t, ctx, fmt.Sprintf(`(() => {
		const table = document.getElementById(%q);
		const i = [...table.tHead.rows[0].cells].findIndex(c => c.textContent === %q);
		return [...table.tBodies[0].rows].map(r => r.cells[i].dataset.v ?? r.cells[i].textContent);
	})()`, table, heading))
}

// On every kind of machine the page loads without a complaint, draws what there
// is, and its tables hold the result's numbers.
func TestPagesInBrowser(t *testing.T) {
	ctx, faults := browser(t)
	for _, machine := range []string{"tesla-c2050", "cray-xmt", "opteron-6176se", "functional"} {
		run := result(t, "matching/ld", machine)
		do(t, ctx, chromedp.Navigate(written(t, run)))
		ready := eval[string](t, ctx, `document.documentElement.dataset.ready || "no"`)
		drawn := eval[int](t, ctx, `document.querySelectorAll("figure.chart svg[aria-label]").length`)
		empty := eval[int](t, ctx, `[...document.querySelectorAll("figure.chart")].filter(f => !f.querySelector("svg")).length`)
		if got := faults(); len(got) > 0 || ready != "yes" {
			t.Fatalf("%s: ready %q, %q", machine, ready, got)
		}
		least := 6 // a roofline, a queue, and what changed over time
		if machine == "functional" {
			least = 1
		}
		if drawn < least || empty > 0 {
			t.Errorf("%s: %d charts are drawn, %d are empty", machine, drawn, empty)
		}
		checkTables(t, ctx, run)
		picture(t, ctx, machine+"-light")
	}
}

// checkTables compares tables with the result that they were made from.
func checkTables(t *testing.T, ctx context.Context, run htmlreport.Run) {
	t.Helper()
	o := run.Outcome
	same := func(table, heading string, want []float64) {
		t.Helper()
		got := column(t, ctx, table, heading)
		if len(got) != len(want) {
			t.Errorf("%s, %s: %d rows, want %d", table, heading, len(got), len(want))
			return
		}
		for i, text := range got {
			x, err := strconv.ParseFloat(text, 64)
			if math.IsNaN(want[i]) && text == "" {
				continue
			}
			if err != nil || x != want[i] {
				t.Errorf("%s, %s, row %d: %q, want %v", table, heading, i, text, want[i])
			}
		}
	}
	var values []float64
	for _, m := range o.Metrics {
		values = append(values, m.Value)
	}
	same("metrics-0", "value", values)
	orNaN := func(x *float64) float64 {
		if x == nil {
			return math.NaN()
		}
		return *x
	}
	var items, instructions, perCycle, occupied []float64
	for i := range o.Launches {
		l := &o.Launches[i]
		items = append(items, float64(l.Items))
		instructions = append(instructions, float64(l.Instructions))
		perCycle = append(perCycle, orNaN(l.PerCycle))
		occupied = append(occupied, orNaN(l.Occupancy))
	}
	same("launches-0", "items", items)
	same("launches-0", "instructions", instructions)
	loads := map[string]float64{}
	for _, a := range o.Arrays {
		loads[a.Name] = float64(a.Loads)
	}
	names, got := column(t, ctx, "arrays-0", "array"), column(t, ctx, "arrays-0", "loads")
	for i, name := range names {
		if x, err := strconv.ParseFloat(got[i], 64); err != nil || x != loads[name] {
			t.Errorf("array %s: %s loads, want %v", name, got[i], loads[name])
		}
	}
	if len(names) != len(loads) {
		t.Errorf("arrays %q", names)
	}
	if o.Simulated.Seconds == nil {
		return
	}
	same("launches-0", "a cycle", perCycle)
	same("launches-0", "occupied", occupied)
	var busy []float64
	for _, u := range o.Units {
		busy = append(busy, orNaN(u.Busy))
	}
	same("units-0", "busy", busy)
	var atomics []float64
	for _, w := range o.HotWords {
		atomics = append(atomics, float64(w.Atomics))
	}
	same("words-0", "atomics", atomics)
}

// Several runs are shown side by side, in light and dark and on paper.
func TestComparisonInBrowser(t *testing.T) {
	ctx, faults := browser(t)
	runs := []htmlreport.Run{result(t, "matching/ld", "tesla-c2050"), result(t, "matching/ld", "xeon-e5540")}
	const background = `getComputedStyle(document.body).backgroundColor`
	media(t, ctx, "", "light")
	do(t, ctx, chromedp.Navigate(written(t, runs...)))
	light := eval[string](t, ctx, background)
	media(t, ctx, "", "dark")
	dark := eval[string](t, ctx, background)
	picture(t, ctx, "compare-dark")
	do(t, ctx, chromedp.Focus("#theme"), chromedp.KeyEvent("\r"))
	forced := eval[string](t, ctx, background)
	if light == dark || forced != light {
		t.Errorf("backgrounds: %s light, %s dark, %s when light is asked for", light, dark, forced)
	}
	rows := eval[[]string](t, ctx, `[...document.querySelectorAll("#compare-measures tbody tr:first-child td")].map(c => c.dataset.v)`)
	for i, r := range runs {
		if x, err := strconv.ParseFloat(rows[i], 64); err != nil || x != r.Seconds() {
			t.Errorf("run %d: %s, want %v s", i, rows[i], r.Seconds())
		}
	}
	paper, err := chromedp.Run(ctx, chromedp.PrintToPDF())
	if err != nil {
		t.Fatal(err)
	}
	if len(paper) < 10_000 {
		t.Errorf("%d bytes of PDF", len(paper))
	}
	if dir := os.Getenv(screenshots); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "compare.pdf"), paper, 0o644); err != nil {
			t.Fatal(err)
		}
		media(t, ctx, "print", "dark")
		picture(t, ctx, "compare-print")
	}
	if got := faults(); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// A heading sorts its column from the keyboard, and a third time restores the
// order.
func TestSortInBrowser(t *testing.T) {
	ctx, faults := browser(t)
	do(t, ctx, chromedp.Navigate(written(t, result(t, "matching/ld", "tesla-c2050"))))
	press := func() {
		t.Helper()
		do(t, ctx, chromedp.Focus("#launches-0 thead th:nth-child(4) button"), chromedp.KeyEvent("\r"))
	}
	numbers := func() (xs []float64) {
		for _, text := range column(t, ctx, "launches-0", "instructions") {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			xs = append(xs, x)
		}
		return xs
	}
	original := numbers()
	for _, sign := range []float64{-1, 1} {
		press()
		xs := numbers()
		for i := 1; i < len(xs); i++ {
			if sign*(xs[i]-xs[i-1]) < 0 {
				t.Errorf("sorted by %v: %v", sign, xs)
			}
		}
	}
	press()
	if got := numbers(); fmt.Sprint(got) != fmt.Sprint(original) {
		t.Errorf("%v, not restored to %v", got, original)
	}
	if got := faults(); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// What a hostile result says is text, wherever a page shows it.
func TestHostileNamesInBrowser(t *testing.T) {
	ctx, faults := browser(t)
	do(t, ctx, chromedp.Navigate(written(t, hostile(t), hostile(t))))
	struck := eval[bool](t, ctx, `"struck" in window`)
	if got := faults(); struck || len(got) > 0 {
		t.Errorf("script ran: %v; %q", struck, got)
	}
}

// A served folder lists its results and compares those that are marked.
func TestServedInBrowser(t *testing.T) {
	folder, _ := folderOf(t)
	server := httptest.NewServer(folder)
	defer server.Close()
	ctx, faults := browser(t)
	do(t, ctx, chromedp.Navigate(server.URL))
	title := eval[string](t, ctx, "document.title")
	picture(t, ctx, "served")
	for _, key := range [][2]string{{`input[value="a.json"]`, " "}, {`input[value="deep/b.json"]`, " "}, {`input[type="submit"]`, "\r"}} {
		do(t, ctx, chromedp.Focus(key[0]), chromedp.KeyEvent(key[1]))
	}
	for at := ""; at != "complete /report"; time.Sleep(20 * time.Millisecond) {
		var err error
		// While the page changes there is nothing to ask.
		if at, err = chromedp.Run(ctx, chromedp.Evaluate[string](`document.readyState + " " + location.pathname`)); err != nil && ctx.Err() != nil {
			t.Fatal(err)
		}
	}
	articles := eval[int](t, ctx, `document.querySelectorAll("article.run").length`)
	if got := faults(); len(got) > 0 || title != "Heddle: results" || articles != 2 {
		t.Errorf("title %q, %d runs, %q", title, articles, got)
	}
}
