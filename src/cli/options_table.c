/* SPDX-License-Identifier: Apache-2.0 */
/* options_table.c: the flags. Everything that is printed about them comes from here. */
#include "bench/scenario.h"
#include "cli/options.h"

#define FIELD(name) offsetof(ig_options, name)
#define RUNNING                                                                                    \
    (IG_COMMAND_RUN | IG_COMMAND_BENCH | IG_COMMAND_PROFILE | IG_COMMAND_INSPECT | IG_COMMAND_EVAL)
#define ANSWERING (IG_COMMAND_RUN | IG_COMMAND_CARD)
#define PICTURES (ANSWERING | IG_COMMAND_EVAL)

static const char inputs[] = "Inputs", pictures[] = "Pictures", answers[] = "Answers",
                  judging[] = "Judging", output[] = "Output", measuring[] = "Measuring",
                  engine[] = "Engine", other[] = "Other";

const ig_option ig_option_table[] = {
    { "input", 0, "NAME=FILE", RUNNING, IG_OPTION_LIST, FIELD(inputs), .group = inputs,
      .help = "Read the input NAME from FILE, or fill it with a number: --input sr=16000. "
              "May be repeated." },
    { "shape", 0, "NAME=DIMS", RUNNING, IG_OPTION_LIST, FIELD(shapes), .group = inputs,
      .help = "Shape of the input NAME, as in x=1x3x224x224, or the size of a dimension that the "
              "model calls NAME, as in batch=8; for raw files and inputs that are made up. "
              "Free dimensions are 1 otherwise. May be repeated." },
    { "dtype", 0, "TYPE", IG_COMMAND_RUN | IG_COMMAND_EVAL, IG_OPTION_TEXT, FIELD(dtype),
      .group = inputs,
      .help = "Element type of raw files (float32, int64, …); the model's by default." },
    { "random", 0, NULL, IG_COMMAND_RUN, IG_OPTION_FLAG, FIELD(random), .group = inputs,
      .help = "Make up inputs that are not given, from --seed: floats between 0 and 1, integers 0 "
              "or 1." },
    { "batch", 'b', "N", IG_COMMAND_RUN | IG_COMMAND_EVAL, IG_OPTION_INT, FIELD(n_batch), 1, 4096,
      .group = inputs,
      .help = "Pictures (for eval also rows of arrays) a run, where the model's batch dimension is "
              "free (default 8)." },
    { "data", 0, "PATH", IG_COMMAND_EVAL, IG_OPTION_TEXT, FIELD(data), .group = inputs,
      .help = "The labelled data: a list (lines of file, tab, label), a .npz, or a folder with a "
              "folder for each class." },
    { "truth", 0, "ARRAY", IG_COMMAND_EVAL, IG_OPTION_TEXT, FIELD(truth), .group = inputs,
      .help = "The array of the .npz that has the right answers. Default: labels, label, y, "
              "targets, target or truth, else arrays that are called like outputs." },
    { "truth-shift", 0, "N", IG_COMMAND_EVAL, IG_OPTION_INT, FIELD(truth_shift), -1000, 1000,
      .group = inputs,
      .help = "Add N to the class numbers of the labels (1 where the model's class 0 is "
              "background)." },
    { "limit", 0, "N", IG_COMMAND_EVAL, IG_OPTION_INT64, FIELD(limit), 1, 1e15, .group = inputs,
      .help = "Use the first N items alone." },
    { "keep-going", 0, NULL, IG_COMMAND_EVAL, IG_OPTION_FLAG, FIELD(keep_going), .group = inputs,
      .help = "Leave out items that cannot be read, run or judged; they are counted and named, and "
              "the exit code is 1." },

    { "size", 0, "SIZE", PICTURES, IG_OPTION_SIZE, FIELD(preprocess.size), .group = pictures,
      .help = "Resize to SIZE: 224 (a square), 320x240 (width x height) or x48 (height; the width "
              "follows the picture). Default: what the model wants." },
    { "crop", 0, "FRACTION", PICTURES, IG_OPTION_DOUBLE, FIELD(preprocess.crop), 0.01, 1,
      .group = pictures,
      .help = "Use this much of the largest centred box that has the shape of SIZE, 0.875 for most "
              "classifiers. Default: the whole picture." },
    { "mean", 0, "M[,M,M]", PICTURES, IG_OPTION_NUMBERS, FIELD(preprocess.mean), -1e9, 1e9,
      .group = pictures,
      .help = "Elements are (pixel * scale - mean) / std, pixel in 0…255; one number, or one a "
              "channel in the order of --color." },
    { "std", 0, "S[,S,S]", PICTURES, IG_OPTION_NUMBERS, FIELD(preprocess.std), -1e9, 1e9,
      .group = pictures, .help = "See --mean." },
    { "scale", 0, "X", PICTURES, IG_OPTION_DOUBLE, FIELD(preprocess.scale), -1e9, 1e9,
      .group = pictures,
      .help = "See --mean. 1/255 when none of the three is given, else 1. Takes fractions such as "
              "1/255." },
    { "layout", 0, "LAYOUT", PICTURES, IG_OPTION_CHOICE, FIELD(preprocess.layout), 1,
      .choices = IG_LAYOUT_NAMES, .group = pictures,
      .help = "Order of the dimensions. Default: from the model's input." },
    { "color", 0, "COLOR", PICTURES, IG_OPTION_CHOICE, FIELD(preprocess.color), 1,
      .choices = IG_COLOR_NAMES, .group = pictures,
      .help = "Order of the channels. Default: rgb, or gray where the model has one channel." },
    { "filter", 0, "FILTER", PICTURES, IG_OPTION_CHOICE, FIELD(preprocess.filter), 1,
      .choices = IG_FILTER_NAMES, .group = pictures,
      .help = "How to resize, with antialiasing; the same pixels as Pillow gives. Default: "
              "bilinear." },
    { "preset", 0, "NAME", PICTURES, IG_OPTION_TEXT, FIELD(preset), .group = pictures,
      .help = "A well-known set of the flags above; `ingot help presets` lists them." },
    { "card", 0, "FILE", IG_COMMAND_RUN | IG_COMMAND_EVAL, IG_OPTION_TEXT, FIELD(card),
      .group = pictures,
      .help = "Model card to use, or none. Default: MODEL.card.json where it is. Flags win over "
              "it." },

    { "top", 'k', "K", ANSWERING, IG_OPTION_INT, FIELD(top), 1, 1000000, .group = answers,
      .help = "Print the K best classes of the first output (default 5 for pictures)." },
    { "labels", 'l', "FILE", PICTURES, IG_OPTION_TEXT, FIELD(labels), .group = answers,
      .help = "Names of the classes: one a line, or a JSON array or object." },
    { "softmax", 0, NULL, ANSWERING, IG_OPTION_FLAG, FIELD(softmax), .group = answers,
      .help = "Turn scores into probabilities before they are printed." },
    { "ctc", 0, "KEYS", PICTURES, IG_OPTION_TEXT, FIELD(ctc), .group = answers,
      .help = "Read the first output as text (greedy CTC, class 0 is blank). KEYS is a file with "
              "one character a line, or metadata:NAME for a list in the model's metadata." },

    { "metric", 0, "NAMES", IG_COMMAND_EVAL, IG_OPTION_TEXT, FIELD(metric), .group = judging,
      .help = "What is computed, with commas between: `ingot help metrics` lists them. Default: "
              "what the card says, else cer with --ctc, else top1." },
    { "output", 0, "NAME", IG_COMMAND_EVAL, IG_OPTION_TEXT, FIELD(output), .group = judging,
      .help = "The output that is judged (default: the first; for classes, one of scores or "
              "labels)." },
    { "positive", 0, "N", IG_COMMAND_EVAL, IG_OPTION_INT, FIELD(positive), 0, 1, .group = judging,
      .help = "The class that f1 and auc of two classes look for (default 1)." },
    { "peak", 0, "X", IG_COMMAND_EVAL, IG_OPTION_DOUBLE, FIELD(peak), 1e-30, 1e30, .group = judging,
      .help = "The largest value that psnr measures against. Default: 255 for outputs of bytes, "
              "else 1." },
    { "boxes", 0, "ORDER", IG_COMMAND_EVAL, IG_OPTION_CHOICE, FIELD(box_order),
      .choices = "xyxy|yxyx|xywh|cxcywh", .group = judging,
      .help = "What the four numbers of a box are in the model's output: corners, or corner or "
              "centre and size. Labels have corners x1,y1,x2,y2." },
    { "vs", 0, "ENGINES", IG_COMMAND_EVAL, IG_OPTION_TEXT, FIELD(vs), .group = judging,
      .help = "Have other engines answer the same items: onnxruntime,openvino or paths of drivers "
              "of your own (docs/drivers.md). --timeout bounds each of their answers." },
    { "per-class", 0, NULL, IG_COMMAND_EVAL, IG_OPTION_FLAG, FIELD(per_class), .group = judging,
      .help = "Also print each class by itself, and what is taken for what." },
    { "save-errors", 0, "FILE", IG_COMMAND_EVAL, IG_OPTION_TEXT, FIELD(save_errors),
      .group = judging,
      .help = "Write the items that were answered wrongly, by the first metric: lines of item, "
              "label, answer and engine." },

    { "out", 'o', "PATH", ANSWERING, IG_OPTION_TEXT, FIELD(out), .group = output,
      .help = "Write to PATH. For run: all outputs, into NAME.npz by name, NAME.npy (a single "
              "output), or DIR/ as output_0.pb, output_1.pb, …; results of several inputs are "
              "joined along their first dimension. - is standard output." },
    { "graph", 0, NULL, IG_COMMAND_INSPECT, IG_OPTION_FLAG, FIELD(graph), .group = output,
      .help = "Print the optimised graph as text." },
    { "dot", 0, NULL, IG_COMMAND_INSPECT, IG_OPTION_FLAG, FIELD(dot), .group = output,
      .help = "Print the optimised graph for Graphviz." },
    { "json", 'j', NULL, RUNNING, IG_OPTION_FLAG, FIELD(json), .group = output,
      .help = "Print JSON; run prints one object a line for each input." },
    { "csv", 0, NULL, IG_COMMAND_BENCH, IG_OPTION_FLAG, FIELD(csv), .group = output,
      .help = "Print comma-separated values, names in the first line; unknown ones are empty." },

    { "duration", 'd', "SECONDS", IG_COMMAND_BENCH | IG_COMMAND_PROFILE, IG_OPTION_DOUBLE,
      FIELD(duration_s), 0.001, 86400, .group = measuring,
      .help = "Measure for this long (default 3 for bench, 1 for profile)." },
    { "scenario", 0, "NAME", IG_COMMAND_BENCH, IG_OPTION_CHOICE, FIELD(scenario),
      .choices = IG_SCENARIO_NAMES, .group = measuring,
      .help = "How the model is asked; see above (default single)." },
    { "sessions", 0, "N", IG_COMMAND_BENCH, IG_OPTION_INT, FIELD(n_sessions), 1, 256,
      .group = measuring,
      .help = "Sessions at once in multi, server and offline. They share out the threads unless "
              "--threads says how many each has. Default: one a CPU; server: 1." },
    { "rate", 0, "R", IG_COMMAND_BENCH, IG_OPTION_DOUBLE, FIELD(rate), 1e-3, 1e9,
      .group = measuring,
      .help = "Requests a second that arrive in server (default: half of what one session can)." },
    { "vary", 0, "DIM=SIZES", IG_COMMAND_BENCH, IG_OPTION_LIST, FIELD(vary), .group = measuring,
      .help = "Sizes that a dimension of the model takes in dynamic, in equal shares: seq=8..256 "
              "or seq=16,32,64. May be repeated." },
    { "min-runs", 0, "N", IG_COMMAND_BENCH, IG_OPTION_INT, FIELD(min_runs), 1, 1000000,
      .group = measuring,
      .help = "Measure at least so often (default 6: a median needs them), but no longer than four "
              "times the duration." },
    { "retries", 0, "N", IG_COMMAND_BENCH, IG_OPTION_INT, FIELD(n_retries), 0, 100,
      .group = measuring,
      .help = "Measure again, at most N times, when something disturbed it (default 2)." },
    { "roofline", 0, NULL, IG_COMMAND_BENCH, IG_OPTION_FLAG, FIELD(roofline), .group = measuring,
      .help = "Measure what the machine can do at most, and the share of it that each step "
              "reaches." },
    { "vs", 0, "ENGINES", IG_COMMAND_BENCH, IG_OPTION_TEXT, FIELD(vs), .group = measuring,
      .help = "Measure other engines in the same run, in turns: onnxruntime, openvino, mnn, ncnn, "
              "torch, litert or paths of drivers of your own, with commas between "
              "(docs/drivers.md). In single, offline, dynamic and cold. --timeout bounds each of "
              "their answers." },
    { "allow-mixed-precision", 0, NULL, IG_COMMAND_BENCH, IG_OPTION_FLAG,
      FIELD(allow_mixed_precision), .group = measuring,
      .help = "Compare with engines that compute in another precision, and label them." },
    { "report", 0, "FILE", IG_COMMAND_BENCH, IG_OPTION_TEXT, FIELD(report), .group = measuring,
      .help = "Write a page of HTML to FILE: plots, tables, and what is needed to do it again "
              "(docs/report.md). Measures the roofline, too." },
    { "junit", 0, "FILE", IG_COMMAND_BENCH, IG_OPTION_TEXT, FIELD(junit), .group = measuring,
      .help = "Write test cases for CI to FILE, as JUnit XML: the median of each engine in "
              "seconds, a failure where it is invalid, wrong, or beyond --gate." },
    { "gate", 0, "SHARE", IG_COMMAND_BENCH, IG_OPTION_TEXT, FIELD(gate), .group = measuring,
      .help = "For diff: exit with code 1 when the second report is surely slower by more than "
              "SHARE, as in 3%, or of several models one has failed since." },
    { "driver", 0, NULL, IG_COMMAND_BENCH, IG_OPTION_FLAG, FIELD(driver), .group = measuring,
      .help = "Be a driver: answer the driver protocol on standard input and output." },
    { "once", 0, NULL, IG_COMMAND_BENCH, IG_OPTION_FLAG, FIELD(once), .group = measuring,
      .help = "Run once and print the phases as a line of JSON: the process that cold starts." },
    { "top", 'k', "K", IG_COMMAND_PROFILE, IG_OPTION_INT, FIELD(top), 1, 1000000,
      .group = measuring, .help = "Show the K slowest steps (default 20)." },
    { "trace", 0, "FILE", IG_COMMAND_PROFILE, IG_OPTION_TEXT, FIELD(trace), .group = measuring,
      .help = "Write the last run to FILE as a Chrome trace (chrome://tracing, Perfetto)." },

    { "threads", 't', "N", RUNNING, IG_OPTION_INT, FIELD(n_threads), 1, 256, .group = engine,
      .help = "Threads to use. Default: what CPU affinity and the container's quota allow. Results "
              "do not depend on it." },
    { "seed", 0, "N", RUNNING, IG_OPTION_UINT64, FIELD(seed), .group = engine,
      .help = "Seed of random operators and of inputs that are made up (default 0)." },
    { "custom-op", 0, "LIBRARY", IG_COMMAND_ANY, IG_OPTION_LIST, FIELD(custom_ops), .group = engine,
      .help = "Take operators from the shared library LIBRARY, whose code runs: see "
              "ingot_register_ops in ingot.h. May be repeated." },
    { "opt", 0, "LEVEL", IG_COMMAND_ANY, IG_OPTION_CHOICE, FIELD(opt_level),
      .choices = "all|basic|none", .group = engine,
      .help = "How much the graph is rewritten (default all)." },
    { "disable-pass", 0, "PASS", IG_COMMAND_ANY, IG_OPTION_LIST, FIELD(disable_passes),
      .group = engine,
      .help = "Leave a rewriting pass out; `ingot help passes` lists them. May be repeated." },
    { "dump-after", 0, "PASS", IG_COMMAND_ANY, IG_OPTION_LIST, FIELD(dump_after), .group = engine,
      .help = "Write the graph's text to standard error after a pass, or after import. May be "
              "repeated." },
    { "max-memory", 0, "SIZE", IG_COMMAND_ANY, IG_OPTION_BYTES, FIELD(max_memory_bytes),
      .group = engine,
      .help = "Fail rather than allocate more than SIZE bytes; takes k, M and G (powers of "
              "1024)." },
    { "max-tensor", 0, "SIZE", IG_COMMAND_ANY, IG_OPTION_BYTES, FIELD(max_tensor_bytes),
      .group = engine,
      .help = "Fail rather than compute a single tensor of more than SIZE bytes (default: the "
              "machine's memory)." },
    { "max-nodes", 0, "N", IG_COMMAND_ANY, IG_OPTION_INT64, FIELD(max_nodes), 1, 1e15,
      .group = engine,
      .help = "Refuse models of more than N nodes, subgraphs and functions included (default "
              "1000000)." },
    { "max-loop-steps", 0, "N", IG_COMMAND_ANY, IG_OPTION_INT64, FIELD(max_loop_steps), 1, 1e15,
      .group = engine,
      .help = "End a run whose loops take more than N steps in all (default 100000000)." },
    { "timeout", 0, "SECONDS", RUNNING, IG_OPTION_DOUBLE, FIELD(timeout_s), 0.001, 1e9,
      .group = engine,
      .help = "End a run that takes longer; looked at between the steps of the model, which are "
              "not interrupted." },
    { "allow-links", 0, NULL, IG_COMMAND_ANY, IG_OPTION_FLAG, FIELD(allow_links), .group = engine,
      .help = "Follow links to the files that a model names, as caches of model hubs have them. "
              "Refused otherwise: a model could bring a link to any file." },
    { "cpu", 0, "SET", IG_COMMAND_ANY, IG_OPTION_TEXT, FIELD(cpu), .group = engine,
      .help = "Use no instructions beyond SET: ref, portable, avx2, avx512. Default: the "
              "environment's INGOT_CPU, else all." },
    { "precision", 0, "MODE", IG_COMMAND_ANY, IG_OPTION_CHOICE, FIELD(precision),
      .choices = "fp32|fp32-strict", .group = engine,
      .help = "How much rounding is allowed: at most 4 times (fp32, the default) or once "
              "(fp32-strict) the error of plain float32 arithmetic." },
    { "force", 0, "KERNEL", IG_COMMAND_ANY, IG_OPTION_LIST, FIELD(force), .group = engine,
      .help = "Use this kernel wherever it fits, to measure it: conv:direct, conv:winograd2 or "
              "conv:winograd4. Default: the environment's INGOT_FORCE, else what should be "
              "fastest. May be repeated." },

    { "verbose", 'v', NULL, IG_COMMAND_ANY, IG_OPTION_COUNT, FIELD(verbosity), .group = other,
      .help = "Say more on standard error; -vv even more." },
    { "help", 'h', NULL, IG_COMMAND_ANY, IG_OPTION_FLAG, FIELD(help), .group = other,
      .help = "Print this help." },
    { "version", 'V', NULL, IG_COMMAND_ANY, IG_OPTION_FLAG, FIELD(version), .group = other,
      .help = "Print version, build, CPU and kernels." },
};
const size_t ig_n_options = IG_COUNT(ig_option_table);
