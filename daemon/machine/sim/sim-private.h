/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <math.h>

#include "base/idset.h"
#include "core/sense/keyed.h"
#include "machine/sim/sim.h"

/* Inside the simulated machine. Three parts, so that "what if" can copy one and keep the others:
 *
 *   SimConfig   what is set, and what the kernel made of it at its last recompute: watermarks, limits of lists, slab values
 *   SimPhysics  what grows and fades by itself: levels of tuned lists, parked pages, pressure
 *   Sim         both, with counters, time, noise and events
 *
 * sim-zone.c recomputes as the kernel does, sim-write.c takes and refuses writes, sim-step.c moves the time, sim-text*.c print files,
 * sim-files.c finds the file of a path. Pages are 4 KiB. */
#define SIM_PAGE_BYTES UINT64_C(4096)
#define SIM_PMD_KB UINT64_C(2048)
#define SIM_SIZES 8 /* hugepages-16kB to -2048kB */
#define SIM_KHUGEPAGED 7
#define SIM_LAYOUTS 5
#define SIM_UPTIME_START_S 120u

typedef struct SimLayout {
        const char *name, *vmstat, *meminfo;
} SimLayout;

extern const SimLayout sim_layouts[SIM_LAYOUTS];

/* --- zones --- */

enum { SIM_ZONE_DMA, SIM_ZONE_DMA32, SIM_ZONE_NORMAL, SIM_ZONES };

typedef struct SimZone {
        uint64_t start_pfn, spanned, present, managed; /* pages; 0 managed: not populated */
        uint64_t min, low, high;                       /* watermarks */
        uint64_t batch, high_min, high_max;            /* of a list, by the last recompute */
} SimZone;

typedef struct SimNode {
        SimZone zone[SIM_ZONES];
        unsigned busy;     /* zone that the work uses: the largest */
        unsigned n_online; /* CPUs */
} SimNode;

/* --- settings --- */

typedef struct SimSlab {
        uint64_t cpu_partial, min_partial, remote_ratio, sheaf, objects;
        uint64_t cpu_partial_default, min_partial_default;
        unsigned order, order_default;
} SimSlab;

typedef struct SimConfig {
        /* sysctls */
        uint64_t fraction, min_free_kb, scale_factor, boost_factor, proactiveness, zone_reclaim,
                extfrag, stat_interval, numa_stat;
        uint64_t user_min_free_kb; /* floor that a write leaves; 0: none */
        /* transparent huge pages: words as indices into the words of their file */
        uint64_t thp_enabled, thp_defrag, shmem_enabled, zero_page, shrink_underused;
        uint64_t khugepaged[SIM_KHUGEPAGED];
        uint64_t size_enabled[SIM_SIZES], size_shmem[SIM_SIZES];
        SimSlab slab[PLANT_CACHES_MAX];
        SimNode node[PLANT_NODES_MAX];
        IdSet online;
        unsigned n_online;
        uint64_t version; /* grows with each change */
} SimConfig;

typedef struct SimPhysics {
        double level[PLANT_NODES_MAX];  /* limit of the list of a CPU in the busy zone, pages */
        double parked[PLANT_NODES_MAX]; /* pages in the list of a CPU of the node */
        double pressure;                /* 0..1, from memory that runs short by itself */
        double leak_bytes;
        bool used; /* lists were used since the start */
} SimPhysics;

/* --- counters --- */

/* Whole numbers outside, remainders inside: nothing is lost however short ticks are. */
typedef struct SimCounter {
        uint64_t n;
        double carry;
} SimCounter;

static inline void sim_count(SimCounter *c, double amount) {
        if (!(amount > 0) || amount > 1e18)
                return;
        c->carry += amount;
        uint64_t whole = (uint64_t) c->carry;
        c->n += whole;
        c->carry -= (double) whole;
}

typedef enum SimTime {
        SIM_TIME_USER,
        SIM_TIME_SYSTEM,
        SIM_TIME_SOFTIRQ,
        SIM_TIME_IDLE,
        _SIM_TIME_MAX
} SimTime;

/* What is read as text: pages of a vmstat gauge, or a counter. */
typedef struct SimLine {
        const char *name;
        uint8_t size, key, width, kb; /* key UINT8_MAX: always 0 */
} SimLine;

#define SIM_LINES_MAX 256

typedef enum SimLock { SIM_LOCK_ZONE, SIM_LOCK_LIST, SIM_LOCK_LRU, _SIM_LOCK_MAX } SimLock;

typedef struct SimLockCount {
        SimCounter waits, wait_nsec, takes, hold_nsec;
} SimLockCount;

/* --- rates, remembered --- */

#define SIM_RATES 64

/* Limits of lists as the model takes them: mean of the nodes. */
typedef struct SimLists {
        uint64_t high, high_min, high_max, batch, def;
} SimLists;

/* What was asked for last: mostly the same again. */
typedef struct SimLast {
        const SimConfig *config;
        uint64_t version;
        unsigned phase, at;
        double pressure;
        SimLists lists;
} SimLast;

typedef struct SimRates {
        SimLast last;
        uint64_t key[SIM_RATES]; /* 0: free */
        PlantRates rates[SIM_RATES];
        unsigned next;
        PlantSettings settings; /* room: too large for a stack */
        Arena work;             /* of the event model */
} SimRates;

/* --- the machine --- */

typedef struct SimFault {
        const char *path;
        int error;
        bool writes, gone;
        usec_t until_usec;
} SimFault;

typedef struct SimExternal {
        const SimEvent *event;
        usec_t written_usec;
        double value;
} SimExternal;

typedef struct Sim {
        Machine machine;
        const SimSpec *spec;
        const PlantKernel *kernel;
        SimConfig config;
        SimPhysics physics;
        SimRates *memo;
        unsigned phase, n_cpus;       /* present */
        uint64_t *node_of_cpu;        /* n_cpus */
        usec_t now_usec, uptime_usec; /* ticks stop while time skips */
        SimNoiseState cost_noise, load_noise;
        double cost_factor, load_factor; /* of the last step */
        PlantRates rates;                /* noise-free, of the last step */
        SimCounter vm[_VM_KEY_MAX];
        SimCounter *time;  /* n_cpus x _SIM_TIME_MAX */
        SimCounter psi[2]; /* some, full: us */
        double psi_avg[2][3], psi_pending[2];
        usec_t psi_rest_usec;
        SimLockCount lock[_SIM_LOCK_MAX];
        double cache_wait[PLANT_CACHES_MAX]; /* CPUs, smoothed over a minute, with noise */
        uint64_t mem[_MEM_KEY_MAX];          /* bytes, or counts */
        uint64_t free_pages[PLANT_NODES_MAX][SIM_ZONES];
        unsigned n_next_event;
        SimFault fault[SIM_EVENTS_MAX];
        unsigned n_faults;
        SimExternal external[SIM_EVENTS_MAX];
        unsigned n_external;
        const char *foreign[SIM_EVENTS_MAX]; /* paths whose value is somebody else's */
        unsigned n_foreign;
        char *kmsg;
        size_t kmsg_size;
        uint64_t n_writes, foreign_overwritten;
        double parked_max; /* share of a zone */
        SimLine vm_line[SIM_LINES_MAX], mem_line[SIM_LINES_MAX];
        unsigned n_vm_lines, n_mem_lines;
        uint16_t cache_sorted[PLANT_CACHES_MAX]; /* by name */
        Arena memory, out;
} Sim;

static inline Sim *sim_of(Machine *m) {
        return (Sim *) (void *) m;
}

/* --- sim-zone.c --- */

void sim_zones_build(const PlantMachine *machine, SimConfig *c);
/* Watermarks, and on kernels of 5.14 and later the limits of lists. cpu_online: a CPU is coming, not yet in its node. */
void sim_recompute_watermarks(const PlantKernel *k, SimConfig *c);
void sim_recompute_lists(const PlantKernel *k, SimConfig *c, unsigned cpu_online);
/* min_free_kbytes as transparent huge pages want it. boot: at start, else after a write. */
void sim_recompute_min_free(const PlantKernel *k, SimConfig *c, bool boot);
void sim_cpu_set(const Sim *s, SimConfig *c, unsigned cpu, bool online);
void sim_slabs_build(const PlantMachine *machine, SimConfig *c);
_const_ SlubPerCpu sim_slub_per_cpu(PlantSlab slab);
_pure_ bool sim_thp_pmd_enabled(const SimConfig *c);

/* --- sim-knob.c: files that hold one number or one word --- */

typedef enum SimEffect {
        SIM_EFFECT_NONE,
        SIM_EFFECT_FRACTION,
        SIM_EFFECT_MIN_FREE,
        SIM_EFFECT_WATERMARKS,
        SIM_EFFECT_THP,
} SimEffect;

typedef struct SimKnob {
        const char *path;
        const char *const *words; /* NULL: a number */
        size_t offset;            /* of the uint64_t in SimConfig */
        uint64_t floor, ceiling;
        SimEffect effect;
        unsigned need; /* SIM_NEED_* */
        bool sysfs;    /* strict numbers */
} SimKnob;

enum { SIM_NEED_FRACTION = 1, SIM_NEED_HIGH_FRACTION = 2, SIM_NEED_SIZES = 4 };

const SimKnob *sim_knobs(size_t *ret_n);
bool sim_knob_exists(const PlantKernel *k, const SimKnob *knob);
extern const char *const *const sim_size_words, *const *const sim_size_shmem_words;
_const_ uint64_t sim_size_kb(unsigned i);

/* 0 or an errno: what the kernel makes of a text. */
int sim_number_sysctl(Text text, uint64_t floor, uint64_t ceiling, uint64_t *ret);
int sim_number_sysfs(Text text, uint64_t ceiling, uint64_t *ret);
int sim_word(Text text, const char *const *words, uint64_t *ret);

/* --- sim-write.c --- */

/* 0 or an errno. */
int sim_config_write(const Sim *s, SimConfig *c, const char *path, Text value);

/* --- sim-events.c --- */

#define SIM_KMSG_BYTES ((size_t) SIM_EVENTS_MAX * 256)

/* Phases, CPUs and values of events that this machine cannot have: -EINVAL, said in ret_why. */
int sim_events_check(const Sim *s, char *ret_why, size_t why_size);
usec_t sim_next_event(const Sim *s);
void sim_events_run(Sim *s); /* those that are due */
/* The errno that a read (or write) of this path is to fail with; 0. */
int sim_fault(const Sim *s, const char *path, bool writing);
void sim_external_write(Sim *s);                   /* applications write their numbers */
void sim_foreign_forget(Sim *s, const char *path); /* we wrote over it */

/* --- sim-rates.c --- */

static inline double sim_within(double x, double floor, double ceiling) {
        return isfinite(x) ? fmin(fmax(x, floor), ceiling) : floor;
}

/* The kernel tunes its lists now. */
static inline bool sim_tunes(const Sim *s, const SimConfig *c) {
        return pcp_gen_tunes(s->kernel->pcp) && c->fraction == 0;
}

static inline const SimZone *sim_busy_zone(const SimConfig *c, unsigned node) {
        return &c->node[node].zone[c->node[node].busy];
}

/* 0..1, in sixteenths: of the workload, or of memory that runs short. */
double sim_pressure(const Sim *s, const SimPhysics *p, unsigned phase);
/* Steady rates, remembered for each setting. */
const PlantRates *sim_rates(const Sim *s, const SimConfig *c, const SimPhysics *p, unsigned phase);

/* --- sim-step.c --- */

void sim_physics_start(const Sim *s, const SimConfig *c, SimPhysics *p);
/* dt of at most a second of levels, parked pages and pressure under a load. */
void sim_physics_step(const Sim *s, const SimConfig *c, SimPhysics *p, const PlantRates *r,
                      unsigned phase, double load, double dt);
/* Pages of the busy zone of a node that are neither used nor in lists. May be negative: then memory is short. */
double sim_pages_left(const Sim *s, const SimConfig *c, const SimPhysics *p, unsigned node,
                      unsigned phase);
void sim_step(Sim *s, usec_t dt_usec);
void sim_gauges(Sim *s); /* sim-gauge.c */

/* --- sim-file.c --- */

typedef enum SimFileKind {
        SIM_FILE_VMSTAT,
        SIM_FILE_STAT,
        SIM_FILE_PRESSURE,
        SIM_FILE_MEMINFO,
        SIM_FILE_LOCK_STAT,
        SIM_FILE_ZONEINFO,
        SIM_FILE_BUDDYINFO,
        SIM_FILE_SLABINFO,
        SIM_FILE_UPTIME,
        SIM_FILE_VERSION,
        SIM_FILE_RELEASE,
        SIM_FILE_CMDLINE,
        SIM_FILE_CPUINFO,
        SIM_FILE_CONSTANT, /* text */
        SIM_FILE_KNOB,     /* index: row */
        SIM_FILE_THP_COUNT,
        SIM_FILE_SIZE,     /* index: size, attr: row */
        SIM_FILE_SLAB,     /* index: cache, attr: row */
        SIM_FILE_CPU,      /* index: CPU, attr */
        SIM_FILE_CPUS,     /* attr */
        SIM_FILE_NODE,     /* index: node, attr */
        SIM_FILE_NODES,    /* attr */
        SIM_FILE_EXTERNAL, /* index */
        SIM_FILE_KMSG,
        SIM_FILE_SIGNALS,
        SIM_FILE_CAPTURE_JSON,
} SimFileKind;

typedef struct SimFile {
        SimFileKind kind;
        unsigned index, attr, mode;
        const char *text;
} SimFile;

bool sim_file_find(const Sim *s, const char *path, SimFile *ret);
int sim_list(Machine *m, const char *path, Arena *arena, DirEntry **ret_entries, size_t *ret_n);

enum { SIM_CPUS_POSSIBLE, SIM_CPUS_PRESENT, SIM_CPUS_ONLINE, SIM_CPUS_OFFLINE, _SIM_CPUS_MAX };
enum {
        SIM_NODES_POSSIBLE,
        SIM_NODES_ONLINE,
        SIM_NODES_MEMORY,
        SIM_NODES_NORMAL,
        SIM_NODES_CPU,
        _SIM_NODES_MAX
};
enum { SIM_NODE_CPULIST, SIM_NODE_DISTANCE, SIM_NODE_MEMINFO, SIM_NODE_VMSTAT, _SIM_NODE_MAX };
enum { SIM_CPU_ONLINE, SIM_CPU_PACKAGE, _SIM_CPU_MAX };
enum {
        SIM_SIZE_ENABLED,
        SIM_SIZE_SHMEM,
        SIM_SIZE_FAULT_ALLOC,
        SIM_SIZE_FALLBACK,
        SIM_SIZE_FALLBACK_CHARGE,
        SIM_SIZE_SPLIT,
        SIM_SIZE_NR_ANON,
        _SIM_SIZE_MAX
};

typedef struct SimAttr {
        const char *name;
        unsigned mode;
} SimAttr;

extern const SimAttr sim_slab_attrs[];
extern const size_t sim_n_slab_attrs;
_pure_ bool sim_slab_attr_exists(const PlantKernel *k, unsigned attr);
_pure_ unsigned sim_slab_attr_mode(const PlantKernel *k, unsigned attr);

/* --- sim-out.c: text without printf --- */

typedef struct SimOut {
        char *at, *end;
        bool full;
} SimOut;

void sim_out(SimOut *o, const char *text, size_t size);
void sim_out_u64(SimOut *o, uint64_t n);
void sim_out_padded(SimOut *o, uint64_t n, unsigned width);
void sim_out_hundredths(SimOut *o, uint64_t hundredths, unsigned width); /* 12345 -> 123.45 */
#define SIM_OUT(o, literal) sim_out((o), (literal), sizeof(literal) - 1)

void sim_text_cheap(Sim *s, SimFileKind kind, SimOut *o);
void sim_text_zoneinfo(Sim *s, SimOut *o);
void sim_text_buddyinfo(Sim *s, SimOut *o);
void sim_text(Sim *s, const SimFile *f, SimOut *o);
void sim_text_slab(Sim *s, unsigned cache, unsigned attr, SimOut *o);
void sim_text_slabinfo(Sim *s, SimOut *o);
void sim_lines_build(Sim *s);
/* Pages in the list of a CPU of its node's busy zone now. */
uint64_t sim_list_count(const Sim *s, unsigned cpu);
