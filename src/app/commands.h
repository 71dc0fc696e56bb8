// The commands of the program. Each returns the exit code: 0, or what report() says; faults of
// files are thrown as StartupError and become 3 in main.cpp. `verify` returns 1 where a stage
// differs.
#pragma once

#include <string>

#include "app/options.h"
#include "base/result.h"

namespace saker {

std::string version();

int run_command(const Options& options);
int verify_command(const Options& options);
int tokenize_command(const Options& options);
int render_command(const Options& options);
int inspect_command(const Options& options);
int synth_command(const Options& options);
int compatibility_command(const Options& options);
int eval_command(const Options& options);

/// Prints the Error's one sentence to stderr and returns the exit code: 2, a fault of the caller,
/// or 3 where the model or the machine failed. `as_json`: to stdout as well, as the API tells it:
/// {"error": {"message", "type", "param", "code"}}.
int report(const Error& error, bool as_json = false);

/// The same for a fault of a file or the machine, which ends the program with 3.
int report_startup(const std::string& sentence, bool as_json);

}  // namespace saker
