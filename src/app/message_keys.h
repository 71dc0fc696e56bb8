// The tables of known keys of a message file (message_file.h): of the whole, of one message, of one
// part of its content.
#pragma once

#include "json/keys.h"

namespace saker {

extern const KeyTable kRequestTable, kMessageTable, kPartTable;

}  // namespace saker
