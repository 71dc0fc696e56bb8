// Flags with strict numbers, as options.cpp and run_options.cpp add them to CLI11: what CLI11 reads
// by itself would take 0x10, wrap 2^64 and let a NaN pass. A fault names the flag, the word and the
// range. Used by these two files alone.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/options.h"
#include "app/strict_number.h"

namespace saker {

/// Takes one whole number from `low` to `high`. `Target` is Whole or std::optional<Whole>.
template <class Whole, class Target>
CLI::Option* add_whole(CLI::App* app, const std::string& flag, Target& target, Whole low,
                       Whole high, const std::string& what) {
    return app
        ->add_option_function<std::string>(
            flag,
            [&target, flag, low, high](const std::string& text) {
                auto number = parse_whole<Whole>(text, low, high);
                if (!number) throw CLI::ValidationError(flag, number.error().message);
                target = *number;
            },
            what)
        ->type_name("N");
}

/// Takes one real number of the range. `Target` is double or std::optional<double>.
template <class Target>
CLI::Option* add_real(CLI::App* app, const std::string& flag, Target& target, RealRange range,
                      const std::string& what) {
    return app
        ->add_option_function<std::string>(
            flag,
            [&target, flag, range](const std::string& text) {
                auto number = parse_real(text, range);
                if (!number) throw CLI::ValidationError(flag, number.error().message);
                target = *number;
            },
            what)
        ->type_name("X");
}

/// The flags of every command that computes: --backend, --compute, --threads.
void add_execution(CLI::App* app, Options& o);
/// --chat-template, of the commands that render.
void add_chat_template(CLI::App* app, Options& o);
/// --generation-config, of every command that answers.
void add_generation_config(CLI::App* app, Options& o);
/// The model as first word.
void add_model(CLI::App* app, Options& o);

bool is_folder(const std::string& path);

/// `saker run`, in run_options.cpp.
void add_run(CLI::App& app, Options& o);
/// What is wrong with a `run` that CLI11 took: a lone word that is no question, flags that
/// contradict each other.
Status check_run(Options& o);

}  // namespace saker
