// The keys of config.json that Saker knows, object by object.
//
// qwen3_vl_config.cpp reads what is honoured and hands each object to check_keys first. Known are
// the keys of the released checkpoints and those that transformers 4.57 and 5 write into such
// files, so that neither gives a warning. quantization_config is read with the weights. A key that
// is read anew gets its row here.
#pragma once

#include "json/keys.h"

namespace saker {

extern const KeyTable kTopKeys, kTextKeys, kMoeTextKeys, kVisionKeys;

}  // namespace saker
