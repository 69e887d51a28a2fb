#pragma once
/// \file
/// Copies of the states of all recurrent layers of a sequence at one position, in float32 or with
/// their matrices in 8 bits, and the pool of those that are kept on request within a limit of
/// bytes. Columns stay in float32. A row of a matrix (one key element of one head) has its own
/// scale, so that the error of a number is at most 1/254 of the largest one of its row. Owned by
/// one thread; checkpoints never change and may be shared. docs/cache-contracts.md, "Recurrent
/// state".

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/byte_reader.h"
#include "engine/base/result.h"
#include "engine/kv/kv_values.h"
#include "engine/recurrent/mixer.h"

namespace lacuna {

/// The mixers of a model, in the order of its recurrent layers.
using StateModel = std::vector<MixerWeights>;

/// States of all layers after `position` tokens; without numbers, all are zero.
struct StateCheckpoint {
    std::int64_t position = 0;
    std::vector<float> numbers;      ///< by layer: columns, and the matrix unless it has codes
    std::vector<std::int8_t> codes;  ///< by layer: the matrix; empty: float32
    std::vector<float> scales;       ///< by layer: of each row of the matrix
    [[nodiscard]] bool coded() const { return !codes.empty(); }
    [[nodiscard]] std::int64_t bytes() const {
        return (std::ssize(numbers) + std::ssize(scales)) * std::int64_t{sizeof(float)} +
               std::ssize(codes);
    }
};
using StateCheckpointPtr = std::shared_ptr<const StateCheckpoint>;

/// The positions of the numbers of each layer in a checkpoint.
class CheckpointLayout {
  public:
    explicit CheckpointLayout(const StateModel& model);

    /// Bytes of a checkpoint.
    [[nodiscard]] std::int64_t bytes(StateType type) const;
    /// Returns a checkpoint with memory for all numbers, which are 0. Throws bad_alloc.
    [[nodiscard]] std::shared_ptr<StateCheckpoint> allocate(std::int64_t position,
                                                            StateType type) const;
    /// Stores the state of a layer: `columns` [kernel - 1, channels], `matrix` [valueHeads, keyDim,
    /// valueDim].
    void write(StateCheckpoint& into, int layer, const float* columns, const float* matrix) const;
    /// Columns of a layer. @pre the checkpoint has numbers
    [[nodiscard]] const float* columns(const StateCheckpoint& from, int layer) const;
    /// Reads the matrix of a layer. @pre the checkpoint has numbers
    void readMatrix(const StateCheckpoint& from, int layer, float* matrix) const;
    /// Returns the checkpoint in float32. Throws bad_alloc.
    [[nodiscard]] StateCheckpointPtr decoded(StateCheckpointPtr checkpoint) const;
    void save(std::string& out, const StateCheckpoint& checkpoint) const;
    /// Errors: Corrupt. Throws bad_alloc.
    [[nodiscard]] Result<StateCheckpointPtr> load(ByteReader& reader) const;

  private:
    struct Layer {
        std::int64_t columns = 0;  ///< numbers of the columns
        std::int64_t matrix = 0;   ///< numbers of the matrix
        std::int64_t rowNumbers = 0;
        // Indices of its first column, matrix element, row and number in float32.
        std::int64_t columnsAt = 0, matrixAt = 0, rowsAt = 0, plainAt = 0;
        [[nodiscard]] std::int64_t rows() const {
            return rowNumbers == 0 ? 0 : matrix / rowNumbers;
        }
    };
    [[nodiscard]] const Layer& at(int layer) const {
        return layers_[static_cast<std::size_t>(layer)];
    }

    std::vector<Layer> layers_;
    std::int64_t columns_ = 0, matrix_ = 0, rows_ = 0;  ///< of all layers
};

/// Reason of a checkpoint, by increasing use.
enum class CheckpointReason : std::uint8_t {
    Regular,     ///< within a long text
    Message,     ///< where a message begins
    Divergence,  ///< where two texts have parted
};

/// Checkpoints kept on request. Where they exceed the limit, the least useful one is evicted: that
/// with the smallest product of the tokens that would be read again without it, its uses, and the
/// weight of its reason (1, 4, 16); of equal ones the oldest.
class CheckpointPool {
  public:
    /// Uses are counted up to this number.
    static constexpr std::int64_t kMaxUses = std::int64_t{1} << 20;
    struct Kept {
        StateCheckpointPtr checkpoint;
        CheckpointReason reason = CheckpointReason::Message;
        std::int64_t uses = 1;
        [[nodiscard]] std::int64_t position() const { return checkpoint->position; }
    };
    /// Evicts what exceeds the limit.
    void setLimit(std::int64_t bytes);
    [[nodiscard]] std::int64_t limit() const { return limit_; }
    /// Prevents that the next `count` calls of keep() allocate. Throws bad_alloc.
    void reserve(std::size_t count) { kept_.reserve(kept_.size() + count); }
    /// Keeps a checkpoint unless there is one at its position, whose reason becomes the more useful
    /// of both.
    void keep(Kept kept);
    /// Keeps saved ones, raising the limit if they exceed it.
    void adopt(std::vector<Kept> kept);
    /// Raises the reason of the checkpoint at a position. Returns false if there is none.
    bool raise(std::int64_t position, CheckpointReason reason);
    /// Returns the newest one up to `length`, or null.
    [[nodiscard]] const Kept* newestWithin(std::int64_t length) const;
    /// Returns the checkpoint of exactly this position and counts a use, or null.
    [[nodiscard]] StateCheckpointPtr use(std::int64_t position);
    void dropAfter(std::int64_t length);
    void clear() { kept_.clear(); }
    [[nodiscard]] const std::vector<Kept>& all() const { return kept_; }  ///< ascending
    [[nodiscard]] std::int64_t bytes() const;

  private:
    void evict();

    std::vector<Kept> kept_;  ///< ascending
    std::int64_t limit_ = 0;
};

}  // namespace lacuna
