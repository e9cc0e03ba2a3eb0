package native

import "golang.org/x/sys/unix"

// always are events that need no support of the processor.
var always = []event{{unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_TASK_CLOCK}}
