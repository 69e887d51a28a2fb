#include "engine/format/weight_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/thread_start.h"
#include "engine/tensor/row_groups.h"

namespace lacuna {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::int64_t kPieceBytes = 1 << 20;  // copied at a time: cancelling waits for no more

struct Matrix {
    WeightMatrix* weight;
    bool grouped;
    std::size_t offset = 0;  ///< of the copy
};

/// Rows of one matrix, copied by one thread.
struct Piece {
    const Matrix* matrix;
    std::int64_t firstRow;
    std::int64_t rows;
};

std::int64_t rowStride(const WeightMatrix& weight) {
    return static_cast<std::int64_t>(
        rowBytes(weight.type, static_cast<std::uint64_t>(weight.columns)));
}

std::size_t bytesOf(const WeightMatrix& weight, bool grouped) {
    const std::int64_t unit = grouped ? kGroupRows : 1;
    const std::int64_t rows = (weight.rows + unit - 1) / unit * unit;
    return static_cast<std::size_t>(rows * rowStride(weight));
}

/// Bytes that can be had without swapping; 0 where the system does not say.
std::size_t availableMemory() {
    std::ifstream file("/proc/meminfo");
    std::string word;
    std::size_t kibibytes = 0;
    while (file >> word)
        if (word == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
    return 0;
}

/// All matrices that are to be copied, and what the copies take together.
class Plan {
  public:
    Plan(Weights& weights, const WeightPlacement& placement) : placement_(placement) {
        for (LayerWeights& layer : weights.layers) {
            for (WeightMatrix* matrix : {&layer.query, &layer.key, &layer.value, &layer.output})
                add(*matrix);
            addFeedForward(layer.gate, layer.up, layer.down);
            for (FeedForwardWeights& expert : layer.experts)
                addFeedForward(expert.gate, expert.up, expert.down);
            FeedForwardWeights& shared = layer.sharedExpert;
            addFeedForward(shared.gate, shared.up, shared.down);
            // Multiplied exactly, and small: plain rows do.
            addAs(layer.router, false);
            addAs(layer.sharedExpertGate, false);
        }
        const bool tied = weights.embedding.data == weights.output.data;
        add(weights.output);
        if (tied) add(weights.embedding);
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] const std::vector<Matrix>& matrices() const { return matrices_; }
    [[nodiscard]] std::vector<Piece> pieces() const;

  private:
    void addFeedForward(WeightMatrix& gate, WeightMatrix& up, WeightMatrix& down) {
        for (WeightMatrix* matrix : {&gate, &up, &down}) add(*matrix);
    }
    void add(WeightMatrix& weight) {
        addAs(weight, placement_.grouped[static_cast<std::size_t>(weight.type)] &&
                          weight.rows >= kGroupRows && canGroup(weight.type, weight.columns));
    }
    void addAs(WeightMatrix& weight, bool grouped) {
        if (weight.empty()) return;
        const auto [found, fresh] = offsets_.try_emplace({weight.data, grouped}, bytes_);
        matrices_.push_back({&weight, grouped, found->second});
        first_.push_back(fresh);
        if (fresh) bytes_ += (bytesOf(weight, grouped) + kAlignment - 1) / kAlignment * kAlignment;
    }

    const WeightPlacement& placement_;
    std::vector<Matrix> matrices_;
    std::vector<bool> first_;  ///< not a second view of the same bytes
    std::map<std::pair<const std::byte*, bool>, std::size_t> offsets_;
    std::size_t bytes_ = 0;
};

std::vector<Piece> Plan::pieces() const {
    std::vector<Piece> all;
    for (std::size_t i = 0; i < matrices_.size(); ++i) {
        if (!first_[i]) continue;
        const WeightMatrix& weight = *matrices_[i].weight;
        const std::int64_t wanted = std::max<std::int64_t>(kPieceBytes / rowStride(weight), 1);
        const std::int64_t rows = (wanted + kGroupRows - 1) / kGroupRows * kGroupRows;
        for (std::int64_t row = 0; row < weight.rows; row += rows)
            all.push_back({&matrices_[i], row, std::min(rows, weight.rows - row)});
    }
    return all;
}

/// Gives pages of files back that lie wholly inside a range.
class Releaser {
  public:
    explicit Releaser(std::span<const std::span<const std::byte>> mappings) : mappings_(mappings) {}
    void release(const std::byte* data, std::size_t bytes) const {
        const bool mapped = std::ranges::any_of(mappings_, [&](std::span<const std::byte> file) {
            return data >= file.data() && data + bytes <= file.data() + file.size();
        });
        if (!mapped) return;
        const auto first = (reinterpret_cast<std::uintptr_t>(data) + page_ - 1) / page_ * page_;
        const auto last = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page_ * page_;
        if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
    }

  private:
    const std::span<const std::span<const std::byte>> mappings_;
    const std::uintptr_t page_ = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
};

void copy(const Piece& piece, LargePages& memory, const Releaser& releaser) {
    const WeightMatrix& weight = *piece.matrix->weight;
    const std::int64_t stride = rowStride(weight);
    const std::byte* from = weight.data + piece.firstRow * stride;
    const std::size_t at = piece.matrix->offset + static_cast<std::size_t>(piece.firstRow * stride);
    std::byte* to = memory.data() + at;
    const auto bytes = static_cast<std::size_t>(piece.rows * stride);
    memory.populate(at, bytes);
    if (piece.matrix->grouped) {
        for (std::int64_t row = 0; row < piece.rows; row += kGroupRows) {
            const auto count = std::min<std::int64_t>(kGroupRows, piece.rows - row);
            groupRows(
                {weight.type, from + row * stride, stride, weight.columns, static_cast<int>(count)},
                to + row * stride);
        }
    } else {
        std::memcpy(to, from, bytes);
    }
    releaser.release(from, bytes);
}

/// The calling thread copies as well, and reports.
class Copier {
  public:
    Copier(std::vector<Piece> pieces, LargePages& memory, const WeightCopying& copying)
        : pieces_(std::move(pieces)), memory_(memory), copying_(copying) {}

    [[nodiscard]] Status run(int threads) {
        {
            std::vector<std::jthread> others;
            others.reserve(static_cast<std::size_t>(threads));
            for (int i = 1; i < threads; ++i) {
                auto other = startThread([this] { work(false); });
                if (!other) break;  // those there are do all of it
                others.push_back(std::move(*other));
            }
            work(true);
        }
        if (copying_.stop.stop_requested())
            return fail(ErrorCode::Cancelled, "loading was cancelled");
        return {};
    }

  private:
    void work(bool reports) {
        for (std::size_t i = next_++; i < pieces_.size(); i = next_++) {
            if (copying_.stop.stop_requested()) return;
            copy(pieces_[i], memory_, releaser_);
            if (reports && copying_.progress)
                copying_.progress(static_cast<double>(i) / static_cast<double>(pieces_.size()));
        }
    }

    const std::vector<Piece> pieces_;
    LargePages& memory_;
    const WeightCopying& copying_;
    const Releaser releaser_{copying_.mappings};
    std::atomic<std::size_t> next_{0};
};

bool wouldFit(std::size_t bytes, double keepFree) {
    if (keepFree <= 0) return true;
    return static_cast<double>(bytes) <= (1.0 - keepFree) * static_cast<double>(availableMemory());
}

}  // namespace

Result<LargePages> placeWeights(Weights& weights, const WeightPlacement& placement,
                                const WeightCopying& copying) {
    if (!placement.resident) return LargePages();
    const Plan plan(weights, placement);
    if (!wouldFit(plan.bytes(), placement.keepFree)) return LargePages();
    LACUNA_TRY(LargePages memory, LargePages::allocate(plan.bytes()));
    const unsigned cores = std::max(std::thread::hardware_concurrency(), 1U);
    Copier copier(plan.pieces(), memory, copying);
    LACUNA_TRY_STATUS(
        copier.run(placement.threads > 0 ? placement.threads : static_cast<int>(cores)));
    const Releaser releaser(copying.mappings);  // of pages that two pieces share
    for (const Matrix& matrix : plan.matrices()) {
        releaser.release(matrix.weight->data, bytesOf(*matrix.weight, false));
        matrix.weight->data = memory.data() + matrix.offset;
        matrix.weight->order = matrix.grouped ? RowOrder::Groups : RowOrder::Plain;
    }
    memory.joinPages();
    return memory;
}

}  // namespace lacuna
