#pragma once
/// \file
/// Tools shared by the parts of a forward step: arithmetic, threads, the family's rules, precision
/// and cancellation. Private to this module. Owned by one thread.

#include <algorithm>
#include <cstdint>
#include <functional>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/format/weights.h"
#include "engine/kernels/matmul.h"
#include "engine/model/architecture.h"

namespace lacuna {

struct StepTools {
    const KernelTable& kernels;
    ThreadPool& pool;
    const ForwardRules& rules;
    Matmul& matmul;
    Precision precision;
    const std::function<bool()>& cancelled;

    /// Errors: Cancelled.
    [[nodiscard]] Status checkCancelled() const {
        if (cancelled && cancelled()) return fail(ErrorCode::Cancelled, "stopped while computing");
        return {};
    }
};

[[nodiscard]] inline MatrixRef matrixOf(const WeightMatrix& weight) {
    return {weight.type, weight.rows, weight.columns, weight.data, weight.order, weight.scale};
}

/// Calls work(row) for all rows, in parallel if there are enough of them.
template <class Work>
void forEachRow(ThreadPool& pool, std::int64_t rows, const Work& work) {
    constexpr std::int64_t kMinSharedRows = 8;
    if (rows < kMinSharedRows) {
        for (std::int64_t row = 0; row < rows; ++row) work(row);
        return;
    }
    constexpr int kShares = 4;  // per thread, because one may be delayed
    const std::int64_t shares = std::min<std::int64_t>(rows, kShares * pool.threads());
    const auto share = [&](int part) {
        for (std::int64_t row = part * rows / shares; row < (part + 1) * rows / shares; ++row)
            work(row);
    };
    pool.parallelFor(static_cast<int>(shares), std::cref(share));
}

}  // namespace lacuna
