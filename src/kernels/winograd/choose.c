/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.c: which algorithm should be fastest, from a model of the time each takes. Its unit is one
 * multiply-add at peak rate, of which a vector of n lanes is n. Measured with AVX-512; narrower
 * vectors scale alike, but memory is as fast for all of them.
 */
#include <math.h>

#include "kernels/uarch.h"
#include "kernels/winograd/winograd.h"

static double round_up(int64_t n, int lanes) { return (double)((n + lanes - 1) / lanes * lanes); }

/* To fetch one weight from beyond the L2 cache. A model's weights rarely stay in caches from one
 * run to the next, so that happens at least once. */
static double fetch_cost(int lanes) { return 2.5 * lanes; }

static double direct_cost(const ig_conv_shape *s, int lanes)
{
    const double n_pixels = (double)(s->batch * s->out[1] * s->out[2]);
    const double n_weights = 9 * (double)s->c_in * round_up(s->c_out, lanes);
    return n_weights * (1.2 * n_pixels + fetch_cost(lanes));
}

static double winograd_cost(const ig_winograd_params *p, int lanes)
{
    const ig_conv_shape *s = &p->shape;
    const bool is_cached = ig_winograd_packed_bytes(p) <= ig_uarch_get().b_block_bytes;
    const double n_fetches = is_cached ? 1 : (double)p->n_tile_blocks;
    const double n_weights = p->points * p->points * (double)s->c_in * round_up(s->c_out, lanes);
    /* transforms of one channel of a tile, in and out */
    const double in = p->tile == 4 ? 400 : 200, out = p->tile == 4 ? 300 : 130;
    const double transforms = in * round_up(s->c_in, lanes) + out * round_up(s->c_out, lanes);
    return n_weights * (1.25 * (double)p->n_tiles + n_fetches * fetch_cost(lanes)) +
           transforms * (double)p->n_tiles;
}

ig_conv_algorithm ig_winograd_choose(const ig_conv_shape *s, ig_isa isa, unsigned set)
{
    static const int n_lanes[IG_N_ISAS] = { 4, 4, 8, 16 };
    const double worth_the_memory = 0.85; /* weights become 16/9 or 4 times as large */
    ig_conv_algorithm best = IG_CONV_DIRECT;
    if (!ig_winograd_fits(s) || s->c_in < IG_WINOGRAD_MIN_CHANNELS || ig_conv_check(s, NULL))
        return best;
    const bool may_be_direct = (set & 1u << IG_CONV_DIRECT) != 0;
    double best_cost = may_be_direct ? worth_the_memory * direct_cost(s, n_lanes[isa]) : INFINITY;
    for (ig_conv_algorithm a = IG_CONV_WINOGRAD2; a < IG_N_CONV_ALGORITHMS; a++) {
        ig_winograd_params p;
        if (!(set & 1u << a) || ig_winograd_plan(s, a, ig_winograd_kernel(s, a, isa), &p, NULL))
            continue;
        const double cost = winograd_cost(&p, n_lanes[isa]);
        if (cost < best_cost) best = a, best_cost = cost;
    }
    return best;
}
