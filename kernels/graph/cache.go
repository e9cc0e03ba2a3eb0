package graph

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"
)

// cacheVersion is part of every cached file's name. It goes up whenever a
// generator would make another graph from the same parameters, or the layout
// below changes.
const cacheVersion = 1

// cacheFrom is the number of vertices from which a generated graph is worth a
// file: below it, generating is as quick as reading.
const cacheFrom = 1 << 18

// A cached file is cacheMagic, the header, XAdj, Adj, and the CRC-32C of all
// that, little-endian throughout. Cached graphs have no weights: those are a
// hash of the edge, cheaper to compute than to read.
var cacheMagic = [8]byte{'H', 'E', 'D', 'D', 'L', 'E', 'G', cacheVersion}

type cacheHeader struct {
	Magic       [8]byte
	Vertices    int64
	Adjacencies int64
	SelfLoops   int64
	Duplicates  int64
}

const cacheHeaderSize = 40

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// cachePath returns the file of a generated graph.
func cachePath(s spec, opt Options) (string, error) {
	dir := opt.CacheDir
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(user, "heddle", "graphs")
	}
	return filepath.Join(dir, fmt.Sprintf("%s-%d-degree%d-seed%d.v%d", s.family, s.scale, s.degree, s.seed, cacheVersion)), nil
}

// throughCache returns the graph of s from the cache, or generates it and
// leaves it there. A damaged file is replaced; a cache that cannot be written
// is done without.
func throughCache(s spec, opt Options, generate func() *Graph) *Graph {
	log := opt.Log
	if log == nil {
		log = func(string) {}
	}
	path, err := cachePath(s, opt)
	if err != nil {
		log(fmt.Sprintf("%s: not cached: %v", s.name, err))
		return generate()
	}
	g, err := readCache(path)
	if err == nil {
		return g
	}
	if !errors.Is(err, fs.ErrNotExist) {
		log(fmt.Sprintf("%s: cached file %s is unusable, generating anew: %v", s.name, path, bare(err)))
	}
	g = generate()
	err = os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		removeStale(filepath.Dir(path))
		err = writeAtomically(path, func(w io.Writer) error { return writeCache(w, g) })
	}
	if err != nil {
		log(fmt.Sprintf("%s: not cached: %v", s.name, err))
	}
	return g
}

// removeStale removes what runs that were killed while writing left in the
// cache: unfinished files that nobody has written to for an hour.
func removeStale(dir string) {
	unfinished, _ := filepath.Glob(filepath.Join(dir, ".*.tmp")) // the pattern is well formed
	for _, path := range unfinished {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(path)
		}
	}
}

func writeCache(w io.Writer, g *Graph) error {
	sum := crc32.New(castagnoli)
	out := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<20)
	header := cacheHeader{cacheMagic, int64(g.Vertices()), int64(len(g.Adj)), g.Dropped.SelfLoops, g.Dropped.Duplicates}
	if err := binary.Write(out, binary.LittleEndian, header); err != nil {
		return err
	}
	for _, x := range g.XAdj {
		if _, err := out.Write(binary.LittleEndian.AppendUint64(out.AvailableBuffer(), uint64(x))); err != nil {
			return err
		}
	}
	for _, v := range g.Adj {
		if _, err := out.Write(binary.LittleEndian.AppendUint32(out.AvailableBuffer(), uint32(v))); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err := w.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
	return err
}

// readCache reads a cached graph, or says what is wrong with the file.
func readCache(path string) (*Graph, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	in := cacheReader{r: f, sum: crc32.New(castagnoli), block: make([]byte, 1<<20)}
	var header cacheHeader
	if err := binary.Read(io.TeeReader(f, in.sum), binary.LittleEndian, &header); err != nil {
		return nil, err
	}
	if header.Magic != cacheMagic {
		return nil, fmt.Errorf("not a cached graph of version %d", cacheVersion)
	}
	v, a := header.Vertices, header.Adjacencies
	// The sizes are believed only where they add up to the file's.
	if v < 1 || v > MaxVertices || a < 0 || a > math.MaxInt64/8 || info.Size() != cacheHeaderSize+8*(v+1)+4*a+4 {
		return nil, errors.New("its length is not the one its header calls for")
	}
	g := &Graph{
		XAdj:    make([]int64, v+1),
		Adj:     make([]int32, a),
		Dropped: Dropped{SelfLoops: header.SelfLoops, Duplicates: header.Duplicates},
	}
	in.words(len(g.XAdj), 8, func(i int, b []byte) { g.XAdj[i] = int64(binary.LittleEndian.Uint64(b)) })
	in.words(len(g.Adj), 4, func(i int, b []byte) { g.Adj[i] = int32(binary.LittleEndian.Uint32(b)) })
	if in.err != nil {
		return nil, in.err
	}
	var sum uint32
	if err := binary.Read(f, binary.LittleEndian, &sum); err != nil {
		return nil, err
	}
	if sum != in.sum.Sum32() {
		return nil, errors.New("its checksum is wrong")
	}
	return g, nil
}

// cacheReader reads arrays of words, block by block, and sums them.
type cacheReader struct {
	r     io.Reader
	sum   hash.Hash32
	block []byte
	err   error
}

func (c *cacheReader) words(n, size int, set func(i int, b []byte)) {
	for i := 0; i < n && c.err == nil; {
		take := min(n-i, len(c.block)/size)
		block := c.block[:take*size]
		if _, c.err = io.ReadFull(c.r, block); c.err != nil {
			return
		}
		_, _ = c.sum.Write(block)
		for ; len(block) > 0; block = block[size:] {
			set(i, block)
			i++
		}
	}
}
