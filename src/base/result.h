// Result<T>: a value or an Error, for everything that a caller can get wrong after start-up.
//
// An Error travels as a value from where it is found to the reply (HTTP, gRPC or exit code 2);
// nobody throws it and nobody logs it as a failure of ours. Its message is one fixed sentence of
// our own that says what is wrong, where, and what to do; it never holds library text, addresses or
// user bytes beyond a parameter name. Faults of files at start-up are StartupError (check.h)
// instead.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/check.h"

namespace saker {

/// Codes that a reply carries; to_string gives the spelling on the wire.
enum class ErrorCode {
    invalid_value,
    invalid_json,
    invalid_utf8,
    invalid_schema,
    context_length_exceeded,
    invalid_image,
    image_too_large,
    unsupported_image,
    invalid_video,
    too_many_items,
    numeric_error,
    internal_error,
};

std::string_view to_string(ErrorCode code);

struct Error {
    ErrorCode code = ErrorCode::invalid_value;
    std::string message;  // one sentence: what, where, what to do
    std::string param;    // the parameter it is about ("messages[0].content"), or empty
};

/// Either a T or an Error. value() on an Error is a bug and CHECKs.
template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value)
        : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by intent
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

    explicit operator bool() const { return state_.index() == 0; }
    bool ok() const { return state_.index() == 0; }

    T& value() & {
        CHECK(ok(), "value() of a Result that holds an Error");
        return std::get<0>(state_);
    }
    const T& value() const& {
        CHECK(ok(), "value() of a Result that holds an Error");
        return std::get<0>(state_);
    }
    T&& value() && {
        CHECK(ok(), "value() of a Result that holds an Error");
        return std::get<0>(std::move(state_));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const {
        CHECK(!ok(), "error() of a Result that holds a value");
        return std::get<1>(state_);
    }

  private:
    std::variant<T, Error> state_;
};

/// For functions that yield nothing but may refuse.
struct Done {};
using Status = Result<Done>;

}  // namespace saker
