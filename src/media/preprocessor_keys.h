// The keys of the preprocessor's files that Saker knows.
//
// preprocessor.cpp reads what is honoured and hands each object to check_keys first. What is
// harmless was tried with the processors of transformers 5.17: none of it changes their pixels.
#pragma once

#include "json/keys.h"

namespace saker {

extern const KeyTable kImageKeys, kVideoKeys, kSizeKeys, kProcessorKeys;

}  // namespace saker
