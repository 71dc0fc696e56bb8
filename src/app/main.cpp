// main: parse, dispatch, and the one place where start-up faults are caught.
//
// Exit codes: 0 done; 1 `verify` found a difference; 2 the caller's mistake; 3 a file or the
// machine.
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "app/commands.h"

namespace {

int dispatch(const saker::Options& options) {
    if (options.command == "run") return saker::run_command(options);
    if (options.command == "verify") return saker::verify_command(options);
    if (options.command == "tokenize") return saker::tokenize_command(options);
    if (options.command == "render") return saker::render_command(options);
    if (options.command == "inspect") return saker::inspect_command(options);
    return saker::synth_command(options);
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a write error, not a death
    int exit_code = 0;
    const auto options = saker::parse_options(argc, argv, &exit_code);
    if (!options) return exit_code;
    try {
        exit_code = dispatch(*options);
        if (std::fflush(stdout) != 0 && exit_code == 0) {
            std::fprintf(stderr, "saker: the output could not be written.\n");
            exit_code = 3;
        }
        return exit_code;
    } catch (const saker::StartupError& e) {
        std::fprintf(stderr, "saker: %s\n", e.what());
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "saker: The machine has too little memory for this.\n");
    } catch (const std::exception&) {
        std::fprintf(stderr,
                     "saker: Starting failed for a reason that has no sentence of its own.\n");
    }
    return 3;
}
