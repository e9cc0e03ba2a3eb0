package traces

import (
	"bufio"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

// output is a buffered, perhaps compressed, stream that remembers its first
// error.
type output struct {
	buffer *bufio.Writer
	gzip   *gzip.Writer // nil without compression
}

func newOutput(w io.Writer, compress bool) *output {
	o := &output{}
	if compress {
		o.gzip = gzip.NewWriter(w)
		w = o.gzip
	}
	o.buffer = bufio.NewWriterSize(w, 1<<16)
	return o
}

// write adds p; an error stays with the buffer until close.
func (o *output) write(p []byte) { _, _ = o.buffer.Write(p) }

func (o *output) close() error {
	err := o.buffer.Flush()
	if o.gzip != nil {
		err = errors.Join(err, o.gzip.Close())
	}
	return err
}
