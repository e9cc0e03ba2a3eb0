package models

import "embed"

// Library holds the machines that come with Heddle.
//
//go:embed *.yaml
var Library embed.FS
