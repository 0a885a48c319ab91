#!/usr/bin/env python3
"""Kindling against ONNX Runtime GenAI on one model package, interleaved.

    python3 tools/compare_ortgenai.py MODEL_DIR [--rounds 3] [--points 1x128x64,1x512x128,8x128x64,16x128x64]

Each round times every point once with each engine, one engine at a time, in alternating order; the table shows medians over
the rounds. A point is rows x prompt tokens x new tokens. Tokens per second: prefill is prompt tokens over the time to the
first token, decode the remaining new tokens over the remaining time. Needs connector/target/kindling.jar (./quickstart
builds it); the peer comes with the pinned environment `peers`.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

import pyenv

ROOT = pathlib.Path(__file__).resolve().parent.parent
JAR = ROOT / "connector" / "target" / "kindling.jar"

PEER = """
import json, sys, time
import onnxruntime_genai as og
model = og.Model(sys.argv[1])
tokenizer = og.Tokenizer(model)
ids = list(tokenizer.encode("The quick brown fox jumps over the lazy dog. " * 400))
def once(batch, prompt, new):
    params = og.GeneratorParams(model)
    params.set_search_options(max_length=prompt + new, min_length=prompt + new, batch_size=batch, do_sample=False)
    generator = og.Generator(model, params)
    rows = [ids[row: row + prompt] for row in range(batch)]
    start = time.perf_counter()
    generator.append_tokens(rows if batch > 1 else rows[0])
    generator.generate_next_token()
    first = time.perf_counter()
    steps = 1
    while not generator.is_done():
        generator.generate_next_token()
        steps += 1
    end = time.perf_counter()
    return batch * prompt / (first - start), batch * (steps - 1) / (end - first)
for point in sys.argv[2].split(","):
    batch, prompt, new = map(int, point.split("x"))
    once(batch, prompt, 4)
    prefill, decode = once(batch, prompt, new)
    print(json.dumps({"batch": batch, "prompt": prompt, "new": new, "prefill_tok_s": prefill, "decode_tok_s": decode}))
"""


def peer(model: str, points: str) -> list:
    return lines([str(pyenv.environment("peers")), "-c", PEER, model, points])


def kindling(model: str, points: str) -> list:
    results = []
    for point in points.split(","):
        batch, prompt, new = point.split("x")
        results += lines(["java", "-jar", str(JAR), "bench", model, "--batch", batch, "--prompt", prompt, "--new", new,
                          "--runs", "1", "--json"])
    return results


def lines(command: list) -> list:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command[:4])} … failed:\n{done.stderr[-2000:]}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--points", default="1x128x64,1x512x128,8x128x64,16x128x64")
    options = parser.parse_args()
    if not JAR.exists():
        raise SystemExit(f"{JAR} is missing; build it first with ./quickstart or mvn package")
    engines = {"kindling": kindling, "onnxruntime-genai": peer}
    figures = {}
    for round_number in range(options.rounds):
        order = list(engines) if round_number % 2 == 0 else list(reversed(engines))
        for engine in order:
            for row in engines[engine](options.model, options.points):
                key = f"{row['batch']} x {row['prompt']} x {row['new']}"
                for phase in ("prefill", "decode"):
                    figures.setdefault((key, phase), {}).setdefault(engine, []).append(row[f"{phase}_tok_s"])
        print(f"round {round_number + 1} of {options.rounds} done", file=sys.stderr)
    print("| rows x prompt x new | phase | Kindling tok/s | ONNX Runtime GenAI tok/s | ratio |")
    print("|---|---|---|---|---|")
    for (key, phase), by_engine in figures.items():
        ours, theirs = (statistics.median(by_engine[engine]) for engine in engines)
        print(f"| {key} | {phase} | {ours:.0f} | {theirs:.0f} | {ours / theirs:.2f} |")


if __name__ == "__main__":
    main()
