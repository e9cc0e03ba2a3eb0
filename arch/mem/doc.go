// Package mem is the memory of a simulated machine: the address space and its
// named arrays, full/empty bits, caches and DRAM.
//
// Space holds the bytes and says what an access does; it knows no time. Cache
// and DRAM say how long an access takes; they hold no bytes. A core asks both.
package mem
