// How `saker run` writes an Answer: as text while it comes, then what was asked for beside it; or
// as one JSON object in the names of the API.
#pragma once

#include <string>

#include "app/asker.h"
#include "json/json.h"
#include "text/tokenizer.h"

namespace saker {

/// The object of --json: text, finish_reason, usage, timings_ms, tokens_per_second, seed, and
/// logprobs where `with_logprobs`.
json::object answer_json(const Answer& answer, const Tokenizer& tokenizer, bool with_logprobs);

/// The table of --logprobs: a line a token, likeliest others beside it.
std::string logprob_table(const Answer& answer, const Tokenizer& tokenizer);

/// The table of --stats.
std::string stats_table(const Answer& answer);

}  // namespace saker
