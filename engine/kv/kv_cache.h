#pragma once
/// \file
/// What a run remembers: keys and values of one sequence, all layers, with logical positions and an
/// additive bias per slot. Heads may hold different numbers of slots (ragged). KvCache is what
/// every kind answers to: append, view, rollback, stats, save. What only some can do are facets,
/// handed out by the cache or null.
///
/// Two counts that never mix: `offset()` is the logical length (tokens ever seen, next RoPE
/// position); a head's slots are its physical length. Compaction changes slots, never the offset.
///
/// A step appends in a transaction: beginAppend (all allocation, may fail), writeLayer for each
/// layer, commitAppend or abortAppend. Owned by the engine thread. Every
/// change takes full effect or none: docs/cache-contracts.md, "Operations".

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

/// Which rows of rotated codes are kept in 16 bits as well: those of the first and the newest
/// tokens (docs/number-formats.md, "The window of 16 bits").
struct ExactWindow {
    int newest = 0;  ///< tokens up to the one that asks, itself included; 0: no row is
    int first = 0;   ///< tokens from the beginning
    /// Whether a query at `asking` is to see the row of the token at `position` exactly.
    [[nodiscard]] bool covers(std::int64_t position, std::int64_t asking) const {
        return position < first || position > asking - newest;
    }
    friend bool operator==(const ExactWindow&, const ExactWindow&) = default;
};

struct KvShape {
    int layers = 0;
    int kvHeads = 0;
    int keyDim = 0;
    int valueDim = 0;
    DType type = DType::F16;  ///< F32, F16 or BF16
    KvQuant keyQuant = {};    ///< keys and values choose on their own
    KvQuant valueQuant = {};
    /// What rotated rows are turned by; null: rotations from a seed, the same for every model.
    std::shared_ptr<const CalibratedRotations> rotations = {};
    ExactWindow exact = {};  ///< where rows are rotated
    [[nodiscard]] bool keepsExact() const { return rotated() && exact.newest > 0; }
    [[nodiscard]] bool rotated() const { return keyQuant.rotated() || valueQuant.rotated(); }
    /// Rotations are equal when their numbers are.
    friend bool operator==(const KvShape& a, const KvShape& b);
};

/// What the rows of rotated codes of a cache that is loaded are to be from now on.
struct RowsInUse {
    std::optional<ExactWindow> exact = {};  ///< kept in 16 bits; nothing: as in the file
    /// The calibrated ones in use, or null.
    std::shared_ptr<const CalibratedRotations> rotations = {};
};

/// Which tokens a cache keeps.
enum class KvKind { Dense, Evicting, Rotating, List };

/// Where a row in 16 bits lies.
struct ExactPlace {
    std::int32_t slot = 0;
    std::int32_t place = 0;  ///< in `held`, or from -1 downwards in `run`
    friend bool operator==(const ExactPlace&, const ExactPlace&) = default;
};

/// Rows that a head has in 16 bits alongside their codes: f16 in the rotated basis, the key and
/// then the value, each only where its format is rotated.
struct ExactView {
    const ExactPlace* places = nullptr;  ///< [count], ascending slots
    int count = 0;
    const std::byte* held = nullptr;
    const std::byte* run = nullptr;  ///< of the running append
    int keyBytes = 0;
    int valueBytes = 0;
    ExactWindow window;
    [[nodiscard]] const std::byte* key(const ExactPlace& at) const {
        const std::int64_t bytes = std::int64_t{keyBytes} + valueBytes;
        return at.place >= 0 ? held + at.place * bytes : run + (-1 - at.place) * bytes;
    }
    [[nodiscard]] const std::byte* value(const ExactPlace& at) const { return key(at) + keyBytes; }
    /// Those of slots [first, first + slots).
    [[nodiscard]] std::span<const ExactPlace> within(int first, int slots) const;
};

/// One head as the attention kernel reads it. Valid until the cache changes.
struct KvHeadView {
    DType type = DType::F16;
    const std::byte* keys = nullptr;          ///< [slots, keyDim], rotated at their own positions
    const std::byte* values = nullptr;        ///< [slots, valueDim]
    int slots = 0;                            ///< rows of the running append included
    const std::int32_t* positions = nullptr;  ///< [slots] or null: slot j holds position j
    /// [slots] added to the scaled score, or null: all 0. Minus infinity marks a hole: a slot that
    /// an eviction freed and the next single token may take. Without holes slots ascend in time.
    const float* bias = nullptr;
    /// Not plain: rows are read with readKeys and readValues (row_format.h).
    KvQuant keyQuant = {};
    KvQuant valueQuant = {};
    /// A query at q sees p < keep and p > q - window; 0: everything up to q. Comes with positions.
    int window = 0;
    int keep = 0;
    /// What rows of rotated codes were rotated by; null where they are not. A code stands for a row
    /// in the rotated basis, readKeys and readValues turn it back.
    const Rotation* keyRotation = nullptr;
    const Rotation* valueRotation = nullptr;
    ExactView exact = {};  ///< empty where no row is rotated
};

/// What a cache holds to, as it is now; what only some kinds can do is asked of KvCache's facets.
struct KvCapabilities {
    KvKind kind = KvKind::Dense;
    bool holdsEveryToken = true;  ///< every layer has the rows of all tokens as they were appended
    int windowSize = 0;           ///< tokens a rotating cache keeps; 0: all
    int windowKeep = 0;           ///< first tokens among them that never go
    int rollbackLimit = 0;        ///< newest tokens that can be removed exactly
    std::string whyNoRollback;    ///< empty when everything can be rolled back
    int trimLimit = 0;            ///< what trim can remove; 0 once tokens were dropped for good
    [[nodiscard]] bool canTrim(int tokens) const { return tokens >= 0 && tokens <= trimLimit; }
};

/// What becomes of one (layer, head).
struct HeadCompaction {
    SlotMarks keep;             ///< slots that stay; of no slots: the head is left alone
    std::vector<float> bias;    ///< [kept], ascending slots: the new bias, or empty: as it was
    std::vector<float> values;  ///< [kept, valueDim] new values, or empty: as they were
    [[nodiscard]] bool touched() const { return keep.slots() > 0; }
    friend bool operator==(const HeadCompaction&, const HeadCompaction&) = default;
};

/// One transaction over all layers; index layer * kvHeads + head. An eviction is one without new
/// biases and values.
struct CompactionPlan {
    std::vector<HeadCompaction> heads;
    /// Newest tokens that every head keeps as they are, as far as the caller vouches for it: a
    /// rollback may take them back afterwards.
    std::int64_t verbatim = 0;
    [[nodiscard]] bool touched() const;  ///< whether any head is
};

/// What a policy is shown alongside keys and values. Called during a step.
class QueryObserver {
  public:
    virtual ~QueryObserver() = default;
    /// Whether observeInputs does anything.
    [[nodiscard]] virtual bool wantsInputs() const { return false; }
    /// `inputs` [tokens, hidden], what the query, key and value matrices are multiplied with;
    /// before the queries of the same layer.
    virtual void observeInputs(LayerIndex /*layer*/, View<const float, 2> /*inputs*/,
                               Position /*first*/) {}
    /// `queries` [tokens, heads, keyDim] after RoPE, unscaled; token i stands at `first + i`.
    virtual void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) = 0;
};

class KvCache;

/// Of a cache whose slots can be dropped or replaced.
class Compactable {
  public:
    /// Applies a compaction, all heads or none, by moving what stays together. Errors:
    /// InvalidArgument (a plan that does not fit, naming the head; speculation is open),
    /// Unsupported (a layer that keeps a window, naming it), NoMemory.
    [[nodiscard]] virtual Status apply(const CompactionPlan& plan) = 0;
    /// The same without moving a row, where the plan only drops slots: they become holes. tidy()
    /// closes the holes that later tokens do not fill.
    [[nodiscard]] virtual Status applyInPlace(const CompactionPlan& plan, ThreadPool& pool) = 0;
    /// Moves rows of at least `bytes`, if there is so much to do, to close holes, and gives the
    /// memory after them back. True while more is to be done. Holes of up to an eleventh of a
    /// head, or little more than one growth quantum, are left for coming tokens unless `all`, which
    /// puts slots into the order of time as well. Between steps only.
    [[nodiscard]] virtual bool tidy(std::int64_t bytes, ThreadPool& pool, bool all) = 0;
    /// What an eviction needs is kept up as rows are appended from now on, so that it finds it:
    /// lengths of keys, and columns for positions and holes. Without this call no append does any
    /// of it.
    virtual void keepNorms() = 0;

  protected:
    ~Compactable() = default;
};

struct SlotState;  // engine/kv/slot/slot_state.h

/// Of a cache that another thread can compact while this one goes on.
class Snapshots {
  public:
    /// The cache as it is now, sharing its memory: no row is copied before one of the two would
    /// write where the other reads. To be read, compacted and followed on another thread. Layers
    /// with a window show no rows in it, and it is neither appended to nor saved then. Errors:
    /// InvalidArgument (inside an append, or holes are left to tidy), NoMemory.
    [[nodiscard]] virtual Result<std::unique_ptr<KvCache>> snapshot() = 0;
    /// Takes over the tokens that `longer` has and this cache lacks. This cache is a snapshot of
    /// it, compacted since; `longer` is the original or a later snapshot. Errors: Incompatible (the
    /// original went back into the tokens of the first snapshot, or was compacted), NoMemory.
    [[nodiscard]] virtual Status follow(KvCache& longer) = 0;
    /// Becomes `successor`, which followed this cache up to now: all heads or none, by exchanging
    /// pointers. What this cache was is left in it, to be dropped wherever that does no harm.
    /// Errors: Incompatible, InvalidArgument (speculation is open).
    [[nodiscard]] virtual Status adopt(KvCache& successor) = 0;
    /// The slots that are shared, for follow and adopt of another cache; null inside an append.
    [[nodiscard]] virtual SlotState* sharedSlots() = 0;

  protected:
    ~Snapshots() = default;
};

/// A span of tokens that may be taken back, whatever the kind.
class Speculation {
  public:
    /// Opens the span over up to `most` tokens. Errors: InvalidArgument (negative, or one is open
    /// already).
    [[nodiscard]] virtual Status begin(int most) = 0;
    /// Takes the newest tokens of the open span back. Errors: InvalidArgument (no span is open, or
    /// fewer tokens were appended in it, or more than announced).
    [[nodiscard]] virtual Status rewind(int tokens) = 0;
    /// Closes the span; its tokens stay. Errors: InvalidArgument (none is open).
    [[nodiscard]] virtual Status commit() = 0;

  protected:
    ~Speculation() = default;
};

struct LayerPlan;  // engine/kv/cache_list.h

class KvCache {
  public:
    virtual ~KvCache() = default;
    [[nodiscard]] virtual const KvShape& shape() const = 0;
    [[nodiscard]] virtual KvCapabilities capabilities() const = 0;
    [[nodiscard]] virtual KvStats stats() const = 0;  ///< O(layers x heads), touches no key
    [[nodiscard]] virtual Position offset() const = 0;
    /// Slots that hold a token; holes do not count.
    [[nodiscard]] virtual int slots(LayerIndex layer, HeadIndex head) const = 0;
    /// Slots of the largest head.
    [[nodiscard]] int size() const { return stats().slotsLargestHead; }
    /// Whether nothing can be attended to; memory may be allocated all the same.
    [[nodiscard]] bool empty() const { return size() == 0; }

    /// Reserves room for `tokens` more in every head. On NoMemory nothing has changed.
    [[nodiscard]] virtual Status beginAppend(int tokens) = 0;
    /// `keys` [tokens, kvHeads, keyDim] rotated, `values` [tokens, kvHeads, valueDim].
    /// Many rows that must be coded are shared out by heads where a pool is lent; what is written
    /// does not depend on it.
    /// @pre inside an append of exactly these many tokens
    virtual void writeLayer(LayerIndex layer, View<const float, 3> keys,
                            View<const float, 3> values, ThreadPool* pool = nullptr) = 0;
    virtual void commitAppend() = 0;
    virtual void abortAppend() = 0;

    /// Inside an append, a layer already written shows the new rows at the tail.
    [[nodiscard]] virtual KvHeadView head(LayerIndex layer, HeadIndex head) const = 0;
    /// Euclidean lengths of the stored keys of one head, [slots]. Computed for slots not asked
    /// about before, then kept. Different heads may be asked from different threads. Never inside
    /// an append.
    [[nodiscard]] virtual std::span<const float> keyNorms(LayerIndex layer, HeadIndex head) = 0;

    /// Removes the newest `tokens`. Errors: InvalidArgument (negative), Unsupported (beyond
    /// rollbackLimit, saying so). More than there are removes all.
    [[nodiscard]] virtual Status rollback(int tokens) = 0;
    /// Removes the newest `tokens`, or all when there are fewer, and says how many went: 0 where
    /// tokens were dropped before (window passed, compacted). Errors: InvalidArgument (negative).
    [[nodiscard]] Result<int> trim(int tokens);

    /// Deep copy; costs one copy of the live slots. Errors: NoMemory.
    [[nodiscard]] virtual Result<std::unique_ptr<KvCache>> clone() const = 0;
    /// A cache of its own that goes on from here as this one may, over the same memory: no row is
    /// copied before one of the two would write where the other reads. Rows of a window, which are
    /// overwritten, and rows in 16 bits are copied at once. Errors: InvalidArgument (speculation is
    /// open), NoMemory.
    [[nodiscard]] virtual Result<std::unique_ptr<KvCache>> share() = 0;
    /// Calls `visit` with each block of memory that holds rows and the bytes of it that are live.
    /// Caches that share a block name the same one; what is in no block is not shared.
    using BlockVisitor = std::function<void(const void* block, std::int64_t bytes)>;
    virtual void visitBlocks(const BlockVisitor& visit) const = 0;
    /// Valid slots and every scalar needed to continue, never headroom. Formats: slot_state.h,
    /// window_state.h.
    /// Errors: InvalidArgument (speculation is open, or a snapshot without rows in some layers).
    [[nodiscard]] virtual Result<std::string> save() const = 0;
    /// Aborts the program when an invariant is broken; called in tests and debug builds.
    virtual void checkInvariants() const = 0;

    // Facets: parts of this cache that live as long as it does; null where its kind has none.
    [[nodiscard]] virtual Speculation& speculation() = 0;
    [[nodiscard]] virtual Compactable* compactable() { return nullptr; }
    [[nodiscard]] virtual Snapshots* snapshots() { return nullptr; }
    /// What each layer remembers, where layers differ.
    [[nodiscard]] virtual const std::vector<LayerPlan>* layerPlans() const { return nullptr; }
};

/// A compaction of any kind of cache, in place where it only drops slots. Errors: as
/// Compactable::applyInPlace; Unsupported (the kind cannot and the plan touches a head).
[[nodiscard]] Status compactInPlace(KvCache& cache, const CompactionPlan& plan, ThreadPool& pool);
/// Compactable::tidy of any kind of cache: what cannot be compacted has nothing to tidy.
[[nodiscard]] bool tidyCache(KvCache& cache, std::int64_t bytes, ThreadPool& pool,
                             bool all = false);

}  // namespace lacuna
