// main of the GoogleTest stand-in, and the parts of gtest/gtest.h that are not templates: the list
// of tests, the running of them, failure reports, and death tests by fork.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <regex>

#include "gtest/gtest.h"

namespace testing {
namespace subset {
namespace {

struct Entry {
    std::string suite, name;
    std::function<std::unique_ptr<Test>()> make;
    std::string full_name() const { return suite + "." + name; }
};

// Filled before main by the tests' own static objects, hence made on first use.
std::vector<Entry>& entries() {
    static std::vector<Entry> list;
    return list;
}

// State of the test that runs. Assertions may come from several threads.
struct Running {
    std::mutex lock;
    std::vector<std::string> traces;
    bool failed = false, fatal = false, skipped = false;
};
Running& running() {
    static Running state;
    return state;
}

/// GoogleTest's patterns: * and ?, everything else as it is.
bool matches(const char* pattern, const char* name) {
    if (*pattern == '\0') return *name == '\0';
    if (*pattern == '*') return matches(pattern + 1, name) || (*name && matches(pattern, name + 1));
    return *name && (*pattern == '?' || *pattern == *name) && matches(pattern + 1, name + 1);
}

bool matches_any(const std::string& patterns, const std::string& name) {
    std::istringstream list(patterns);
    for (std::string pattern; std::getline(list, pattern, ':');)
        if (matches(pattern.c_str(), name.c_str())) return true;
    return false;
}

bool wanted(const std::string& filter, const std::string& name) {
    const size_t minus = filter.find('-');
    const std::string yes = filter.substr(0, minus);
    const std::string no = minus == std::string::npos ? "" : filter.substr(minus + 1);
    return (yes.empty() || matches_any(yes, name)) && !matches_any(no, name);
}

void run(const Entry& entry) {
    try {
        const std::unique_ptr<Test> test = entry.make();
        test->SetUp();
        if (!running().fatal && !running().skipped) test->TestBody();
        test->TearDown();
    } catch (const std::exception& e) {
        ADD_FAILURE() << "uncaught exception: " << e.what();
    } catch (...) {
        ADD_FAILURE() << "uncaught exception of unknown type";
    }
}

}  // namespace

void Report::operator=(const Message& message) const {
    if (kind == Kind::success) return;
    Running& state = running();
    const std::lock_guard guard(state.lock);
    const std::string said = message.str();
    const char* word = kind == Kind::skip ? "Skipped" : "Failure";
    std::printf("%s:%d: %s\n%s%s%s\n", file, line, word, text.c_str(),
                text.empty() || said.empty() ? "" : "\n", said.c_str());
    for (size_t i = state.traces.size(); i-- > 0;)
        std::printf("  at %s\n", state.traces[i].c_str());
    std::fflush(stdout);
    if (kind == Kind::skip)
        state.skipped = true;
    else
        state.failed = true;
    if (kind == Kind::fatal) state.fatal = true;
}

Trace::Trace(const char* file, int line, const std::string& text) {
    const std::lock_guard guard(running().lock);
    running().traces.push_back(std::string(file) + ":" + std::to_string(line) + ": " + text);
}

Trace::~Trace() {
    const std::lock_guard guard(running().lock);
    running().traces.pop_back();
}

bool add_test(const char* suite, const char* name, std::function<std::unique_ptr<Test>()> make) {
    entries().push_back({suite, name, std::move(make)});
    return true;
}

Outcome dies(const std::function<void()>& statement, const char* statement_text,
             const std::string& regex) {
    int ends[2];
    if (pipe(ends) != 0) return {false, "no pipe for a death test"};
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        statement();
        _exit(0);
    }
    close(ends[1]);
    std::string said;
    char chunk[512];
    for (ssize_t n; (n = read(ends[0], chunk, sizeof chunk)) > 0;)
        said.append(chunk, static_cast<size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return {false, std::string(statement_text) + " did not die"};
    if (!std::regex_search(said, std::regex(regex, std::regex::extended)))
        return {false, std::string(statement_text) + " died without a match of " + regex +
                           ", saying: " + said};
    return {true, ""};
}

Outcome throws_nothing(const std::function<void()>& statement, const char* statement_text) {
    try {
        statement();
    } catch (...) {
        return {false, std::string(statement_text) + " throws"};
    }
    return {true, ""};
}

Outcome throws_something(const std::function<void()>& statement, const char* statement_text) {
    return throws_nothing(statement, "").fine
               ? Outcome{false, std::string(statement_text) + " throws nothing"}
               : Outcome{true, ""};
}

static int run_all(const std::string& filter) {
    int num_run = 0, num_skipped = 0;
    std::vector<std::string> failed;
    for (const Entry& entry : entries()) {
        const std::string name = entry.full_name();
        if (!wanted(filter, name)) continue;
        Running& state = running();
        state.failed = state.fatal = state.skipped = false;
        std::printf("[ RUN      ] %s\n", name.c_str());
        std::fflush(stdout);
        const auto start = std::chrono::steady_clock::now();
        run(entry);
        const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::steady_clock::now() - start)
                            .count();
        const char* word = state.failed    ? "[  FAILED  ]"
                           : state.skipped ? "[  SKIPPED ]"
                                           : "[       OK ]";
        std::printf("%s %s (%lld ms)\n", word, name.c_str(), static_cast<long long>(ms));
        ++num_run;
        if (state.failed) failed.push_back(name);
        if (state.skipped && !state.failed) ++num_skipped;
    }
    std::printf("[==========] %d tests ran.\n", num_run);
    std::printf("[  PASSED  ] %d tests.\n",
                num_run - num_skipped - static_cast<int>(failed.size()));
    if (num_skipped > 0) std::printf("[  SKIPPED ] %d tests.\n", num_skipped);
    for (const std::string& name : failed) std::printf("[  FAILED  ] %s\n", name.c_str());
    return failed.empty() ? 0 : 1;
}

}  // namespace subset

bool Test::HasFailure() {
    return subset::running().failed;
}
bool Test::HasFatalFailure() {
    return subset::running().fatal;
}
bool Test::IsSkipped() {
    return subset::running().skipped;
}

std::string TempDir() {
    return "/tmp/";
}

}  // namespace testing

int main(int argc, char** argv) {
    std::string filter;
    const std::string filter_flag = "--gtest_filter=";
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument.rfind(filter_flag, 0) == 0) {
            filter = argument.substr(filter_flag.size());
        } else if (argument == "--gtest_list_tests") {
            for (const auto& entry : testing::subset::entries())
                std::printf("%s\n", entry.full_name().c_str());
            return 0;
        } else {
            std::fprintf(stderr, "%s: unknown flag %s\n", argv[0], argv[i]);
            return 2;
        }
    }
    return testing::subset::run_all(filter);
}
