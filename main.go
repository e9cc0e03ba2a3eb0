// Heddle simulates irregular graph kernels, instruction by instruction, on
// models of real machines.
package main

import (
	"context"
	"os"

	"heddle/experiments"
)

func main() {
	os.Exit(experiments.Main(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}
