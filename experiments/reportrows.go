package experiments

// metricRow is a line of figures. Of its parts, those are shown whose metrics,
// in braces, the machine has and that are defined; a # leaves out the unit.
type metricRow struct {
	label string
	parts []string
}

// metricRows are the lines of figures of a kind of machine.
type metricRows struct{ cores, memory []metricRow }

// familyRows are in the terms of each kind of machine. The functional machine
// has its lanes only.
var familyRows = map[string]metricRows{
	"simt": {gpuCores, gpuMemory}, "window": {windowCores, windowMemory}, "stream": {streamCores, streamMemory},
	"functional": {cores: []metricRow{{"warps", []string{"{warp_execution_efficiency} of the lanes active"}}}},
}

// kind returns the kind of the machine.
func (p *report) kind() string {
	kind, _ := p.Config.Value("kind")
	return kind
}

var gpuCores = []metricRow{
	{"warps", []string{"{achieved_occupancy} of the places taken", "{warp_execution_efficiency} of the lanes active", "SMs busy {sm_efficiency} of the time"}},
	{"issue", []string{"{ipc} an SM", "{issue_slot_utilization} of the issue slots used"}},
	{"branches", []string{"{branch#} issued", "{branch_efficiency} left one way by all lanes"}},
}

var gpuMemory = []metricRow{
	{"DRAM", []string{"{dram_read_throughput} read + {dram_write_throughput} written, of {dram_peak_throughput} peak", "buses busy {dram_utilization}", "row hits {dram_row_hit_rate}"}},
	{"L2", []string{"{l2_read_throughput} read, {l2_write_throughput} written", "hits {l2_hit_rate} of {l2_reads#} reads, {l2_writes#} writes, {l2_atomics#} atomics"}},
	{"L1", []string{"hits {global_hit_rate} of {l1_reads#} reads"}},
	{"loads", []string{"{gld_transactions_per_request} a warp's load", "{gld_throughput} moved, {gld_requested_throughput} of it asked for"}},
	{"stores", []string{"{gst_transactions_per_request} a warp's store", "{gst_efficiency} of the bytes asked for"}},
	{"atomics", []string{"{atomic_operations#} performed", "{atomic_replays#} waited for one on the same address"}},
}

var windowCores = []metricRow{
	{"issue", []string{"{ipc#} instructions a cycle of all cores", "{cpi#} cycles an instruction of a thread"}},
	{"branches", []string{"{branches#} conditional, {branches_taken} taken", "{branch_miss_rate} mispredicted, {branch_mpki#} in 1000 instructions"}},
	{"TLB", []string{"{dtlb_misses#} misses, {dtlb_mpki#} in 1000 instructions", "{page_walks#} page walks"}},
}

var windowMemory = []metricRow{
	{"L1", []string{"{l1_accesses#} accesses, {l1_misses#} misses", "{l1_mpki#} in 1000 instructions"}},
	{"L2", []string{"{l2_accesses#} accesses, {l2_misses#} misses", "{l2_mpki#} in 1000 instructions"}},
	{"L3", []string{"{l3_misses#} misses of the die's", "{l3_mpki#} in 1000 instructions"}},
	{"transfers", []string{"{c2c_die#} lines from caches of the die, {c2c_package#} of the package", "{c2c_1_hop#} one link away, {c2c_2_hops#} two", "{c2c_dirty} modified"}},
	{"coherence", []string{"{upgrades#} upgrades", "lines lost: {invalidations#} to writes, {back_invalidations#} to L3"}},
	{"memory", []string{"{memory_reads_local#} lines read from the own die, {memory_reads_remote#} from others", "{memory_writes#} written"}},
	{"DRAM", []string{"{dram_read_bandwidth} read + {dram_write_bandwidth} written", "row hits {dram_row_hit_rate}"}},
	{"busiest", []string{"socket at {dram_bandwidth_busiest_socket} of {dram_sustained_bandwidth_socket}", "link busy {link_utilization}"}},
	{"atomics", []string{"{atomics#} performed", "{full_empty_retries#} tries of full/empty operations failed"}},
}

var streamCores = []metricRow{
	{"streams", []string{"{streams_active#} of a processor had a thread", "processors had any {processor_efficiency} of the time"}},
	{"issue", []string{"{issue_utilization} of the cycles", "{inst_per_word#} operations a word"}},
}

var streamMemory = []metricRow{
	{"words", []string{"{memory_throughput} of {memory_peak_throughput} sustained, {requested_throughput} of it asked for", "{memory_utilization} of the limit"}},
	{"latency", []string{"{memory_latency.mean#} cycles on average"}},
	{"modules", []string{"buffer hits {buffer_hit_rate}", "the busiest has {module_imbalance#} times the mean"}},
	{"caches", []string{"hits {cache_hit_rate} of the loads"}},
	{"DRAM", []string{"{dram_read_throughput} read + {dram_write_throughput} written, of {dram_peak_throughput} peak", "row hits {dram_row_hit_rate}"}},
	{"atomics", []string{"{atomics#} performed", "{hot_word_conflicts#} operations waited for their word, {hot_word_wait} each"}},
	{"full/empty", []string{"{sync_operations#} operations succeeded, {sync_retries#} tries failed, {sync_traps#} trapped"}},
}
