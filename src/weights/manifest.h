// The checksum manifest of a model folder: `SHA256SUMS`, as `sha256sum FILES > SHA256SUMS` writes
// it.
//
// It is optional: whoever puts one beside the weights wants them checked at each start, and models/
// calls this before it loads. The digests are of whole files, and say that the files are those that
// the manifest's author saw.
#pragma once

#include "base/thread_pool.h"
#include "weights/checkpoint.h"
#include "weights/progress.h"

namespace saker {

/// Reads every file that the manifest lists. False where the folder has no manifest. Throws
/// StartupError where a file is missing or differs, a line is no digest with the plain name of a
/// file, or a weight file of `checkpoint` is not listed.
bool verify_manifest(const Checkpoint& checkpoint, ThreadPool& pool,
                     Progress::Style style = Progress::Style::automatic);

}  // namespace saker
