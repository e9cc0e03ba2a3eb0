package study

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// WriteParquet writes t: text columns as strings, the others as doubles, null
// where there is no number.
func WriteParquet(w io.Writer, t *Table) error {
	group := parquet.Group{}
	for _, c := range t.Columns {
		if c.Text {
			group[c.Name] = parquet.String()
		} else {
			group[c.Name] = parquet.Optional(parquet.Leaf(parquet.DoubleType))
		}
	}
	schema := parquet.NewSchema("study", group)
	// Parquet keeps a group's columns in the order of their names.
	place := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		leaf, ok := schema.Lookup(c.Name)
		if !ok {
			return fmt.Errorf("parquet: no column %s", c.Name)
		}
		place[i] = leaf.ColumnIndex
	}
	file := parquet.NewWriter(w, schema, parquet.Compression(&parquet.Zstd), parquet.CreatedBy("heddle", "", ""))
	for _, cells := range t.Rows {
		row := make(parquet.Row, len(cells))
		for i, cell := range cells {
			value, level := parquet.ValueOf(cell.Text), 0
			if !t.Columns[i].Text {
				value, level = parquet.DoubleValue(cell.Number), 1
				if math.IsNaN(cell.Number) || math.IsInf(cell.Number, 0) {
					value, level = parquet.NullValue(), 0
				}
			}
			row[i] = value.Level(0, level, place[i])
		}
		slices.SortFunc(row, func(a, b parquet.Value) int { return a.Column() - b.Column() })
		if _, err := file.WriteRows([]parquet.Row{row}); err != nil {
			return fmt.Errorf("parquet: %w", err)
		}
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	return nil
}
