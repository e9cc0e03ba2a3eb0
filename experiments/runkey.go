package experiments

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"heddle/experiments/study"
	"heddle/kernels/graph"
	"heddle/models"
)

// runKey is all that a run's result depends on.
type runKey struct {
	Simulator string              `json:"simulator"` // hash of the program's file
	Programs  []string            `json:"programs"`
	Machine   string              `json:"machine"`
	Config    *models.Description `json:"config"`   // in place of Run.Machine and Run.Set
	Contents  string              `json:"contents"` // hash of the graph's file, if it is one
	Run       Run                 `json:"run"`
}

// key returns r's runKey as JSON.
func (r Run) key() (text []byte, err error) {
	key := runKey{Run: r}
	key.Run.Machine, key.Run.Set = "", nil
	if key.Simulator, err = executable(); err != nil {
		return nil, err
	}
	if key.Contents, err = graphContents(r.Graph); err != nil {
		return nil, err
	}
	if study.IsProperty(r.Kernel) {
		return json.Marshal(key)
	}
	k, err := kernel(r.Kernel)
	if err != nil {
		return nil, err
	}
	for _, p := range k.Programs() {
		key.Programs = append(key.Programs, p.Text())
	}
	if key.Config, err = describeMachine(r.Machine, r.Set); err != nil {
		return nil, &InputError{err}
	}
	key.Machine = key.Config.Name()
	return json.Marshal(key)
}

// hashed remembers the hashes of graph files while they do not change.
var hashed sync.Map // of fileState to string

type fileState struct {
	path     string
	size     int64
	modified time.Time
}

// graphContents returns the hash of a graph's file, or nothing for a name that
// is not a file's.
func graphContents(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil || info.IsDir() || graph.IsGenerator(name) {
		return "", nil // whether the name is any good is for opening it to tell
	}
	state := fileState{name, info.Size(), info.ModTime()}
	if hash, ok := hashed.Load(state); ok {
		return hash.(string), nil
	}
	hash, err := fileHash(name)
	if err == nil {
		hashed.Store(state, hash)
	}
	return hash, err
}

// Host bytes that a simulation takes, for rules of thumb: of a vertex and of an
// edge, for the graph while it is made, the machine's arrays with their tags,
// and the check.
const (
	bytesPerVertex = 80
	bytesPerEdge   = 48
	bytesPerRun    = 64 << 20 // machine and all else
	// Of a stream of the XMT, which has most; a thread's caches are in bytesPerRun.
	bytesPerContext = 1536
	edgesPerByte    = 0.1 // of a graph's file
	compression     = 4   // of a graph's file that ends in .gz
	defaultDegree   = 8   // edges a vertex of a generated graph
)

// extent returns about how many vertices and edges a graph has, from its name
// and its file's size alone; both are 0 where neither tells.
func extent(name string) (vertices, edges float64) {
	if graph.IsGenerator(name) {
		head, options, _ := strings.Cut(name, ",")
		_, size, _ := strings.Cut(head, ":")
		scale, err := strconv.Atoi(size)
		if err != nil || scale < 0 || scale > 40 {
			return 0, 0
		}
		degree := defaultDegree
		for option := range strings.SplitSeq(options, ",") {
			if value, ok := strings.CutPrefix(option, "degree="); ok {
				if d, err := strconv.Atoi(value); err == nil {
					degree = d
				}
			}
		}
		vertices = float64(int64(1) << scale)
		return vertices, vertices * float64(degree)
	}
	info, err := os.Stat(name)
	if err != nil {
		return 0, 0
	}
	edges = float64(info.Size()) * edgesPerByte
	if strings.HasSuffix(name, ".gz") {
		edges *= compression
	}
	return edges / defaultDegree, edges
}

// footprint returns the host bytes that r takes, about.
func (r Run) footprint() int64 { return footprintOf(extent(r.Graph)) }

// footprintOf returns the host bytes that a run on a graph takes, about.
func footprintOf(vertices, edges float64) int64 {
	return bytesPerRun + int64(vertices*bytesPerVertex+edges*bytesPerEdge)
}
