package halappanavar2012

import "heddle/experiments/study"

// gpuClaims are those on the GPUs and their host.
func (o *Paper) gpuClaims() []claim {
	var all []claim
	scale := o.gpuScale()
	order := func(id, text string, low, high quantity) {
		all = append(all, claim{id: id, where: "V", text: text, scale: scale, paper: paperGPUScale, low: low, high: high})
	}
	const cpu12, cpu24, onTesla, onFermi, onFermiL2 = 0, 1, 2, 3, 4
	run := func(p int, f family) study.Case { return o.platformRun(platforms[p], f.at(scale)) }
	faster := func(id, text string, f family, fast, slow int) {
		order(id+"-"+f.graph, f.title+": "+text, timeOf(run(fast, f)), timeOf(run(slow, f)))
	}
	for _, f := range families {
		faster("fermi-tesla", "Fermi is faster than Tesla", f, onFermi, onTesla)
		faster("fermi-cpu12", "Fermi is faster than 12 threads of its host", f, onFermi, cpu12)
		faster("fermi-cpu24", "Fermi is faster than 24 threads of its host", f, onFermi, cpu24)
		one := o.platformRun(hostCore, f.at(scale))
		order("host-scaling-"+f.graph, f.title+": 12 threads of the host scale worse than 8 of Nehalem", efficiencyOf(one, run(cpu12, f), 12),
			efficiencyOf(o.nehalemRun(f, o.scale(), 1), o.nehalemRun(f, o.scale(), 8), 8))
	}
	er, g, b := families[0], families[goodSkew], families[2]
	for _, p := range []int{onTesla, onFermi} {
		c := run(p, er)
		order("phases-"+c.Machine, "RMAT-ER: "+string(platforms[p])+" is slower a vertex in phase 2 than in phase 1",
			itemTime(c, "matching/ld.find"), itemTime(c, "matching/ld.extend"))
	}
	order("fermi-atomics", "RMAT-G: Fermi gains by its faster atomics over Tesla's",
		timeOf(run(onFermi, g)), timeOf(o.sentenceRun("Fermi with the atomics of Tesla")))
	for _, c := range []struct {
		of   family
		gain float64
	}{{b, 1.2}, {er, 1}} {
		on := func(kernel string) study.Case {
			return o.sentenceRun("blocks", "kernel", kernel, "graph", c.of.at(scale))
		}
		x := ratioClaim("blocks-"+c.of.graph, "IV-A", c.of.title+": a traversal takes this times one by blocks, Fermi", c.gain, scale, paperGPUScale,
			on("bfs/level"), on("bfs/level-blocked"))
		x.reason = "the paper names neither the GPU nor the size of the blocks"
		all = append(all, x)
	}
	const small = "host, small graph"
	order("host-small", "RMAT-G: 12 threads of the host scale worse on small graphs",
		efficiencyOf(o.sentenceRun(small, "machine", string(hostCore)), o.sentenceRun(small, "machine", string(platforms[cpu12])), 12),
		efficiencyOf(o.platformRun(hostCore, g.at(scale)), run(cpu12, g), 12))
	gain := func(p int, f family) quantity { return speedup(o.platformRun(hostCore, f.at(scale)), run(p, f)) }
	order("skew-tesla", "Tesla gains less on RMAT-B than on RMAT-ER", gain(onTesla, b), gain(onTesla, er))
	order("skew-fermi", "Fermi gains less on RMAT-B than on RMAT-ER", gain(onFermi, b), gain(onFermi, er))
	faster("l1-off", "Fermi is faster with L1 bypassed", er, onFermiL2, onFermi)

	const cit, soc = 0, 1
	paths, missing := o.RealGraphs()
	if len(missing) == 0 {
		gained := func(path string) quantity {
			return speedup(o.platformRun(hostCore, path), o.platformRun(platforms[onFermi], path))
		}
		order("skew-real", "Fermi gains less on cit-patent than on soc-live", gained(paths[cit]), gained(paths[soc]))
		last := &all[len(all)-1]
		last.scale, last.paper = 0, 0
		last.foreign = !o.isPapers(cit) || !o.isPapers(soc)
	}
	return all
}
