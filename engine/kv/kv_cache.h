#pragma once
/// \file
/// KV cache: keys and values of one sequence, all layers, with logical positions and an additive
/// bias per slot. Heads may hold different numbers of slots (ragged). KvCache is the interface of
/// every kind: append, view, rollback, stats, save. Optional features are facets, returned by the
/// cache or null.
///
/// Two counts are kept apart: `offset()` is the logical length (tokens ever seen, next RoPE
/// position); a head's slots are its physical length. Compaction changes slots, never the offset.
///
/// A step appends in a transaction: beginAppend (all allocation, may fail), writeLayer for each
/// layer, commitAppend or abortAppend. Owned by the engine thread. Every change takes full effect
/// or none: docs/cache-contracts.md, "Operations".

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/kv/kv_values.h"
#include "engine/kv/slot_marks.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/view.h"

namespace lacuna {

class CalibratedRotations;
class Rotation;
class ThreadPool;

/// Rows of rotated codes that are also kept in 16 bits: those of the first and the newest tokens
/// (docs/number-formats.md, "The window of 16 bits").
struct ExactWindow {
    int newest = 0;  ///< number of tokens up to the querying one, inclusive; 0: no rows are kept
    int first = 0;   ///< number of tokens from the beginning
    /// Returns true if a query at `asking` must see the exact row of the token at `position`.
    [[nodiscard]] bool covers(std::int64_t position, std::int64_t asking) const {
        return position < first || position > asking - newest;
    }
    friend bool operator==(const ExactWindow&, const ExactWindow&) = default;
};

/// A KV head of a layer.
struct KvHeadLocation {
    LayerIndex layer;
    HeadIndex head;
};

/// Sizes and number formats of a cache. Its heads are numbered through all layers, those of the
/// first layer first: code that is correct for every model asks headCount, headIndex and placeOf,
/// and takes the length of a row from the extent of its layer.
struct KvShape {
    int layers = 0;
    // The extent of every layer; 0 if `extents` is set. Read by caches whose layers are equal (a
    // part of a list); all other code asks extent().
    int kvHeads = 0;
    int keyDim = 0;
    int valueDim = 0;
    DType type = DType::F16;  ///< F32, F16 or BF16
    /// Keys and values have independent formats, except that values in the keys have that of the
    /// keys.
    KvQuant keyQuant = {};
    KvQuant valueQuant = {};
    /// Rotations of rotated rows; null: derived from a seed, the same for every model.
    std::shared_ptr<const CalibratedRotations> rotations = {};
    ExactWindow exact = {};  ///< if rows are rotated
    /// [layers] if the layers differ, otherwise empty.
    std::vector<KvExtent> extents = {};
    /// Mixers of the recurrent layers, whose states the cache also holds; null: none.
    std::shared_ptr<const std::vector<MixerWeights>> states = {};
    bool valuesInKeys = false;  ///< as in the extent of every layer
    /// Returns true if all layers have the same extent.
    [[nodiscard]] bool uniform() const { return extents.empty(); }
    [[nodiscard]] KvExtent extent(LayerIndex layer) const {
        return uniform() ? KvExtent{kvHeads, keyDim, valueDim, valuesInKeys}
                         : extents[static_cast<std::size_t>(layer.value)];
    }
    /// KV heads of a layer; 0: it stores no rows.
    [[nodiscard]] int heads(LayerIndex layer) const { return extent(layer).heads; }
    /// KV heads of all layers.
    [[nodiscard]] int headCount() const { return headsBefore(layers); }
    /// Number of a head, 0 to headCount() - 1.
    [[nodiscard]] int headIndex(LayerIndex layer, HeadIndex head) const {
        return headsBefore(layer.value) + head.value;
    }
    /// The inverse of headIndex. @pre 0 <= index < headCount()
    [[nodiscard]] KvHeadLocation placeOf(int index) const;
    /// Leading numbers of a key that are plain although its other numbers are codes: those before
    /// the value, if values are in the keys.
    [[nodiscard]] int uncodedKeys() const {
        return valuesInKeys && !keyQuant.plain() ? keyDim - valueDim : 0;
    }
    /// The largest number of heads, key and value elements of a layer, each for itself.
    [[nodiscard]] KvExtent largest() const;
    [[nodiscard]] bool keepsExact() const { return rotated() && exact.newest > 0; }
    [[nodiscard]] bool rotated() const { return keyQuant.rotated() || valueQuant.rotated(); }
    /// Returns true if the keys or the values are codes.
    [[nodiscard]] bool coded() const { return !keyQuant.plain() || !valueQuant.plain(); }
    /// Rotations are compared by value, states by the sizes of their mixers.
    friend bool operator==(const KvShape& a, const KvShape& b);

  private:
    [[nodiscard]] int headsBefore(int layer) const;
};

/// Format of the rows of rotated codes in a cache that is loaded.
struct RowsInUse {
    std::optional<ExactWindow> exact = {};  ///< rows kept in 16 bits; nullopt: as in the file
    /// Calibrated rotations in use, or null.
    std::shared_ptr<const CalibratedRotations> rotations = {};
    /// Mixers of the model's recurrent layers, or null.
    std::shared_ptr<const std::vector<MixerWeights>> states = {};
};

/// Determines which tokens a cache keeps.
enum class KvKind { Dense, Evicting, Rotating, List };

/// Location of a 16-bit row.
struct ExactSlot {
    std::int32_t slot = 0;
    std::int32_t place = 0;  ///< index in `held`, or from -1 downwards in `run`
    friend bool operator==(const ExactSlot&, const ExactSlot&) = default;
};

/// Rows of a head that are kept in 16 bits besides their codes: f16 in the rotated basis, the key
/// and then the value, each only if its format is rotated. A value that is in its key follows the
/// other numbers of the key, so that both together are the key.
struct ExactView {
    const ExactSlot* places = nullptr;  ///< [count], ascending slots
    int count = 0;
    const std::byte* held = nullptr;
    const std::byte* run = nullptr;  ///< rows of the current append
    int keyBytes = 0;
    int valueBytes = 0;
    ExactWindow window;
    [[nodiscard]] const std::byte* key(const ExactSlot& at) const {
        const std::int64_t bytes = std::int64_t{keyBytes} + valueBytes;
        return at.place >= 0 ? held + at.place * bytes : run + (-1 - at.place) * bytes;
    }
    [[nodiscard]] const std::byte* value(const ExactSlot& at) const { return key(at) + keyBytes; }
    /// Places within slots [first, first + slots).
    [[nodiscard]] std::span<const ExactSlot> within(int first, int slots) const;
};

/// One head as read by the attention kernel. Valid until the cache changes.
struct KvHeadView {
    DType type = DType::F16;
    const std::byte* keys = nullptr;    ///< [slots, keyDim], with RoPE at their own positions
    const std::byte* values = nullptr;  ///< [slots, valueDim]
    std::int64_t valueStride = 0;  ///< bytes from one value to the next; 0: they are consecutive
    int slots = 0;                 ///< includes rows of the current append
    const std::int32_t* positions = nullptr;  ///< [slots] or null: slot j holds position j
    /// [slots] added to the scaled score, or null: all 0. -infinity marks a hole: a slot freed by
    /// an eviction that the next single token may take. Without holes slots are in position order.
    const float* bias = nullptr;
    /// If not plain, rows are read with readKeys and readValues (row_format.h).
    KvQuant keyQuant = {};
    KvQuant valueQuant = {};
    int uncoded = 0;  ///< leading numbers of a coded key that are plain, in 16 bits
    /// A query at q sees p < keep and p > q - window; 0: everything up to q. Requires positions.
    int window = 0;
    int keep = 0;
    /// Rotation of the numbers in rotated codes; null if they are not rotated. A code represents a
    /// row in the rotated basis; readKeys and readValues undo the rotation.
    const Rotation* keyRotation = nullptr;
    const Rotation* valueRotation = nullptr;
    ExactView exact = {};  ///< empty if no row is rotated
};

/// Current guarantees of a cache. Features that only some kinds have are facets of KvCache.
struct KvCapabilities {
    KvKind kind = KvKind::Dense;
    bool holdsEveryToken = true;  ///< every layer has the original rows of all tokens
    int windowSize = 0;           ///< number of tokens in a rotating cache; 0: all
    int windowKeep = 0;           ///< number of first tokens among them that are never dropped
    int rollbackLimit = 0;        ///< number of newest tokens that can be removed exactly
    std::string rollbackBlocker;  ///< empty if everything can be rolled back
    int trimLimit = 0;            ///< maximum number of tokens for trim; 0 once tokens were dropped
                                  ///< permanently
    [[nodiscard]] bool canTrim(int tokens) const { return tokens >= 0 && tokens <= trimLimit; }
};

/// Compaction of one (layer, head).
struct HeadCompaction {
    SlotMarks keep;           ///< slots that stay; without slots the head is not changed
    std::vector<float> bias;  ///< [kept], ascending slots: the new bias; empty: unchanged
    /// [kept, valueDim] new values; empty: unchanged, as always if values are in the keys
    std::vector<float> values;
    [[nodiscard]] bool touched() const { return keep.slots() > 0; }
    friend bool operator==(const HeadCompaction&, const HeadCompaction&) = default;
};

/// One transaction over all layers, by KvShape::headIndex. An eviction has no new biases or values.
struct CompactionPlan {
    std::vector<HeadCompaction> heads;
    /// Number of newest tokens that every head keeps unchanged, as guaranteed by the caller; a
    /// rollback may remove them afterwards.
    std::int64_t verbatim = 0;
    [[nodiscard]] bool touched() const;  ///< true if any head is changed
};

/// Receives the queries of forward passes for a policy. Called during a step.
class QueryObserver {
  public:
    virtual ~QueryObserver() = default;
    /// Returns true if observeInputs is implemented.
    [[nodiscard]] virtual bool observesInputs() const { return false; }
    /// `inputs` [tokens, hidden] of the query, key and value projections; called before the queries
    /// of the same layer.
    virtual void observeInputs(LayerIndex /*layer*/, View<const float, 2> /*inputs*/,
                               Position /*first*/) {}
    /// `queries` [tokens, heads, keyDim] after RoPE, unscaled; token i is at position `first + i`.
    /// `layer` is the one whose rows are read: it is called once for each layer that reads them,
    /// the owner first, with the same positions.
    virtual void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) = 0;
};

class KvCache;

/// Facet of a cache whose slots can be dropped or replaced.
class Compactable {
  public:
    /// Applies a compaction to all heads or none, moving the kept rows together. Errors:
    /// InvalidArgument (a plan that does not fit, naming the head; speculation is open),
    /// Unsupported (a layer with a window, naming it), NoMemory.
    [[nodiscard]] virtual Status apply(const CompactionPlan& plan) = 0;
    /// The same without moving a row, for plans that only drop slots: these become holes. tidy()
    /// closes the holes that later tokens do not fill.
    [[nodiscard]] virtual Status applyInPlace(const CompactionPlan& plan, ThreadPool& pool) = 0;
    /// Closes holes by moving rows of at least `bytes`, if there are that many, and releases the
    /// memory behind them. Returns true while work is left. Holes of up to an eleventh of a head,
    /// or slightly more than one growth quantum, are left for new tokens unless `all`, which also
    /// sorts the slots by position. Between steps only.
    [[nodiscard]] virtual bool defragment(std::int64_t bytes, ThreadPool& pool, bool all) = 0;
    /// From now on maintains what an eviction needs as rows are appended: key norms, and columns
    /// for positions and holes. Without this call no append does so.
    virtual void keepNorms() = 0;

  protected:
    ~Compactable() = default;
};

struct SlotState;  // engine/kv/slot/slot_state.h

/// Facet of a cache that another thread can compact while this one remains in use.
class Snapshots {
  public:
    /// Returns a snapshot that shares memory with the cache: no row is copied before one of the two
    /// would write to shared memory. It can be read, compacted and followed on another thread.
    /// Layers with a window have no rows in it, in which case it can be neither appended to nor
    /// saved. Errors: InvalidArgument (inside an append, or holes are left to tidy), NoMemory.
    [[nodiscard]] virtual Result<std::unique_ptr<KvCache>> snapshot() = 0;
    /// Adds the tokens that `longer` has and this cache lacks. This cache is a possibly compacted
    /// snapshot; `longer` is the original or a later snapshot. Errors: Incompatible (the original
    /// was rolled back into the tokens of the first snapshot, or was compacted), NoMemory.
    [[nodiscard]] virtual Status follow(KvCache& longer) = 0;
    /// Returns the error of adopt(successor) and changes nothing: adopt has no other errors.
    [[nodiscard]] virtual Status checkAdopt(KvCache& successor) = 0;
    /// Becomes `successor`, which has followed this cache up to now: all heads or none, by swapping
    /// pointers. `successor` then holds the old content, which can be freed wherever convenient.
    /// Errors: Incompatible, InvalidArgument (speculation is open).
    [[nodiscard]] virtual Status adopt(KvCache& successor) = 0;
    /// Shared slots, for follow and adopt of another cache: one state, or one for each part of a
    /// list without a window; empty inside an append.
    [[nodiscard]] virtual std::vector<SlotState*> sharedSlots() = 0;

  protected:
    ~Snapshots() = default;
};

/// Facet for a span of tokens that may be taken back, available for every kind.
class Speculation {
  public:
    /// Opens a span of up to `most` tokens. Errors: InvalidArgument (negative, or a span is already
    /// open).
    [[nodiscard]] virtual Status begin(int most) = 0;
    /// Removes the newest tokens of the open span. Errors: InvalidArgument (no span is open, fewer
    /// tokens were appended in it, or more than announced).
    [[nodiscard]] virtual Status rewind(int tokens) = 0;
    /// Closes the span; its tokens stay. Errors: InvalidArgument (no span is open).
    [[nodiscard]] virtual Status commit() = 0;

  protected:
    ~Speculation() = default;
};

struct LayerPlan;  // engine/kv/cache_list.h
class StateStore;  // engine/kv/state/state_store.h

class KvCache {
  public:
    virtual ~KvCache() = default;
    [[nodiscard]] virtual const KvShape& shape() const = 0;
    [[nodiscard]] virtual KvCapabilities capabilities() const = 0;
    [[nodiscard]] virtual KvStats stats() const = 0;  ///< O(layers x heads), touches no key
    [[nodiscard]] virtual Position offset() const = 0;
    /// Number of slots that hold a token; holes do not count.
    [[nodiscard]] virtual int slots(LayerIndex layer, HeadIndex head) const = 0;
    /// Number of slots of the largest head.
    [[nodiscard]] int size() const { return stats().slotsLargestHead; }
    /// Returns true if there are no tokens; memory may still be allocated.
    [[nodiscard]] bool empty() const {
        return size() == 0 && (states() == nullptr || offset().value == 0);
    }

    /// Reserves room for `tokens` more tokens in every head. NoMemory leaves the cache unchanged.
    [[nodiscard]] virtual Status beginAppend(int tokens) = 0;
    /// `keys` [tokens, heads, keyDim] with RoPE, `values` [tokens, heads, valueDim], with the
    /// extent of this layer; never called for a layer without rows, like all other functions of a
    /// layer. Values that are in the keys are not read. If a pool is passed, encoding many rows is
    /// split by heads; the result does not depend on it.
    /// @pre inside an append of exactly this many tokens
    virtual void writeLayer(LayerIndex layer, View<const float, 3> keys,
                            View<const float, 3> values, ThreadPool* pool = nullptr) = 0;
    virtual void commitAppend() = 0;
    virtual void abortAppend() = 0;

    /// Inside an append, a layer that was already written includes the new rows at the end.
    [[nodiscard]] virtual KvHeadView head(LayerIndex layer, HeadIndex head) const = 0;
    /// Euclidean norms of the stored keys of one head, [slots]. Computed on first use and then
    /// cached. Different heads may be requested from different threads. Never inside an append.
    [[nodiscard]] virtual std::span<const float> keyNorms(LayerIndex layer, HeadIndex head) = 0;

    /// Removes the newest `tokens`, or all if there are fewer. Errors: InvalidArgument (negative),
    /// Unsupported (beyond rollbackLimit, with the reason).
    [[nodiscard]] virtual Status rollback(int tokens) = 0;
    /// Returns the number of tokens that must be read again to roll back to `length`: a rollback to
    /// `length` minus this number is exact.
    [[nodiscard]] virtual std::int64_t tokensAgain(Position length) const;
    /// Removes the newest `tokens`, or all if there are fewer, and returns how many were removed; 0
    /// if tokens were dropped before (window exceeded, compacted). Errors: InvalidArgument
    /// (negative).
    [[nodiscard]] Result<int> trim(int tokens);

    /// Deep copy; costs one copy of the live slots. Errors: NoMemory.
    [[nodiscard]] virtual Result<std::unique_ptr<KvCache>> clone() const = 0;
    /// Returns an independent cache with the same content over the same memory: no row is copied
    /// before one of the two would write to shared memory. Rows of a window, which are overwritten,
    /// and 16-bit rows are copied immediately. Errors: InvalidArgument (speculation is open),
    /// NoMemory.
    [[nodiscard]] virtual Result<std::unique_ptr<KvCache>> share() = 0;
    /// Like share(), for a cache that is only stored: of recurrent layers it holds the state after
    /// the newest token and the checkpoints kept on request, so that it can be rolled back only to
    /// these.
    [[nodiscard]] virtual Result<std::unique_ptr<KvCache>> shareEnd() { return share(); }
    /// Calls `visit` with each memory block that holds rows and the number of its live bytes.
    /// Caches that share a block report the same address; memory outside of blocks is not shared.
    using BlockVisitor = std::function<void(const void* block, std::int64_t bytes)>;
    virtual void visitBlocks(const BlockVisitor& visit) const = 0;
    /// Saves valid slots and every scalar needed to continue, without headroom. Formats:
    /// slot_state.h, window_state.h. Errors: InvalidArgument (speculation is open, or a snapshot
    /// without rows in some layers).
    [[nodiscard]] virtual Result<std::string> save() const = 0;
    /// Aborts the program if an invariant is broken; called in tests and debug builds.
    virtual void checkInvariants() const = 0;

    // Facets of this cache, which live as long as it does; null if its kind lacks the feature.
    [[nodiscard]] virtual Speculation& speculation() = 0;
    /// The states of recurrent layers, which change with the cache; null if the model has none.
    [[nodiscard]] virtual StateStore* states() const { return nullptr; }
    [[nodiscard]] virtual Compactable* compactable() { return nullptr; }
    [[nodiscard]] virtual Snapshots* snapshots() { return nullptr; }
    /// Plans of the layers, if these differ; otherwise null.
    [[nodiscard]] virtual const std::vector<LayerPlan>* layerPlans() const { return nullptr; }
};

/// Compacts any kind of cache, in place if the plan only drops slots. Errors: as
/// Compactable::applyInPlace; Unsupported (the kind cannot be compacted and the plan changes a
/// head).
[[nodiscard]] Status compactInPlace(KvCache& cache, const CompactionPlan& plan, ThreadPool& pool);
/// Compactable::tidy for any kind of cache; a cache that cannot be compacted has nothing to tidy.
[[nodiscard]] bool defragmentCache(KvCache& cache, std::int64_t bytes, ThreadPool& pool,
                                   bool all = false);

}  // namespace lacuna
