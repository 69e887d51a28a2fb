#pragma once
/// \file
/// Rows of numbers to the bytes of one tensor, in batches over the thread pool and in order: the
/// same rows give the same bytes with any number of threads. Runs on the calling thread, which owns
/// pool and writer meanwhile. Memory: one batch.

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/format/gguf_writer.h"
#include "engine/tensor/dtype.h"

namespace lacuna {

/// One tensor to be written. `read` is called from many threads at once, each row once.
struct RowsToEncode {
    std::string name;  ///< for messages
    DType type = DType::F32;
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;  ///< a multiple of the block length of `type`
    std::function<void(std::uint64_t row, std::span<float> out)> read;
};

struct EncodeTools {
    ThreadPool& pool;
    std::stop_token stop;
    std::function<void(std::uint64_t bytes)> wrote;  ///< after each batch; may be empty
};

/// Errors: Write; Cancelled; ModelNonFinite, naming the tensor, when a number does not fit the
/// type.
[[nodiscard]] Status encodeRows(GgufWriter& writer, const RowsToEncode& tensor,
                                const EncodeTools& tools);

}  // namespace lacuna
