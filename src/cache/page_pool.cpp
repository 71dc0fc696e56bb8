// A stack of free pages.
#include "cache/page_pool.h"

#include <utility>

#include "base/check.h"

namespace saker {

PageRun::~PageRun() {
    release();
}

PageRun::PageRun(PageRun&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)), pages_(std::exchange(other.pages_, {})) {}

PageRun& PageRun::operator=(PageRun&& other) noexcept {
    if (this != &other) {
        release();
        pool_ = std::exchange(other.pool_, nullptr);
        pages_ = std::exchange(other.pages_, {});
    }
    return *this;
}

bool PageRun::extend(int64_t num_pages) {
    CHECK(pool_, "extend() of a PageRun that no pool made");
    return pool_->take(num_pages, pages_);
}

void PageRun::release() {
    if (pool_) pool_->give_back(pages_);
    pages_.clear();
}

PagePool::PagePool(int64_t num_pages)
    : num_pages_(num_pages), is_held_(static_cast<size_t>(num_pages), false) {
    CHECK(num_pages >= 0 && num_pages <= INT32_MAX / kPageTokens,
          "page pool of an impossible size");
    free_.reserve(static_cast<size_t>(num_pages));
    for (int64_t i = num_pages; i-- > 0;) free_.emplace_back(static_cast<int32_t>(i));
}

PagePool::~PagePool() {
    CHECK(num_free() == num_pages_, "a PageRun outlived its PagePool");
}

std::optional<PageRun> PagePool::reserve(int64_t num_pages) {
    PageRun run;
    run.pool_ = this;
    if (!take(num_pages, run.pages_)) return std::nullopt;
    return run;
}

bool PagePool::take(int64_t num_pages, std::vector<PageId>& into) {
    if (num_pages < 0 || num_pages > num_free()) return false;
    for (int64_t i = 0; i < num_pages; ++i) {
        const PageId page = free_.back();
        free_.pop_back();
        is_held_[static_cast<size_t>(page.value)] = true;
        into.push_back(page);
    }
    return true;
}

void PagePool::give_back(std::span<const PageId> pages) {
    for (size_t i = pages.size(); i-- > 0;) {
        const auto at = static_cast<size_t>(pages[i].value);
        CHECK(is_held_[at], "a page was given back twice");
        is_held_[at] = false;
        free_.push_back(pages[i]);
    }
}

}  // namespace saker
