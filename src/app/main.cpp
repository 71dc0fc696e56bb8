// main: parse, dispatch, and the one place where start-up faults are caught.
//
// Exit codes: 0 done; 1 `verify` found a difference; 2 the caller's mistake; 3 a file or the
// machine.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>

#include "app/commands.h"
#include "app/model_choice.h"

namespace {

int dispatch(const saker::Options& options) {
    saker::check_model(options);
    if (options.command == "run") return saker::run_command(options);
    if (options.command == "verify") return saker::verify_command(options);
    if (options.command == "tokenize") return saker::tokenize_command(options);
    if (options.command == "render") return saker::render_command(options);
    if (options.command == "eval") return saker::eval_command(options);
    if (options.command == "inspect") return saker::inspect_command(options);
    if (options.command == "compatibility") return saker::compatibility_command(options);
    return saker::synth_command(options);
}

// A standard stream that the caller closed leaves its number to the next file opened, and what is
// meant for the terminal would land in a weight file. Writing to a closed stdout stays an error.
void occupy_standard_streams() {
    for (int descriptor = 0; descriptor <= 2; ++descriptor)
        if (fcntl(descriptor, F_GETFD) < 0 &&
            open("/dev/null", descriptor == 1 ? O_RDONLY : O_RDWR) < 0)
            return;
}

// Weights are read where they are mapped; a file that shrinks under them cannot be read on.
void on_lost_mapping(int) {
    constexpr char kSentence[] =
        "saker: A weight file was cut short or its disk failed while it was in use: download it "
        "again and start anew.\n";
    [[maybe_unused]] const ssize_t told = write(STDERR_FILENO, kSentence, sizeof kSentence - 1);
    std::_Exit(3);
}

bool is_stdout_lost() {
    return std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
}

// Of the exception that is being handled.
std::string sentence_of_exception() {
    try {
        throw;
    } catch (const saker::StartupError& e) {
        return e.what();
    } catch (const std::filesystem::filesystem_error& e) {
        return e.path1().string() + ": cannot be read (" + e.code().message() + ").";
    } catch (const std::system_error&) {
        return is_stdout_lost() ? "The output could not be written."
                                : "The machine refuses to start another thread.";
    } catch (const std::bad_alloc&) {
        return "The machine has too little memory for this.";
    } catch (const std::exception&) {
        return "Starting failed for a reason that has no sentence of its own.";
    }
}

}  // namespace

int main(int argc, char** argv) {
    // A closed pipe and a file that grows over its limit are write errors, not deaths.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    std::signal(SIGBUS, on_lost_mapping);
    occupy_standard_streams();
    const bool as_json = saker::asks_for_json(argc, argv);
    try {
        int exit_code = 0;
        const auto options = saker::parse_options(argc, argv, &exit_code);
        if (!options) return exit_code;
        exit_code = dispatch(*options);
        if (exit_code == 0 && is_stdout_lost())
            return saker::report_startup("The output could not be written.", false);
        return exit_code;
    } catch (...) {
        return saker::report_startup(sentence_of_exception(), as_json);
    }
}
