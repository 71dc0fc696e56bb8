// CHECK, DCHECK and StartupError: our own bugs, and faults of the world before "ready".
//
// CHECK(condition, "sentence") is always on: it prints the sentence with file and line and aborts.
// DCHECK is for hot loops and exists in debug and sanitizer builds only. StartupError is thrown
// while files are read and memory is taken, and is caught once, in app/main.cpp, which prints it
// and exits with 3. Faults of callers after start-up are Result<T> (result.h), never one of these.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace saker {

/// A file, a setting or the machine makes starting impossible. what() is one sentence: what, where
/// and how to mend it.
class StartupError : public std::runtime_error {
  public:
    explicit StartupError(const std::string& sentence) : std::runtime_error(sentence) {}
};

[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               std::string_view sentence);

}  // namespace saker

#define CHECK(condition, sentence)                                             \
    do {                                                                       \
        if (!(condition)) [[unlikely]]                                         \
            ::saker::check_failed(__FILE__, __LINE__, #condition, (sentence)); \
    } while (false)

#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DCHECK(condition, sentence) CHECK(condition, sentence)
#else
#define DCHECK(condition, sentence) \
    do {                            \
    } while (false)
#endif
