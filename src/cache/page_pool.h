// PagePool: which KV pages are free. PageRun: the pages of one sequence, given back by its
// destructor.
//
// reserve() and extend() are whole transactions: they hand over the pages or change nothing, so
// there is no question-then-act in which two callers could disagree. Owned by the engine, used by
// its thread alone. The numbers in the pages live in KvPages (kv_pages.h); the pool only counts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"

namespace saker {

inline constexpr int64_t kPageTokens = 64;  // B: tokens in a page

/// Pages that hold `num_tokens` tokens.
constexpr int64_t pages_for(int64_t num_tokens) {
    return (num_tokens + kPageTokens - 1) / kPageTokens;
}

class PagePool;

/// Move-only owner of pages, in token order.
class PageRun {
  public:
    PageRun() = default;
    ~PageRun();
    PageRun(PageRun&& other) noexcept;
    PageRun& operator=(PageRun&& other) noexcept;

    std::span<const PageId> pages() const { return pages_; }
    int64_t capacity_tokens() const { return static_cast<int64_t>(pages_.size()) * kPageTokens; }
    /// Where token `index` of the sequence lives: page * B + offset.
    int32_t slot(int64_t index) const {
        return static_cast<int32_t>(pages_[static_cast<size_t>(index / kPageTokens)].value *
                                        kPageTokens +
                                    index % kPageTokens);
    }
    /// Takes `num_pages` more, or none and returns false.
    bool extend(int64_t num_pages);
    void release();

  private:
    friend class PagePool;
    PagePool* pool_ = nullptr;
    std::vector<PageId> pages_;
};

class PagePool {
  public:
    explicit PagePool(int64_t num_pages);
    ~PagePool();
    PagePool(const PagePool&) = delete;
    PagePool& operator=(const PagePool&) = delete;

    /// `num_pages` pages, or nothing where fewer are free.
    std::optional<PageRun> reserve(int64_t num_pages);

    int64_t num_pages() const { return num_pages_; }
    int64_t num_free() const { return static_cast<int64_t>(free_.size()); }

  private:
    friend class PageRun;
    bool take(int64_t num_pages, std::vector<PageId>& into);
    void give_back(std::span<const PageId> pages);

    int64_t num_pages_;
    std::vector<PageId> free_;   // a stack: the page freed last is the warmest
    std::vector<bool> is_held_;  // by page; catches a page given back twice
};

}  // namespace saker
