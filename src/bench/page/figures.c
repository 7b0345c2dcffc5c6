/* SPDX-License-Identifier: Apache-2.0 */
/* figures.c: the plots of a page, in their order. */
#include "bench/page/figures.h"

const ig_figure ig_figures[] = {
    { .title = "Ratio of times",
      .caption = "Dot and bar: median over rounds and its 95 % bootstrap interval. Small "
                 "dots: single rounds. Right of 1 Ingot is faster.",
      .has = ig_has_rivals,
      .draw = ig_draw_ratio,
      .is_wide = true },
    { .title = "Distribution of latencies",
      .caption = "The share of runs that took at most so long.",
      .has_series = ig_view_is_timed,
      .draw = ig_draw_distribution,
      .legend = IG_LEGEND_SERIES },
    { .title = "Quantiles of latency",
      .caption = "As far as the number of runs can tell; bars are 95 % intervals from "
                 "order statistics.",
      .has_series = ig_has_quantiles,
      .draw = ig_draw_tail,
      .legend = IG_LEGEND_SERIES },
    { .title = "Warm-up",
      .caption = "The first inference, then medians of windows until three agree.",
      .has_series = ig_has_warm_up,
      .draw = ig_draw_warm_up,
      .legend = IG_LEGEND_SERIES },
    { .title = "While it was measured",
      .caption = "Medians in their order: level when nothing changed, with steps when "
                 "something did.",
      .has_series = ig_has_windows,
      .draw = ig_draw_windows,
      .legend = IG_LEGEND_SERIES },
    { .title = "Phases of a cold start",
      .caption = "Medians of fresh processes, from their start to the first answer. Point "
                 "at a bar for its time.",
      .has = ig_has_parts,
      .draw = ig_draw_parts,
      .legend = IG_LEGEND_PARTS,
      .key = IG_KEY_AREA,
      .is_wide = true },
    { .title = "Memory over time",
      .caption = "Thick: resident set (RSS). Thin dots: proportional set (PSS), where "
                 "shared pages count in part.",
      .has_series = ig_has_memory,
      .draw = ig_draw_memory,
      .legend = IG_LEGEND_SERIES },
    { .title = "Accuracy against speed",
      .caption = "Lower and further left is better. Errors of 1e-8 and less lie on the "
                 "lower edge.",
      .has = ig_has_rivals,
      .draw = ig_draw_accuracy,
      .legend = IG_LEGEND_SERIES,
      .key = IG_KEY_DOT },
    { .title = "Roofline",
      .caption = "Each dot is a step of Ingot; its area grows with its time. Roofs are "
                 "measured peaks of this machine. Dots above a slope have their bytes in a "
                 "nearer cache.",
      .has = ig_has_roofline,
      .draw = ig_draw_roofline,
      .legend = IG_LEGEND_OPERATORS,
      .key = IG_KEY_DOT,
      .is_wide = true },
    { .title = "Slowest steps",
      .caption = "Full colour: the least time that the roofline allows. Pale: what could "
                 "be gained.",
      .has = ig_has_roofline,
      .draw = ig_draw_layers,
      .legend = IG_LEGEND_OPERATORS,
      .key = IG_KEY_AREA,
      .is_wide = true },
};
const size_t ig_n_figures = IG_COUNT(ig_figures);

bool ig_figure_is_there(const ig_figure *f, const ig_view *v)
{
    if (f->has) return f->has(v);
    for (size_t i = 0; i < v->n_series; i++)
        if (f->has_series(&v->series[i])) return true;
    return false;
}
