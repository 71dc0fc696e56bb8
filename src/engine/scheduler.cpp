// Every reservation is made where it is planned, and a sequence that cannot have what it needs is
// left out of the step or preempted; nothing is promised that another could take.
#include "engine/scheduler.h"

#include <algorithm>
#include <optional>

namespace saker {

void Scheduler::admit() {
    while (!waiting_.empty() && num_running() < limits_.max_sequences) {
        Sequence& sequence = *waiting_.front();
        auto pages = pages_.reserve(pages_for(sequence.num_tokens()));
        if (!pages) return;  // the oldest goes first: nobody overtakes it
        sequence.pages = std::move(*pages);
        running_.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
    }
    // Preempted sequences come back to a place among younger ones.
    running_.sort([](const auto& a, const auto& b) { return a->id < b->id; });
}

void Scheduler::preempt(std::list<std::unique_ptr<Sequence>>::iterator victim) {
    Sequence& sequence = **victim;
    sequence.pages = PageRun();
    for (FeatureRun& run : sequence.features) run.release();
    sequence.num_computed = 0;
    ++num_preemptions_;
    const auto at = std::find_if(waiting_.begin(), waiting_.end(),
                                 [&](const auto& other) { return sequence.id < other->id; });
    waiting_.insert(at, std::move(*victim));
    running_.erase(victim);
}

// Takes pages from the youngest until `sequence` has what it needs. False: it was the youngest
// itself and is running no more.
bool Scheduler::ensure_pages(Sequence& sequence, int64_t num_tokens) {
    const auto missing = [&] {
        return pages_for(num_tokens) - static_cast<int64_t>(sequence.pages.pages().size());
    };
    while (missing() > 0) {
        if (sequence.pages.extend(missing())) break;
        const auto youngest = std::prev(running_.end());
        const bool itself = youngest->get() == &sequence;
        preempt(youngest);
        if (itself) return false;
    }
    return true;
}

// Reserves rows for the pictures that tokens [begin, end) touch and puts those not yet encoded into
// the plan. The chunk ends before the first picture that has no room, or may take none.
int64_t Scheduler::reserve_features(Sequence& sequence, int64_t begin, int64_t end, bool may_take,
                                    StepPlan& plan) {
    for (size_t i = 0; i < sequence.frames.size(); ++i) {
        const Frame& frame = sequence.frames[i];
        if (frame.end_token() <= begin || frame.first_token >= end || sequence.features[i].exists())
            continue;
        auto run = may_take ? features_.reserve(frame.num_tokens) : std::nullopt;
        if (!run) return std::max(begin, frame.first_token);
        sequence.features[i] = std::move(*run);
        plan.encodes.push_back({&sequence, i});
    }
    return end;
}

StepPlan Scheduler::plan() {
    StepPlan plan;
    // Decodes, oldest first. A preemption removes sequences behind the current one, never before
    // it.
    for (auto it = running_.begin(); it != running_.end();) {
        Sequence& sequence = **it;
        if (!sequence.is_decoding()) {
            ++it;
            continue;
        }
        if (!ensure_pages(sequence, sequence.num_tokens())) break;
        plan.rows.push_back({&sequence, sequence.num_computed, sequence.num_tokens()});
        ++it;
    }
    int64_t left = limits_.chunk_tokens;
    bool rows_suffice = true;
    for (const auto& sequence : running_) {
        if (left == 0) break;
        if (sequence->is_decoding()) continue;
        const int64_t begin = sequence->num_computed;
        const int64_t wanted = std::min(sequence->num_tokens(), begin + left);
        const int64_t end = reserve_features(*sequence, begin, wanted, rows_suffice, plan);
        // Small pictures must not keep taking the rows that an older sequence's large one waits
        // for; what has its rows goes on, and gives them back.
        if (end < wanted) rows_suffice = false;
        if (end == begin) continue;
        plan.rows.push_back({sequence.get(), begin, end});
        left -= end - begin;
    }
    return plan;
}

void Scheduler::sweep() {
    const auto is_over = [](const std::unique_ptr<Sequence>& s) {
        return s->finished || s->writer.is_cancelled();
    };
    running_.remove_if(is_over);
    waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), is_over), waiting_.end());
}

}  // namespace saker
