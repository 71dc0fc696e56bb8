// Ctrl-C: the first ends what is going on (an answer, a line that is typed), never the
// conversation. A second, where the first is not heeded, ends the program.
#pragma once

namespace saker {

/// From here on Ctrl-C is noted, and a wait for input returns early.
void watch_interrupts();
/// Whether Ctrl-C was pressed since the last forget_interrupt().
bool is_interrupted();
void forget_interrupt();

}  // namespace saker
