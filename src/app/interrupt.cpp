// A flag that the signal sets; everything else happens where it is read.
#include "app/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace saker {
namespace {

std::atomic<bool> g_interrupted{false};

void on_interrupt(int) {
    if (g_interrupted.exchange(true)) _exit(130);
}

}  // namespace

void watch_interrupts() {
    struct sigaction action = {};
    action.sa_handler = on_interrupt;
    sigemptyset(&action.sa_mask);
    action.sa_flags = 0;  // no restart: read() returns
    sigaction(SIGINT, &action, nullptr);
}

bool is_interrupted() {
    return g_interrupted;
}

void forget_interrupt() {
    g_interrupted = false;
}

}  // namespace saker
