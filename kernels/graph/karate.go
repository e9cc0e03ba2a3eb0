package graph

// karateEdges is the club's friendship network, vertices from 1 as in the
// paper: W. W. Zachary, "An information flow model for conflict and fission in
// small groups", Journal of Anthropological Research 33(4), 1977, figure 1.
// Row u lists the neighbors above u.
var karateEdges = [...][]int32{
	1:  {2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 18, 20, 22, 32},
	2:  {3, 4, 8, 14, 18, 20, 22, 31},
	3:  {4, 8, 9, 10, 14, 28, 29, 33},
	4:  {8, 13, 14},
	5:  {7, 11},
	6:  {7, 11, 17},
	7:  {17},
	9:  {31, 33, 34},
	10: {34},
	14: {34},
	15: {33, 34},
	16: {33, 34},
	19: {33, 34},
	20: {34},
	21: {33, 34},
	23: {33, 34},
	24: {26, 28, 30, 33, 34},
	25: {26, 28, 32},
	26: {32},
	27: {30, 34},
	28: {34},
	29: {32, 34},
	30: {33, 34},
	31: {33, 34},
	32: {33, 34},
	33: {34},
}

// Karate returns Zachary's karate club: 34 vertices, 78 edges, no weights.
func Karate() *Graph {
	l := &entryList{}
	for u, row := range karateEdges {
		for _, v := range row {
			l.add(int32(u)-1, v-1)
		}
	}
	g := build(34, l, false)
	g.Name = "karate"
	return g
}
