/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c: the commands and what is said about each. */
#include "cli/cli.h"

static const char *const run_examples[] = {
    "ingot run mobilenet.onnx photo.jpg",
    "What is on a photo, as the model card says",
    "ingot run mobilenet.onnx photo.jpg --preset imagenet --labels names.txt",
    "The same without a card",
    "ingot run mobilenet.onnx photos/ --top 1 --json > answers.jsonl",
    "All pictures of a folder, one line of JSON each",
    "ingot run text.onnx line.png --size x48 --color bgr --mean 127.5 --std 127.5 --ctc keys.txt",
    "Read a line of text",
    "ingot run model.onnx x.npy --out y.npz",
    "Arrays in, arrays out",
    "ingot run model.onnx ids=ids.npy mask=mask.npy --out results/",
    "Several inputs; the outputs as results/output_0.pb, …",
    "ingot run vad.onnx speech.wav --random --input sr=16000",
    "A sound, a number, and the rest made up",
    NULL,
};

static const char *const eval_examples[] = {
    "ingot eval model.onnx --data labels.tsv --metric top1,top5",
    "How often is it right? Pictures as the model card says",
    "ingot eval model.onnx --data labels.tsv --vs onnxruntime",
    "The same for another engine, and what the two answer differently",
    "ingot eval model.onnx --data test.npz --scale 1/255 --per-class --save-errors wrong.tsv",
    "Rows of arrays; each class, and the items that were wrong",
    "ingot eval int8.onnx --data float_outputs.npz --metric cosine,rms,max",
    "How far are the outputs from stored ones?",
    "ingot eval text.onnx --data lines.tsv --ctc keys.txt --metric cer,wer",
    "Text that is read",
    "ingot eval detector.onnx --data boxes.tsv --metric map,map50",
    "Boxes, as COCO counts",
    NULL,
};

static const char *const inspect_examples[] = {
    "ingot inspect model.onnx",
    "What is in the file, and what it costs to run",
    "ingot inspect model.onnx --shape batch=8",
    "The same for eight pictures at once",
    "ingot inspect model.onnx --graph --opt none",
    "The graph as the file has it, as text",
    "ingot inspect model.onnx --dot | dot -Tsvg > graph.svg",
    "Draw the optimised graph",
    NULL,
};

static const char *const bench_examples[] = {
    "ingot bench model.onnx",
    "How fast is it here?",
    "ingot bench model.onnx --threads 1 --duration 10 --json",
    "One thread, ten seconds, as JSON",
    "ingot bench model.onnx --shape input=8x3x224x224",
    "With eight pictures at once",
    "ingot bench model.onnx --scenario server --rate 50 --duration 60",
    "Fifty requests a second that arrive by chance",
    "ingot bench model.onnx --vs onnxruntime,openvino",
    "Side by side with other engines, answers compared first",
    "ingot bench *.onnx --vs onnxruntime --csv > all.csv",
    "Several models, with the geometric mean of their ratios; one that fails is a row, too",
    "ingot bench model.onnx --vs openvino --scenario cold",
    "How long from a fresh process to its first answer? offline and dynamic compare engines, too",
    "ingot bench model.onnx --vs onnxruntime --report out.html --junit out.xml",
    "A page with plots, and test cases for CI",
    "ingot bench diff before.json after.json --gate 3%",
    "Did it become slower? Exit code 1 if surely, by more than 3 %",
    "ingot bench bert.onnx --scenario dynamic --vary seq=8..256",
    "Texts of all lengths; the first run of a length apart from later ones",
    NULL,
};

static const char *const profile_examples[] = {
    "ingot profile model.onnx",
    "Where the time goes",
    "ingot profile model.onnx --threads 1 --top 50",
    "The fifty slowest steps of one thread",
    "ingot profile model.onnx --trace trace.json",
    "A time line for chrome://tracing or Perfetto",
    NULL,
};

static const char *const card_examples[] = {
    "ingot card model.onnx --preset imagenet --labels names.txt",
    "Write model.onnx.card.json; from now on `ingot run model.onnx photo.jpg` needs no flags",
    "ingot card model.onnx --size 224 --crop 0.875 --mean 127 --std 128 --top 3",
    "The numbers spelt out",
    "ingot card model.onnx --out -",
    "Look at it first",
    NULL,
};

const ig_command ig_command_table[] = {
    { "run", IG_COMMAND_RUN, "MODEL [NAME=]FILE…", "Run a model on pictures, arrays or sounds",
      "A FILE is a picture (JPEG, PNG), an array (.npy, .npz), an ONNX tensor (.pb), a sound "
      "(.wav), raw elements (.raw, .bin), a folder of such files, or a quoted pattern such as "
      "'photos/*.jpg'. NAME=FILE says which input it is for, and NAME=NUMBER fills an input; a "
      ".npz gives all inputs that it has arrays for. Several files without a name are run one "
      "after the other, pictures in batches where the model allows it.\n"
      "How a picture becomes a tensor is said by flags, a preset, or the model card "
      "MODEL.card.json (see `ingot card`). Files that cannot be read are left out and named at "
      "the end; the exit code is then 1.",
      run_examples, ig_cli_run },
    { "eval", IG_COMMAND_EVAL, "MODEL --data PATH", "Measure how right a model is on labelled data",
      "The data are a list, a .npz, or a folder with a folder for each class. Lines of a list are "
      "a "
      "file (relative to the list), a tab and what is right: a class (number or name), a text, "
      "boxes (CLASS,x1,y1,x2,y2 with spaces between), or a file with the right outputs. A .npz has "
      "arrays whose rows are the model's inputs, and labels or outputs; it is read row by row and "
      "may be larger than memory. How a picture becomes a tensor is said as for `ingot run`; on "
      "arrays of numbers --scale, --mean and --std work alike.\n"
      "Values come with a 95 % interval: Wilson's for shares, else a bootstrap over items. With "
      "--vs other engines answer the same items, and differences are stated with an interval of "
      "the pairs (docs/eval.md).\n"
      "An item that cannot be read or judged ends the command with a line that names it; with "
      "--keep-going it is left out and named at the end, and the exit code is 1.",
      eval_examples, ig_cli_eval },
    { "inspect", IG_COMMAND_INSPECT, "MODEL", "Show what a model is and what it costs",
      "Inputs, outputs, operators, parameters, and for the given shapes the floating-point "
      "operations and the memory of one run.",
      inspect_examples, ig_cli_inspect },
    { "bench", IG_COMMAND_BENCH, "MODEL… | diff BEFORE.json AFTER.json",
      "Measure how fast a model runs here",
      "Time to load, time of the first inference, then the distribution of many, after a "
      "warm-up. Inputs that are not given are made up: floats between 0 and 1, integers 0 or 1.\n"
      "Scenarios: single (one run after the other), multi (several sessions so), server (requests "
      "that arrive by chance, timed from their arrival), offline (all requests at once), cold "
      "(fresh processes, the model in the page cache or not), dynamic (inputs of many shapes).\n"
      "Quantiles come with intervals that hold the true value in 95 of 100 measurements, and are "
      "not stated where the runs are too few. What other processes, the host, the clock or a "
      "quota disturbed is measured again; what stays disturbed is marked INVALID with the reason.\n"
      "Several models are measured one after the other, each in processes of its own, with or "
      "without --vs. Where some fail, the exit code is 1.",
      bench_examples, ig_cli_bench },
    { "profile", IG_COMMAND_PROFILE, "MODEL", "Show where the time of an inference goes",
      "Each step's time, rate, bytes moved, share of the floating-point peak measured on this "
      "machine, and the kernel that does it; then the sums by operator. Inputs as for bench.",
      profile_examples, ig_cli_profile },
    { "card", IG_COMMAND_CARD, "MODEL", "Write a model card for ingot run",
      "The card MODEL.card.json says how pictures become the model's input, and its output words. "
      "What the flags do not say is taken from the card that is there already, else from the "
      "model's input.",
      card_examples, ig_cli_card },
};
const size_t ig_n_commands = IG_COUNT(ig_command_table);
