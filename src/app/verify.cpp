// `saker verify`: every stage that a reference case holds, beside ours.
//
// Two halves. The front (ids, grids, positions, pixels) is compared as it is. Then the reference's
// own pixels are put into the prompt, so that a pixel that differs by a level does not blur what
// the model does, and the prompt runs through the engine's Loop as any request would, in chunks,
// alone or with the other cases. The tap hands over every intermediate tensor; a Recorder sorts its
// rows to their cases.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/commands.h"
#include "app/recorder.h"
#include "app/reference_case.h"
#include "app/session.h"
#include "app/stage_table.h"
#include "engine/loop.h"

namespace saker {
namespace {

constexpr double kFloatTolerance = 2e-4;  // of a stage's largest value, compute f32

struct Case {
    ReferenceCase reference;
    Prompt prompt;
    StageTable table;
    SeqId id;
    TokenChannel::Reader reader;
};

template <class T>
std::string first_difference(const std::vector<T>& ours, const std::vector<int64_t>& theirs) {
    if (ours.size() != theirs.size()) return fmt::format("{} for {}", ours.size(), theirs.size());
    for (size_t i = 0; i < ours.size(); ++i)
        if (static_cast<int64_t>(ours[i]) != theirs[i])
            return fmt::format("at {}: {} for {}", i, static_cast<int64_t>(ours[i]), theirs[i]);
    return "";
}

template <class T>
void compare_integers(StageTable& table, const std::string& stage, const std::vector<T>& ours,
                      const std::vector<int64_t>& theirs) {
    const std::string difference = first_difference(ours, theirs);
    table.exact(stage, difference.empty(), difference);
}

// Ids, positions and rope delta; grids are compared with the pixels.
void compare_front(Case& c, const Model& model) {
    std::vector<int64_t> ids;
    for (TokenId id : c.prompt.ids) ids.push_back(id.value);
    compare_integers(c.table, "input_ids", ids, c.reference.get("input_ids").integers);
    if (auto theirs = c.reference.find("attention_mask"))
        compare_integers(c.table, "attention_mask", std::vector<int64_t>(ids.size(), 1),
                         theirs->integers);
    if (auto theirs = c.reference.find("mm_token_type_ids")) {
        std::vector<int64_t> ours(ids.size(), 0);
        for (const Frame& f : c.prompt.frames)
            std::fill_n(ours.begin() + f.first_token, f.num_tokens,
                        f.modality == Modality::image ? 1 : 2);
        compare_integers(c.table, "mm_token_type_ids", ours, theirs->integers);
    }
    std::vector<PositionBlock> blocks;
    const int64_t merge = model.shape().merge_size;
    for (const Frame& f : c.prompt.frames)
        blocks.push_back({f.first_token, f.grid_h / merge, f.grid_w / merge});
    const Positions positions = model.positions(static_cast<int64_t>(c.prompt.ids.size()), blocks);
    if (auto theirs = c.reference.find("position_ids")) {
        std::vector<int64_t> ours;
        for (const auto& axis : positions.axes) ours.insert(ours.end(), axis.begin(), axis.end());
        compare_integers(c.table, "position_ids", ours, theirs->integers);
    }
    if (auto theirs = c.reference.find("rope_deltas"))
        compare_integers(c.table, "rope_deltas", std::vector<int64_t>{positions.delta},
                         theirs->integers);
}

// Compares grids and pixels of one modality, and puts the reference's pixels into the prompt.
void compare_pixels(Case& c, const Preprocessor& p, Modality modality) {
    const bool image = modality == Modality::image;
    const std::string grids = image ? "image_grid_thw" : "video_grid_thw";
    const std::string pixels = image ? "pixel_values" : "pixel_values_videos";
    std::vector<Frame*> frames;
    std::vector<int64_t> ours;  // (t, h, w) of each item
    for (Frame& f : c.prompt.frames) {
        if (f.modality != modality) continue;
        if (!frames.empty() && frames.back()->item == f.item)
            ++ours[ours.size() - 3];
        else
            ours.insert(ours.end(), {1, f.grid_h, f.grid_w});
        frames.push_back(&f);
    }
    const auto theirs = c.reference.find(grids);
    if (frames.empty() && !theirs) return;
    compare_integers(c.table, grids, ours, theirs ? theirs->integers : std::vector<int64_t>{});
    const auto values = c.reference.find(pixels);
    if (!values) return;
    const int64_t per_channel = p.patch_bytes() / 3;
    size_t at = 0, equal = 0, total = 0;
    int worst = 0;
    double farthest = 0;  // of a reference value from the nearest level
    for (Frame* f : frames) {
        for (size_t i = 0; i < f->pixels.size() && at < values->numbers.size();
             ++i, ++at, ++total) {
            const auto channel = (static_cast<int64_t>(i) % p.patch_bytes()) / per_channel;
            const auto ch = static_cast<size_t>(channel);
            const double level =
                (static_cast<double>(values->numbers[at]) * p.std[ch] + p.mean[ch]) / p.rescale;
            const double nearest = std::clamp(std::nearbyint(level), 0.0, 255.0);
            farthest = std::max(farthest, std::fabs(level - nearest));
            const int difference = std::abs(static_cast<int>(nearest) - f->pixels[i]);
            equal += difference == 0;
            worst = std::max(worst, difference);
            f->pixels[i] = static_cast<uint8_t>(nearest);
        }
    }
    const bool sizes = at == values->numbers.size();
    const double share = total ? static_cast<double>(equal) / static_cast<double>(total) : 0;
    const bool ok = sizes && farthest < 0.01 && share >= 0.999 && worst <= 1;
    c.table.add({pixels, static_cast<double>(worst), 1 - share,
                 fmt::format("{}: {:.4f} % of {} bytes equal, the others off by at most {} level",
                             ok ? "ok" : "FAILED", share * 100, total, worst),
                 ok});
}

// `judged`: compute f32, where floats have a tolerance; in bf16 they are only printed.
void compare_floats(StageTable& table, const std::string& stage, const std::vector<float>& ours,
                    const std::vector<float>& theirs, bool judged) {
    if (ours.size() != theirs.size()) {
        table.exact(stage, false, fmt::format("{} numbers for {}", ours.size(), theirs.size()));
        return;
    }
    double worst = 0, largest = 0;
    for (size_t i = 0; i < ours.size(); ++i) {
        const double error = std::fabs(static_cast<double>(ours[i]) - theirs[i]);
        worst = std::isnan(error) ? HUGE_VAL : std::max(worst, error);
        largest = std::max(largest, std::fabs(static_cast<double>(theirs[i])));
    }
    const double relative = largest > 0 ? worst / largest : worst;
    const bool ok = relative <= kFloatTolerance;
    table.add({stage, worst, relative, !judged ? "measured" : ok ? "ok" : "FAILED", !judged || ok});
}

void compare_visual(Case& c, const Shown& shown, bool judged) {
    int next = 0;  // visual0 is the images where there are any
    for (const char* modality : {" image", " video"}) {
        const auto* hidden = shown.find(std::string("visual.last_hidden_state0") + modality);
        if (!hidden) continue;
        const std::string theirs = "visual" + std::to_string(next++);
        if (auto reference = c.reference.find(theirs + ".last_hidden_state"))
            compare_floats(c.table, theirs + ".last_hidden_state", *hidden, reference->numbers,
                           judged);
        const auto* pooled = shown.find(std::string("visual.pooler_output0") + modality);
        std::vector<float> joined;
        for (int i = 0; pooled; ++i) {
            auto reference = c.reference.find(fmt::format("{}.pooler_output.{}", theirs, i));
            if (!reference) break;
            joined.insert(joined.end(), reference->numbers.begin(), reference->numbers.end());
        }
        if (!joined.empty())
            compare_floats(c.table, theirs + ".pooler_output", *pooled, joined, judged);
        for (int level = 0;; ++level) {
            const std::string name = fmt::format("{}.deepstack_features.{}", theirs, level);
            const auto* ours =
                shown.find(fmt::format("visual.deepstack_features{}{}", level, modality));
            if (!ours) break;
            auto reference = c.reference.find(name);
            if (!reference) continue;
            compare_floats(c.table, name, *ours, reference->numbers, judged);
        }
    }
}

// Row r of logits [rows, E] as probabilities.
void softmax_rows(std::vector<float>& numbers, int64_t columns) {
    for (size_t r = 0; r + static_cast<size_t>(columns) <= numbers.size();
         r += static_cast<size_t>(columns)) {
        float* row = numbers.data() + r;
        const float top = *std::max_element(row, row + columns);
        double sum = 0;
        for (int64_t i = 0; i < columns; ++i) sum += std::exp(static_cast<double>(row[i]) - top);
        for (int64_t i = 0; i < columns; ++i)
            row[i] = static_cast<float>(std::exp(static_cast<double>(row[i]) - top) / sum);
    }
}

bool rows_are_probabilities(const ReferenceTensor& t) {
    for (int64_t r = 0; r < t.rows(); ++r) {
        double sum = 0;
        for (int64_t i = 0; i < t.columns(); ++i) {
            const float v = t.numbers[static_cast<size_t>(r * t.columns() + i)];
            if (v < 0) return false;
            sum += v;
        }
        if (std::fabs(sum - 1) > 1e-3) return false;
    }
    return true;
}

// Compares layers and routers; returns for each token whether every router chose the same experts.
std::vector<bool> compare_layers(Case& c, const Shown& shown, int64_t num_layers, bool judged) {
    std::vector<bool> same(c.prompt.ids.size(), true);
    for (int64_t l = 0; l < num_layers; ++l) {
        const std::string router = fmt::format("router{}", l);
        if (const auto* ours = shown.find(fmt::format("router_logits{}", l))) {
            if (auto logits = c.reference.find(router + ".0")) {
                std::vector<float> numbers = *ours;
                // transformers returns logits or probabilities, by version.
                if (rows_are_probabilities(*logits)) softmax_rows(numbers, logits->columns());
                compare_floats(c.table, router + ".logits", numbers, logits->numbers, judged);
            }
        }
        if (const auto* ours = shown.find(fmt::format("router_weights{}", l)))
            if (auto weights = c.reference.find(router + ".1"))
                compare_floats(c.table, router + ".weights", *ours, weights->numbers, judged);
        if (const auto* ours = shown.find(fmt::format("router_experts{}", l))) {
            if (auto experts = c.reference.find(router + ".2")) {
                const auto A = static_cast<size_t>(experts->columns());
                size_t rows_differ = 0;
                const size_t both = std::min(ours->size(), experts->integers.size());
                for (size_t t = 0; t < same.size() && (t + 1) * A <= both; ++t) {
                    std::set<int64_t> a, b;
                    for (size_t i = t * A; i < (t + 1) * A; ++i) {
                        a.insert(static_cast<int64_t>((*ours)[i]));
                        b.insert(experts->integers[i]);
                    }
                    if (a != b) {
                        same[t] = false;
                        ++rows_differ;
                    }
                }
                if (judged)
                    compare_integers(c.table, router + ".experts", *ours, experts->integers);
                else
                    c.table.add({router + ".experts", 0, 0,
                                 fmt::format("measured: {} of {} tokens chose others", rows_differ,
                                             same.size()),
                                 true});
            }
        }
        if (const auto* ours = shown.find(fmt::format("layer{}", l)))
            if (auto layer = c.reference.find(fmt::format("layer{}", l)))
                compare_floats(c.table, fmt::format("layer{}", l), *ours, layer->numbers, judged);
    }
    return same;
}

// bf16: cosines of the logits' rows. f32: the same tolerance as every float stage.
void compare_logits(Case& c, const Shown& shown, const std::vector<bool>& same_experts,
                    bool judged) {
    auto theirs = c.reference.find("logits");
    std::string stage = "logits";
    if (!theirs) {
        theirs = c.reference.find("logits_tail");
        stage = "logits_tail";
    }
    const auto* all = shown.find("logits0");
    if (!theirs || !all) {
        c.table.exact("logits", false, "the case or the run has none");
        return;
    }
    const auto V = static_cast<size_t>(theirs->columns());
    const auto rows = static_cast<size_t>(theirs->rows());
    if (rows > same_experts.size() || all->size() != same_experts.size() * V) {
        c.table.exact(stage, false, "not as many rows or columns as the reference");
        return;
    }
    const std::vector<float> ours(all->end() - static_cast<ptrdiff_t>(rows * V), all->end());
    compare_floats(c.table, stage, ours, theirs->numbers, judged);
    if (judged) return;
    std::vector<double> cosines;
    double lowest_same = 1;
    for (size_t r = 0; r < rows; ++r) {
        double dot = 0, a = 0, b = 0;
        for (size_t i = r * V; i < (r + 1) * V; ++i) {
            dot += static_cast<double>(ours[i]) * theirs->numbers[i];
            a += static_cast<double>(ours[i]) * ours[i];
            b += static_cast<double>(theirs->numbers[i]) * theirs->numbers[i];
        }
        cosines.push_back(a > 0 && b > 0 ? dot / std::sqrt(a * b) : 0);
        if (same_experts[same_experts.size() - rows + r])
            lowest_same = std::min(lowest_same, cosines.back());
    }
    std::nth_element(cosines.begin(), cosines.begin() + static_cast<ptrdiff_t>(rows / 2),
                     cosines.end());
    const double median = cosines[rows / 2];
    const bool ok = median >= 0.999 && lowest_same >= 0.99;
    c.table.add({stage + " cosine", 1 - lowest_same, 1 - median,
                 fmt::format("{}: median {:.6f}, lowest with the same experts {:.6f}",
                             ok ? "ok" : "FAILED", median, lowest_same),
                 ok});
}

void compare_greedy(Case& c, const std::vector<int64_t>& ours, bool judged) {
    const auto theirs = c.reference.find("greedy");
    if (!theirs) return;
    if (judged) return compare_integers(c.table, "greedy", ours, theirs->integers);
    size_t n = 0;
    while (n < ours.size() && n < theirs->integers.size() && ours[n] == theirs->integers[n]) ++n;
    c.table.add(
        {"greedy", 0, 0,
         fmt::format("measured: the first {} of {} tokens agree", n, theirs->integers.size()),
         true});
}

std::vector<Case> load_cases(Session& session, const Options& options) {
    PrepareSettings settings = session.prepare_settings();
    settings.video_outer_pair = options.video_outer_pair;
    std::vector<Case> cases;
    for (const std::string& folder : options.cases) {
        Case c{ReferenceCase(folder), {}, {}, SeqId(), {}};
        const auto parts = split_rendered(session.tokenizer(), c.reference.prompt());
        auto prompt = prepare_prompt(parts, c.reference.media(), settings, session.media_pool());
        if (!prompt) throw StartupError(folder + ": " + prompt.error().message);
        const auto n = static_cast<int64_t>(prompt->ids.size());
        if (n == 0 || n >= session.model().shape().max_context)
            throw StartupError(folder +
                               ": its prompt is empty or longer than the model's context.");
        c.prompt = std::move(*prompt);
        compare_front(c, session.model());
        for (Modality modality : {Modality::image, Modality::video})
            compare_pixels(c, settings.preprocessor, modality);
        cases.push_back(std::move(c));
    }
    return cases;
}

void run_cases(std::span<Case> cases, Loop& loop, Recorder& recorder) {
    for (Case& c : cases) {
        Sampling sampling;
        sampling.temperature = 0;
        sampling.ignore_eos = true;
        const auto greedy = c.reference.find("greedy");
        sampling.max_tokens = greedy ? static_cast<int64_t>(greedy->integers.size()) : 1;
        auto [writer, reader] = TokenChannel::make();
        c.reader = std::move(reader);
        c.id = loop.add(c.prompt, sampling, std::move(writer), true);
    }
    loop.set_observer(&recorder, &recorder);
    while (loop.step()) {
    }
}

struct Outcome {
    std::vector<Case> cases;
    bool passed = true;
};

Outcome verify_once(const Options& options) {
    Session session(options, true);
    const bool judged = options.compute == "f32";
    Outcome outcome;
    outcome.cases = load_cases(session, options);
    std::vector<Case>& cases = outcome.cases;

    EngineLimits limits = session.plan_limits(0, static_cast<int64_t>(cases.size()));
    limits.chunk_tokens = options.chunk;
    limits.all_logits = true;
    int64_t pages = 0, longest = 0;
    for (const Case& c : cases) {
        const auto n = static_cast<int64_t>(c.prompt.ids.size()) + 64;
        pages += pages_for(n);
        longest = std::max(longest, n);
    }
    limits.max_context = std::max<int64_t>(longest, kPageTokens);
    limits.num_pages = pages + 1;
    limits.feature_rows = std::max<int64_t>(1, pages * kPageTokens);

    Loop loop(session.model(), limits, session.exec());
    Recorder recorder;
    if (options.together)
        run_cases(cases, loop, recorder);
    else
        for (Case& c : cases) run_cases(std::span(&c, 1), loop, recorder);

    for (Case& c : cases) {
        const Shown& shown = recorder.of(c.id);
        compare_visual(c, shown, judged);
        const auto same = compare_layers(c, shown, session.model().shape().num_layers, judged);
        compare_logits(c, shown, same, judged);
        std::vector<int64_t> greedy;
        while (auto event = c.reader.next())
            if (event->token) greedy.push_back(event->token->value);
        compare_greedy(c, greedy, judged);
        for (const std::string& stage : c.reference.unread())
            c.table.exact(stage, false,
                          "the case holds it, and nothing of ours was compared with it");
        outcome.passed = outcome.passed && c.table.passed();
    }
    return outcome;
}

}  // namespace

int verify_command(const Options& given) {
    // Casting a whole model in PyTorch rounds its rotary frequencies too, which from_pretrained
    // never does. A reference made that way differs from the first layer on, by about 1e-3; it is a
    // fault of the reference, so it is tried second and said aloud.
    Options options = given;
    options.generation_config = "none";  // the model is compared, not its settings
    if (given.rope == "auto") options.rope = "f32";
    Outcome outcome = verify_once(options);
    if (!outcome.passed && given.rope == "auto") {
        Options rounded = options;
        rounded.rope = "bf16";
        Outcome second = verify_once(rounded);
        if (second.passed) {
            outcome = std::move(second);
            options = rounded;
        }
    }
    for (const Case& c : outcome.cases) c.table.print(c.reference.name());
    if (given.rope == "auto" && options.rope == "bf16")
        fmt::print(
            "The reference's rotary frequencies are rounded to bf16: its model was cast with "
            ".to(bfloat16) after it was made. Compared with frequencies rounded likewise.\n");
    if (options.compute == "bf16")
        fmt::print(
            "Compute bf16: ids, grids, positions, pixels and the cosines of the logits are judged, "
            "other "
            "stages only measured; --compute f32 judges every stage.\n");
    bool any_video = false;
    for (const Case& c : outcome.cases)
        for (const Frame& f : c.prompt.frames)
            any_video = any_video || f.modality == Modality::video;
    if (!outcome.passed && any_video && !options.video_outer_pair)
        fmt::print(
            "If the ids of a video differ: newer transformers wrap it in one more pair of tokens; "
            "try "
            "--video-outer-pair.\n");
    fmt::print("{}: {} case(s), backend {}, compute {}, chunks of {}{}\n",
               outcome.passed ? "passed" : "FAILED", outcome.cases.size(), options.backend,
               options.compute, options.chunk, options.together ? ", in one batch" : "");
    return outcome.passed ? 0 : 1;
}

}  // namespace saker
