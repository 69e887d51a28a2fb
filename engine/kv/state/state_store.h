#pragma once
/// \file
/// The states of all recurrent layers of one sequence. A state cannot be cut like rows, so the
/// store keeps automatic checkpoints and the inputs of the tokens since the oldest of them: a
/// length in between is reached by running the mixers again over these inputs, which gives the same
/// bits. Further checkpoints are kept on request (state_checkpoint.h). Owned by one thread.
/// docs/cache-contracts.md, "Recurrent state".

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/kv/state/state_checkpoint.h"
#include "engine/recurrent/mixer.h"

namespace lacuna {

struct StateOptions {
    /// Tokens between automatic checkpoints; this many newest tokens can always be removed.
    int spacing = 32;
};

/// Bytes of a store by use. Checkpoints may be shared with copies of the store.
struct StateBytes {
    std::int64_t current = 0;    ///< the states after the newest token
    std::int64_t inputs = 0;     ///< columns and gates of the newest tokens
    std::int64_t automatic = 0;  ///< automatic checkpoints
    std::int64_t requested = 0;  ///< checkpoints kept on request
    /// Bytes without the checkpoints kept on request.
    [[nodiscard]] std::int64_t states() const { return current + inputs + automatic; }
    [[nodiscard]] std::int64_t total() const { return states() + requested; }
};

/// The state of one layer, for tests and comparisons.
struct LayerState {
    std::vector<float> history;  ///< [kernel - 1, channels] columns of the newest tokens
    std::vector<float> matrix;   ///< [valueHeads, keyDim, valueDim]
    friend bool operator==(const LayerState&, const LayerState&) = default;
};

class StateStore {
  public:
    /// Returns an empty store. Errors: InvalidArgument (a size that does not fit), NoMemory.
    [[nodiscard]] static Result<std::unique_ptr<StateStore>> create(
        std::shared_ptr<const StateModel> model, const StateOptions& options);

    [[nodiscard]] int layers() const { return static_cast<int>(layers_.size()); }
    [[nodiscard]] const StateModel& model() const { return *model_; }
    [[nodiscard]] std::int64_t offset() const { return offset_; }

    /// Reserves memory for `tokens` more tokens. NoMemory leaves the store unchanged.
    [[nodiscard]] Status beginAppend(int tokens);
    /// Runs the mixer of a layer over the tokens of the append: `columns` [tokens, channels],
    /// `gates` [tokens, gates], `out` [tokens, outputs].
    /// @pre inside an append, once for each layer
    void runLayer(int layer, const float* columns, const float* gates, float* out,
                  ThreadPool* pool);
    void commitAppend();
    void abortAppend();

    /// Number of newest tokens of which any number can be removed.
    [[nodiscard]] std::int64_t rollbackLimit() const { return offset_ - first_; }
    /// Tokens that must be read again to roll back to `length`: 0 if rollback reaches it, otherwise
    /// those after the nearest earlier checkpoint, or all of them.
    [[nodiscard]] std::int64_t tokensAgain(std::int64_t length) const;
    /// Removes the newest `tokens`, or all if there are fewer. Errors: InvalidArgument (negative),
    /// Unsupported (tokensAgain of the length is not 0), NoMemory.
    [[nodiscard]] Status rollback(std::int64_t tokens);

    /// Opens a span in which up to `most` tokens can be removed whatever the spacing. Errors:
    /// InvalidArgument (negative, or one is open), NoMemory.
    [[nodiscard]] Status beginSpeculation(int most);
    /// Closes it. @pre one is open
    void endSpeculation();

    /// Sets limit and format of the checkpoints kept on request; those that exceed the limit are
    /// evicted, existing ones keep their format.
    void limitCheckpoints(const StateCheckpoints& checkpoints);
    /// Keeps a checkpoint at a position that the store has reached or will reach, within the limit.
    /// Errors: InvalidArgument (a position before those that can be rebuilt), Unsupported (the
    /// limit is below one checkpoint), NoMemory.
    [[nodiscard]] Status requestCheckpoint(std::int64_t position,
                                           CheckpointReason reason = CheckpointReason::Message);
    /// Drops requests for positions that the store has not reached.
    void withdrawRequests() { awaited_.clear(); }
    void dropCheckpoints() { requested_.clear(); }
    /// Checkpoints kept on request, ascending.
    [[nodiscard]] const std::vector<CheckpointPool::Kept>& checkpoints() const {
        return requested_.all();
    }
    /// Bytes of the checkpoints that the next `tokens` tokens will add.
    [[nodiscard]] std::int64_t checkpointGrowth(std::int64_t tokens) const;

    /// Returns an independent store with the same content; checkpoints are shared, because they
    /// never change. @pre no append and no speculation is open. Errors: NoMemory.
    [[nodiscard]] Result<std::unique_ptr<StateStore>> clone() const;
    /// Returns a store with the state after the newest token and the checkpoints kept on request
    /// only: no other length can be reached without reading. @pre as clone. Errors: NoMemory.
    [[nodiscard]] Result<std::unique_ptr<StateStore>> cloneEnd() const;
    /// Bytes of cloneEnd() without these checkpoints.
    [[nodiscard]] std::int64_t endBytes() const;
    /// Saves the oldest automatic checkpoint and the inputs since, so that the rollback limit
    /// stays, and the checkpoints kept on request. @pre as clone
    [[nodiscard]] std::string save() const;
    /// Saved checkpoints stay until limitCheckpoints() is called. Errors: Corrupt, Incompatible
    /// (other mixers), NoMemory.
    [[nodiscard]] static Result<std::unique_ptr<StateStore>> load(
        std::string_view bytes, std::shared_ptr<const StateModel> model,
        const StateOptions& options);

    [[nodiscard]] StateBytes bytes() const;
    /// Calls `visit` with each checkpoint, which may be shared with copies of the store, with the
    /// rest, and with the bytes of each.
    void visitBlocks(const std::function<void(const void*, std::int64_t)>& visit) const;
    /// Bytes of a store after `tokens` tokens without checkpoints on request.
    [[nodiscard]] static std::int64_t estimateBytes(const StateModel& model,
                                                    const StateOptions& options,
                                                    std::int64_t tokens);
    /// The state after the newest token.
    [[nodiscard]] LayerState layer(int layer) const;
    /// Aborts the program if an invariant is broken.
    void checkInvariants() const;

  private:
    struct Awaited {
        std::int64_t position = 0;
        CheckpointReason reason = CheckpointReason::Message;
    };
    /// A requested checkpoint that the current append fills.
    struct Request {
        std::shared_ptr<StateCheckpoint> checkpoint;
        CheckpointReason reason = CheckpointReason::Message;
    };
    struct Layer {
        std::vector<float> columns;  ///< of tokens first_ - (kernel - 1) to offset_
        std::vector<float> gates;    ///< of tokens first_ to offset_
        std::vector<float> matrix;   ///< after `matrixAt` tokens
        std::int64_t matrixAt = 0;   ///< -1: undefined
        // of the current append
        std::vector<float> newColumns;
        std::vector<float> newGates;
    };
    /// The current append.
    struct Append {
        std::int64_t tokens = 0;
        std::int64_t first = 0;  ///< first_ after it
        std::vector<std::shared_ptr<StateCheckpoint>> automatic;
        std::vector<Request> requested;
    };

    StateStore(std::shared_ptr<const StateModel> model, const StateOptions& options);
    [[nodiscard]] const MixerShape& shape(int layer) const {
        return (*model_)[static_cast<std::size_t>(layer)].shape;
    }
    [[nodiscard]] Layer& own(int layer) { return layers_[static_cast<std::size_t>(layer)]; }
    [[nodiscard]] const Layer& own(int layer) const {
        return layers_[static_cast<std::size_t>(layer)];
    }
    [[nodiscard]] const float* columnsBefore(int layer, std::int64_t position) const;
    [[nodiscard]] const StateCheckpoint& newestWithin(std::int64_t position) const;
    void rebuild(int layer, std::int64_t position, std::vector<float>& matrix,
                 std::vector<float>& scratch, ThreadPool* pool) const;
    void fetchMatrix(int layer, ThreadPool* pool);
    [[nodiscard]] StateCheckpointPtr stateAt(std::int64_t position, StateType type) const;
    [[nodiscard]] std::int64_t firstFor(std::int64_t offset) const;
    void startAt(StateCheckpointPtr checkpoint);
    [[nodiscard]] Status loadCheckpoints(ByteReader& reader, std::int64_t offset);
    void truncate(std::int64_t length);

    std::shared_ptr<const StateModel> model_;
    StateOptions options_;
    CheckpointLayout layout_;
    StateType requestedType_ = StateType::Float32;
    std::int64_t offset_ = 0;
    std::int64_t first_ = 0;  ///< position of the oldest automatic checkpoint
    std::vector<Layer> layers_;
    std::vector<StateCheckpointPtr> automatic_;  ///< ascending
    CheckpointPool requested_;
    std::vector<Awaited> awaited_;  ///< requests for positions after offset_, ascending
    std::optional<Append> append_;
    std::optional<std::int64_t> speculation_;  ///< offset_ when it began
    std::vector<float> scratch_;
    std::vector<float> joined_;  ///< columns on both sides of the start of an append
};

}  // namespace lacuna
