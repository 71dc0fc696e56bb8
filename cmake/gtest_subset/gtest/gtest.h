// The part of GoogleTest's interface that this project's tests use, for the preset gpu, which must
// build where nothing but a compiler and the CUDA toolkit is installed. Every other build uses
// GoogleTest itself.
//
// Same names, same meaning, and output in the same shape: TEST and TEST_F, EXPECT_* and ASSERT_*
// with messages by <<, SCOPED_TRACE, FAIL, ADD_FAILURE, SUCCEED, GTEST_SKIP, the death and
// exception assertions, TempDir, --gtest_filter and --gtest_list_tests. A test that needs more of
// GoogleTest adds it here. gtest_main.cpp holds main and what is not a template.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace testing {

/// Text gathered by <<.
class Message {
  public:
    Message() = default;
    Message(const Message& other) { text_ << other.str(); }
    template <class T>
    Message& operator<<(const T& value) {
        if constexpr (std::is_same_v<T, bool>)
            text_ << (value ? "true" : "false");
        else
            text_ << value;
        return *this;
    }
    std::string str() const { return text_.str(); }

  private:
    std::ostringstream text_;
};

class Test {
  public:
    virtual ~Test() = default;
    virtual void SetUp() {}
    virtual void TearDown() {}
    virtual void TestBody() = 0;

    static bool HasFailure();
    static bool HasFatalFailure();
    static bool IsSkipped();
};

/// A folder for files of tests, with a slash at its end.
std::string TempDir();

namespace subset {

enum class Kind { nonfatal, fatal, skip, success };

/// What an assertion found: fine, or a text that says why not.
struct Outcome {
    bool fine;
    std::string text;
    explicit operator bool() const { return fine; }
};

/// Takes the message of an assertion by assignment, which binds more weakly than <<.
struct Report {
    Kind kind;
    const char* file;
    int line;
    std::string text;
    void operator=(const Message& message) const;
};

struct Trace {
    Trace(const char* file, int line, const std::string& text);
    ~Trace();
};

bool add_test(const char* suite, const char* name, std::function<std::unique_ptr<Test>()> make);
/// Runs the statement in a child process and wants it to die with a message that matches.
Outcome dies(const std::function<void()>& statement, const char* statement_text,
             const std::string& regex);

template <class T>
std::string show(const T& value) {
    std::ostringstream out;
    if constexpr (std::is_same_v<T, bool>) {
        out << (value ? "true" : "false");
    } else if constexpr (std::is_same_v<T, std::nullptr_t>) {
        out << "nullptr";
    } else if constexpr (std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>) {
        out << static_cast<int>(value);
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
        out << '"' << std::string_view(value) << '"';
    } else if constexpr (std::is_floating_point_v<T>) {
        out.precision(17);
        out << value;
    } else if constexpr (std::is_enum_v<T>) {
        out << static_cast<int64_t>(value);
    } else if constexpr (requires { out << value; }) {
        out << value;
    } else if constexpr (requires {
                             value.begin();
                             value.end();
                         }) {
        out << "{ ";
        for (const auto& entry : value) out << show(entry) << ' ';
        out << '}';
    } else {
        out << sizeof(T) << "-byte object";
    }
    return out.str();
}

template <class Compare, class A, class B>
Outcome compare(const char* sign, const char* a_text, const char* b_text, const A& a, const B& b,
                Compare holds) {
    if (holds(a, b)) return {true, ""};
    return {false, std::string("Expected: (") + a_text + ") " + sign + " (" + b_text +
                       "), actual: " + show(a) + " vs " + show(b)};
}

template <class T>
Outcome truth(const char* text, const T& value, bool wanted) {
    if (static_cast<bool>(value) == wanted) return {true, ""};
    return {false, std::string("Value of: ") + text + "\n  Actual: " + (wanted ? "false" : "true") +
                       "\nExpected: " + (wanted ? "true" : "false")};
}

inline Outcome same_text(const char* a, const char* b, bool wanted) {
    const bool equal = a == b || (a && b && std::strcmp(a, b) == 0);
    if (equal == wanted) return {true, ""};
    return {false, std::string("C strings ") + (wanted ? "differ: " : "are equal: ") +
                       (a ? a : "NULL") + " and " + (b ? b : "NULL")};
}

inline Outcome near(double a, double b, double bound) {
    if (std::fabs(a - b) <= bound) return {true, ""};
    return {false, "The difference of " + show(a) + " and " + show(b) + " is " +
                       show(std::fabs(a - b)) + ", above " + show(bound)};
}

/// Within four units in the last place, as GoogleTest has it.
template <class T>
Outcome almost(T a, T b) {
    if (a == b) return {true, ""};
    const T next = std::nextafter(std::fabs(b), std::numeric_limits<T>::infinity());
    if (std::fabs(a - b) <= 4 * (next - std::fabs(b))) return {true, ""};
    return {false, show(a) + " is not almost " + show(b)};
}

template <class E>
Outcome throws(const std::function<void()>& statement, const char* statement_text) {
    try {
        statement();
    } catch (const E&) {
        return {true, ""};
    } catch (...) {
        return {false, std::string(statement_text) + " throws another type"};
    }
    return {false, std::string(statement_text) + " throws nothing"};
}

Outcome throws_nothing(const std::function<void()>& statement, const char* statement_text);
Outcome throws_something(const std::function<void()>& statement, const char* statement_text);

}  // namespace subset
}  // namespace testing

#define GTEST_SUBSET_REPORT_(kind, text)                                                 \
    ::testing::subset::Report{::testing::subset::Kind::kind, __FILE__, __LINE__, text} = \
        ::testing::Message()
// The switch keeps a dangling else from attaching to an if around the assertion.
#define GTEST_SUBSET_EXPECT_(...)                                    \
    switch (0)                                                       \
    case 0:                                                          \
    default:                                                         \
        if (const ::testing::subset::Outcome outcome_ = __VA_ARGS__) \
            ;                                                        \
        else                                                         \
            GTEST_SUBSET_REPORT_(nonfatal, outcome_.text)
#define GTEST_SUBSET_ASSERT_(...)                                    \
    switch (0)                                                       \
    case 0:                                                          \
    default:                                                         \
        if (const ::testing::subset::Outcome outcome_ = __VA_ARGS__) \
            ;                                                        \
        else                                                         \
            return GTEST_SUBSET_REPORT_(fatal, outcome_.text)
#define GTEST_SUBSET_COMPARE_(sign, a, b)               \
    ::testing::subset::compare(#sign, #a, #b, (a), (b), \
                               [](const auto& a_, const auto& b_) -> bool { return a_ sign b_; })

#define GTEST_SUBSET_TEST_(suite, name, parent)                                               \
    class suite##_##name##_Test : public parent {                                             \
        void TestBody() override;                                                             \
        static const bool added_;                                                             \
    };                                                                                        \
    const bool suite##_##name##_Test::added_ =                                                \
        ::testing::subset::add_test(#suite, #name, []() -> std::unique_ptr<::testing::Test> { \
            return std::make_unique<suite##_##name##_Test>();                                 \
        });                                                                                   \
    void suite##_##name##_Test::TestBody()
#define TEST(suite, name) GTEST_SUBSET_TEST_(suite, name, ::testing::Test)
#define TEST_F(fixture, name) GTEST_SUBSET_TEST_(fixture, name, fixture)

#define EXPECT_TRUE(x) GTEST_SUBSET_EXPECT_(::testing::subset::truth(#x, (x), true))
#define EXPECT_FALSE(x) GTEST_SUBSET_EXPECT_(::testing::subset::truth(#x, (x), false))
#define EXPECT_EQ(a, b) GTEST_SUBSET_EXPECT_(GTEST_SUBSET_COMPARE_(==, a, b))
#define EXPECT_NE(a, b) GTEST_SUBSET_EXPECT_(GTEST_SUBSET_COMPARE_(!=, a, b))
#define EXPECT_LT(a, b) GTEST_SUBSET_EXPECT_(GTEST_SUBSET_COMPARE_(<, a, b))
#define EXPECT_LE(a, b) GTEST_SUBSET_EXPECT_(GTEST_SUBSET_COMPARE_(<=, a, b))
#define EXPECT_GT(a, b) GTEST_SUBSET_EXPECT_(GTEST_SUBSET_COMPARE_(>, a, b))
#define EXPECT_GE(a, b) GTEST_SUBSET_EXPECT_(GTEST_SUBSET_COMPARE_(>=, a, b))
#define EXPECT_STREQ(a, b) GTEST_SUBSET_EXPECT_(::testing::subset::same_text((a), (b), true))
#define EXPECT_STRNE(a, b) GTEST_SUBSET_EXPECT_(::testing::subset::same_text((a), (b), false))
#define EXPECT_NEAR(a, b, bound) GTEST_SUBSET_EXPECT_(::testing::subset::near((a), (b), (bound)))
#define EXPECT_FLOAT_EQ(a, b) GTEST_SUBSET_EXPECT_(::testing::subset::almost<float>((a), (b)))
#define EXPECT_DOUBLE_EQ(a, b) GTEST_SUBSET_EXPECT_(::testing::subset::almost<double>((a), (b)))
#define EXPECT_THROW(statement, type) \
    GTEST_SUBSET_EXPECT_(::testing::subset::throws<type>([&] { statement; }, #statement))
#define EXPECT_NO_THROW(statement) \
    GTEST_SUBSET_EXPECT_(::testing::subset::throws_nothing([&] { statement; }, #statement))
#define EXPECT_ANY_THROW(statement) \
    GTEST_SUBSET_EXPECT_(::testing::subset::throws_something([&] { statement; }, #statement))
#define EXPECT_DEATH(statement, regex) \
    GTEST_SUBSET_EXPECT_(::testing::subset::dies([&] { statement; }, #statement, regex))

#define ASSERT_TRUE(x) GTEST_SUBSET_ASSERT_(::testing::subset::truth(#x, (x), true))
#define ASSERT_FALSE(x) GTEST_SUBSET_ASSERT_(::testing::subset::truth(#x, (x), false))
#define ASSERT_EQ(a, b) GTEST_SUBSET_ASSERT_(GTEST_SUBSET_COMPARE_(==, a, b))
#define ASSERT_NE(a, b) GTEST_SUBSET_ASSERT_(GTEST_SUBSET_COMPARE_(!=, a, b))
#define ASSERT_LT(a, b) GTEST_SUBSET_ASSERT_(GTEST_SUBSET_COMPARE_(<, a, b))
#define ASSERT_LE(a, b) GTEST_SUBSET_ASSERT_(GTEST_SUBSET_COMPARE_(<=, a, b))
#define ASSERT_GT(a, b) GTEST_SUBSET_ASSERT_(GTEST_SUBSET_COMPARE_(>, a, b))
#define ASSERT_GE(a, b) GTEST_SUBSET_ASSERT_(GTEST_SUBSET_COMPARE_(>=, a, b))
#define ASSERT_STREQ(a, b) GTEST_SUBSET_ASSERT_(::testing::subset::same_text((a), (b), true))
#define ASSERT_NEAR(a, b, bound) GTEST_SUBSET_ASSERT_(::testing::subset::near((a), (b), (bound)))
#define ASSERT_FLOAT_EQ(a, b) GTEST_SUBSET_ASSERT_(::testing::subset::almost<float>((a), (b)))
#define ASSERT_DOUBLE_EQ(a, b) GTEST_SUBSET_ASSERT_(::testing::subset::almost<double>((a), (b)))
#define ASSERT_THROW(statement, type) \
    GTEST_SUBSET_ASSERT_(::testing::subset::throws<type>([&] { statement; }, #statement))
#define ASSERT_NO_THROW(statement) \
    GTEST_SUBSET_ASSERT_(::testing::subset::throws_nothing([&] { statement; }, #statement))
#define ASSERT_DEATH(statement, regex) \
    GTEST_SUBSET_ASSERT_(::testing::subset::dies([&] { statement; }, #statement, regex))

#define ADD_FAILURE() GTEST_SUBSET_REPORT_(nonfatal, "Failed")
#define FAIL() return GTEST_SUBSET_REPORT_(fatal, "Failed")
#define SUCCEED() GTEST_SUBSET_REPORT_(success, "")
#define GTEST_SKIP() return GTEST_SUBSET_REPORT_(skip, "")

#define GTEST_SUBSET_JOIN2_(a, b) a##b
#define GTEST_SUBSET_JOIN_(a, b) GTEST_SUBSET_JOIN2_(a, b)
#define SCOPED_TRACE(message)                                            \
    const ::testing::subset::Trace GTEST_SUBSET_JOIN_(trace_, __LINE__)( \
        __FILE__, __LINE__, (::testing::Message() << (message)).str())
