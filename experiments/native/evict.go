package native

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"heddle/kernels/team"
)

// eviction fills the caches of a team's processors with what no kernel uses.
type eviction struct {
	team   *team.Team
	buffer []uint64
}

// unknownCache is taken for the largest cache where the system does not tell.
const unknownCache = 64 << 20

// newEviction returns one whose buffer is twice as large as the largest cache,
// so that a cache with any usual policy keeps little of what it held.
func newEviction(t *team.Team) *eviction {
	largest := int64(0)
	for index := range 8 {
		size, err := os.ReadFile(fmt.Sprintf("/sys/devices/system/cpu/cpu0/cache/index%d/size", index))
		if err != nil {
			break
		}
		if kibibytes, ok := strings.CutSuffix(strings.TrimSpace(string(size)), "K"); ok {
			n, _ := strconv.ParseInt(kibibytes, 10, 64)
			largest = max(largest, n<<10)
		}
	}
	if largest == 0 {
		largest = unknownCache
	}
	return &eviction{t, make([]uint64, 2*largest/8)}
}

// evict writes the whole buffer from every processor, each to all of it, as
// each has private caches.
func (e *eviction) evict() {
	const wordsPerLine = 8
	e.team.All(func(int) {
		for i := 0; i < len(e.buffer); i += wordsPerLine {
			atomic.AddUint64(&e.buffer[i], 1)
		}
	})
}
