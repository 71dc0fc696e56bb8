// Which keys an object of a message file may hold. What the API has and Saker does not do is
// refused, since leaving it out would change the answer; what only the server needs passes.
#include "app/message_keys.h"

#include <array>

namespace saker {
namespace {

using enum KeyUse;

constexpr std::array kRequestKeys = {
    KnownKey{"messages"},
    KnownKey{"tools"},
    KnownKey{"tool_choice", refused, R"(["none", "auto"])", "forcing a call"},
    KnownKey{"add_generation_prompt"},
    KnownKey{"continue_final_message"},
    KnownKey{"chat_template", refused, "[]", "give --chat-template"},
    KnownKey{"chat_template_kwargs"},
    KnownKey{"temperature"},
    KnownKey{"top_p"},
    KnownKey{"top_k"},
    KnownKey{"min_p"},
    KnownKey{"repetition_penalty"},
    KnownKey{"presence_penalty"},
    KnownKey{"frequency_penalty"},
    KnownKey{"seed"},
    KnownKey{"max_tokens"},
    KnownKey{"max_completion_tokens"},
    KnownKey{"stop"},
    KnownKey{"logprobs"},
    KnownKey{"top_logprobs"},
    KnownKey{"model", harmless},
    KnownKey{"stream", harmless},
    KnownKey{"stream_options", harmless},
    KnownKey{"user", harmless},
    KnownKey{"store", harmless},
    KnownKey{"metadata", harmless},
    KnownKey{"service_tier", harmless},
    KnownKey{"n", refused, "[1]", "one answer is written"},
    KnownKey{"best_of", refused, "[1]", "one answer is written"},
    KnownKey{"logit_bias", refused, "[{}]"},
    KnownKey{"response_format", refused, R"([{"type": "text"}])"},
    KnownKey{"parallel_tool_calls", refused, "[true]"},
    KnownKey{"reasoning_effort", refused},
    KnownKey{"functions", refused, "[[]]", "give them as tools"},
    KnownKey{"function_call", refused, R"(["none", "auto"])", "give tool_choice"},
    KnownKey{"modalities", refused, R"([["text"]])"},
    KnownKey{"audio", refused},
    KnownKey{"web_search_options", refused},
    KnownKey{"mm_processor_kwargs", refused, "[{}]", "give --min-pixels and --max-pixels"},
    KnownKey{"min_tokens", refused, "[0]"},
    KnownKey{"ignore_eos", refused, "[false]"},
    KnownKey{"stop_token_ids", refused, "[[]]", "give stop"},
    KnownKey{"prompt_logprobs", refused},
    KnownKey{"guided_json", refused},
    KnownKey{"guided_regex", refused},
    KnownKey{"guided_choice", refused},
    KnownKey{"guided_grammar", refused},
    KnownKey{"structured_outputs", refused},
};

constexpr std::array kMessageKeys = {
    KnownKey{"role"},
    KnownKey{"content"},
    KnownKey{"tool_calls"},
    KnownKey{"tool_call_id"},
    KnownKey{"reasoning_content"},
    KnownKey{"reasoning"},
    KnownKey{"name"},
    KnownKey{"refusal", harmless},
    KnownKey{"annotations", harmless},
    KnownKey{"id", harmless},
    KnownKey{"audio", refused},
    KnownKey{"function_call", refused, "[]", "give tool_calls"},
};

constexpr std::array kPartKeys = {
    KnownKey{"type"},
    KnownKey{"text"},
    KnownKey{"image_url"},
    KnownKey{"image"},
    KnownKey{"video_url"},
    KnownKey{"video"},
    KnownKey{"url"},
    KnownKey{"data"},
    KnownKey{"refusal"},
    KnownKey{"thinking"},
    KnownKey{"detail"},
    KnownKey{"min_pixels"},
    KnownKey{"max_pixels"},
    KnownKey{"fps"},
    KnownKey{"uuid", harmless},
    KnownKey{"cache_control", harmless},
    KnownKey{"annotations", harmless},
    KnownKey{"resized_height", refused, "[]", "give min_pixels and max_pixels"},
    KnownKey{"resized_width", refused, "[]", "give min_pixels and max_pixels"},
    KnownKey{"total_pixels", refused},
    KnownKey{"nframes", refused, "[]", "give the frames themselves"},
    KnownKey{"min_frames", refused, "[]", "give the frames themselves"},
    KnownKey{"max_frames", refused, "[]", "give the frames themselves"},
    KnownKey{"video_start", refused, "[]", "give the frames themselves"},
    KnownKey{"video_end", refused, "[]", "give the frames themselves"},
    KnownKey{"sample_fps", refused, "[]", "give fps"},
    KnownKey{"raw_fps", refused, "[]", "give fps"},
};

}  // namespace

const KeyTable kRequestTable = {"messages", "", UnknownKeys::warn, kRequestKeys};
const KeyTable kMessageTable = {"messages", "messages[]", UnknownKeys::warn, kMessageKeys};
const KeyTable kPartTable = {"messages", "messages[].content[]", UnknownKeys::warn, kPartKeys};

}  // namespace saker
