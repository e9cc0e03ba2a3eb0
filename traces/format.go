package traces

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Header says where a memory trace comes from.
type Header struct {
	Kernel   string `json:"kernel"`
	Machine  string `json:"machine"`
	Graph    string `json:"graph"`
	Seed     uint64 `json:"seed"`
	Width    int    `json:"width"`    // threads of a warp; 1 on machines without
	Contexts int    `json:"contexts"` // warps, streams or hardware threads of the machine
	Period   int64  `json:"period"`   // of its cores' clock, in femtoseconds
}

// magic is the first line of a memory trace.
const magic = "heddle memory trace 1\n"

// appendHeader appends the lines before the records.
func (h *Header) append(b []byte) ([]byte, error) {
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	return append(append(append(b, magic...), text...), '\n'), nil
}

// parseHeader reads the line that follows magic.
func parseHeader(line []byte) (h Header, err error) {
	d := json.NewDecoder(strings.NewReader(string(line)))
	d.DisallowUnknownFields()
	if err := d.Decode(&h); err != nil {
		return h, err
	}
	switch {
	case h.Width < 1 || h.Width > maxLanes:
		return h, fmt.Errorf("width %d: 1 to %d", h.Width, maxLanes)
	case h.Contexts < 1 || h.Contexts > maxThreads:
		return h, fmt.Errorf("contexts %d: 1 to %d", h.Contexts, maxThreads)
	case h.Period < 1 || h.Period > maxTime:
		return h, fmt.Errorf("period %d: 1 to %d", h.Period, int64(maxTime))
	}
	return h, nil
}

// Bounds of what a trace may hold.
const (
	maxLanes   = 64
	maxThreads = 1 << 30 // of a launch
	maxArrays  = 1<<15 - 1
	maxName    = 1 << 8  // bytes of a name
	maxBytes   = 1 << 46 // of an array
	maxTime    = 1 << 62 // femtoseconds
)

// Codes of records. Those of accesses begin at codeAccess: the low two bits
// are the kind, the next three the logarithm of the size, and codeLanes is set
// if there are several lanes.
const (
	codeEnd = iota
	codeArray
	codeLaunch
	codeReturn
	codeStart
	codeBarrier
	codeAccess = 0x40
	codeLanes  = 0x20
)
