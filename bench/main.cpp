// The program saker_bench: prints what the machine can do, then runs the benchmarks that the
// command line names (--benchmark_filter=...; all by default).
#include <benchmark/benchmark.h>

#include <cstdio>

#include "bench/machine.h"

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    const std::string line = saker::bench::machine().describe();
    std::fprintf(stderr, "%s\n", line.c_str());
    benchmark::AddCustomContext("machine", line);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
