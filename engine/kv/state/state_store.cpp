#include "engine/kv/state/state_store.h"

#include <algorithm>
#include <new>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/kv/state_words.h"

namespace lacuna {
namespace {

constexpr std::string_view kStateMagic = "LACUNARS";
constexpr std::uint32_t kStateVersion = 2;
/// Version without checkpoints kept on request.
constexpr std::uint32_t kBareStateVersion = 1;

std::size_t asSize(std::int64_t n) {
    return static_cast<std::size_t>(n);
}

tl::unexpected<Error> noMemory(const char* what) {
    return fail(ErrorCode::NoMemory, format("there is not enough memory for {}", what));
}

/// Appends rows and removes `dropped` numbers at the front.
void moveRows(std::vector<float>& held, std::int64_t dropped, std::vector<float>& added) {
    held.erase(held.begin(), held.begin() + dropped);
    held.insert(held.end(), added.begin(), added.end());
    added.clear();
}

void putNumbers(std::string& out, std::span<const float> numbers) {
    out.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

bool readNumbers(ByteReader& reader, std::vector<float>& numbers, std::int64_t count) {
    const auto bytes = reader.take(static_cast<std::uint64_t>(count) * sizeof(float));
    if (!bytes) return false;
    numbers.resize(asSize(count));
    std::copy(bytes->begin(), bytes->end(), std::as_writable_bytes(std::span(numbers)).begin());
    return true;
}

void putMixer(std::string& out, const MixerShape& shape) {
    putWord(out, static_cast<std::uint32_t>(shape.kind));
    for (const int size : {shape.kernel, shape.width, shape.keyHeads, shape.valueHeads,
                           shape.keyDim, shape.valueDim, static_cast<int>(shape.order)})
        putWord(out, static_cast<std::int32_t>(size));
}

}  // namespace

StateStore::StateStore(std::shared_ptr<const StateModel> model, const StateOptions& options)
    : model_(std::move(model)), options_(options), layout_(*model_), layers_(model_->size()) {
    for (int i = 0; i < layers(); ++i) {
        own(i).columns.assign(asSize(shape(i).historyNumbers()), 0.0F);
        own(i).matrix.assign(asSize(shape(i).matrixNumbers()), 0.0F);
    }
    automatic_.push_back(std::make_shared<const StateCheckpoint>());
}

Result<std::unique_ptr<StateStore>> StateStore::create(std::shared_ptr<const StateModel> model,
                                                       const StateOptions& options) {
    if (options.spacing < 1)
        return fail(ErrorCode::InvalidArgument,
                    format("checkpoints every {} tokens, expected 1 or more", options.spacing));
    for (const MixerWeights& one : *model) LACUNA_TRY_STATUS(one.shape.check());
    try {
        return std::unique_ptr<StateStore>(new StateStore(std::move(model), options));
    } catch (const std::bad_alloc&) {
        return noMemory("the states of a sequence");
    }
}

/// Columns of the kernel - 1 tokens before `position`, which is one of first_ to offset_.
const float* StateStore::columnsBefore(int layer, std::int64_t position) const {
    return own(layer).columns.data() + (position - first_) * shape(layer).channels();
}

/// Returns the newest automatic checkpoint up to `position`. @pre position >= first_
const StateCheckpoint& StateStore::newestWithin(std::int64_t position) const {
    const auto after = std::ranges::find_if(
        automatic_, [position](const auto& one) { return one->position > position; });
    return **std::prev(after);
}

/// Computes the matrix of a layer after `position` tokens. @pre first_ <= position <= offset_
void StateStore::rebuild(int layer, std::int64_t position, std::vector<float>& matrix,
                         std::vector<float>& scratch, ThreadPool* pool) const {
    const MixerShape& sizes = shape(layer);
    if (sizes.matrixNumbers() == 0) return;
    const StateCheckpoint& from = newestWithin(position);
    matrix.assign(asSize(sizes.matrixNumbers()), 0.0F);
    if (!from.numbers.empty()) layout_.readMatrix(from, layer, matrix.data());
    const std::int64_t tokens = position - from.position;
    if (std::ssize(scratch) < mixerScratch(sizes, tokens))
        scratch.resize(asSize(mixerScratch(sizes, tokens)));
    const float* const history = columnsBefore(layer, from.position);
    runMixer((*model_)[asSize(layer)],
             {.history = history,
              .columns = history + sizes.historyNumbers(),
              .gates = own(layer).gates.data() + (from.position - first_) * sizes.gates(),
              .matrix = matrix.data(),
              .out = nullptr,
              .tokens = tokens},
             scratch, pool);
}

void StateStore::fetchMatrix(int layer, ThreadPool* pool) {
    if (own(layer).matrixAt == offset_) return;
    rebuild(layer, offset_, own(layer).matrix, scratch_, pool);
    own(layer).matrixAt = offset_;
}

/// @pre first_ <= position <= offset_
StateCheckpointPtr StateStore::stateAt(std::int64_t position, StateType type) const {
    if (type == StateType::Float32) {
        const auto held = std::ranges::find(automatic_, position, &StateCheckpoint::position);
        if (held != automatic_.end()) return *held;
    }
    const auto made = layout_.allocate(position, type);
    std::vector<float> rebuilt;
    std::vector<float> scratch;
    for (int i = 0; i < layers(); ++i) {
        const bool current = position == offset_ && own(i).matrixAt == offset_;
        if (!current) rebuild(i, position, rebuilt, scratch, nullptr);
        layout_.write(*made, i, columnsBefore(i, position),
                      current ? own(i).matrix.data() : rebuilt.data());
    }
    return made;
}

/// Oldest length that must stay in reach when the store has `offset` tokens.
std::int64_t StateStore::firstFor(std::int64_t offset) const {
    const std::int64_t whole = offset / options_.spacing - 1;
    const std::int64_t regular = std::max<std::int64_t>(whole, 0) * options_.spacing;
    return std::min(regular, speculation_.value_or(regular));
}

Status StateStore::beginAppend(int tokens) {
    LACUNA_REQUIRE(!append_ && tokens >= 0, "one append at a time");
    const std::int64_t end = offset_ + tokens;
    const std::int64_t oldest = firstFor(end);
    try {
        Append append;
        append.tokens = tokens;
        const std::int64_t spacing = options_.spacing;
        const std::int64_t newest = end / spacing * spacing;
        for (std::int64_t at = std::max(newest - spacing, std::int64_t{0}); at <= newest;
             at += spacing)
            if (at > offset_) append.automatic.push_back(layout_.allocate(at, StateType::Float32));
        for (const Awaited& one : awaited_)
            if (one.position <= end)
                append.requested.push_back(
                    {layout_.allocate(one.position, requestedType_), one.reason});
        append.first = newestWithin(std::clamp(oldest, first_, offset_)).position;
        for (const auto& one : append.automatic)
            if (one->position <= oldest) append.first = one->position;
        std::int64_t scratch = 0;
        std::int64_t joined = 0;
        for (int i = 0; i < layers(); ++i) {
            Layer& layer = own(i);
            const MixerShape& sizes = shape(i);
            const std::int64_t columns =
                std::min<std::int64_t>(tokens, end - append.first + sizes.kernel - 1);
            const std::int64_t gates = std::min<std::int64_t>(tokens, end - append.first);
            layer.newColumns.reserve(asSize(columns * sizes.channels()));
            layer.newGates.reserve(asSize(gates * sizes.gates()));
            layer.columns.reserve(layer.columns.size() + layer.newColumns.capacity());
            layer.gates.reserve(layer.gates.size() + layer.newGates.capacity());
            layer.matrix.reserve(asSize(sizes.matrixNumbers()));
            const bool stale = layer.matrixAt != offset_;
            scratch = std::max(scratch, mixerScratch(sizes, stale ? kMixerPiece : tokens));
            joined = std::max(joined, 2 * sizes.historyNumbers());
        }
        joined_.reserve(asSize(joined));
        if (std::ssize(scratch_) < scratch) scratch_.resize(asSize(scratch));
        automatic_.reserve(automatic_.size() + append.automatic.size());
        requested_.reserve(append.requested.size());
        append_ = std::move(append);
    } catch (const std::bad_alloc&) {
        return noMemory("recurrent states of more tokens");
    }
    return {};
}

void StateStore::runLayer(int index, const float* columns, const float* gates, float* out,
                          ThreadPool* pool) {
    LACUNA_REQUIRE(append_.has_value(), "a layer runs inside an append");
    Layer& layer = own(index);
    const MixerShape& sizes = shape(index);
    const std::int64_t history = sizes.historyNumbers();
    const std::int64_t tokens = append_->tokens;
    fetchMatrix(index, pool);
    layer.matrixAt = -1;

    // The columns before token t of the run: of the store, of the run, or of both.
    joined_.assign(columnsBefore(index, offset_), columnsBefore(index, offset_) + history);
    joined_.insert(joined_.end(), columns,
                   columns + std::min<std::int64_t>(sizes.kernel - 1, tokens) * sizes.channels());
    const auto before = [&](std::int64_t t) {
        return t < sizes.kernel - 1 ? joined_.data() + t * sizes.channels()
                                    : columns + (t - sizes.kernel + 1) * sizes.channels();
    };
    std::vector<StateCheckpoint*> stops;
    for (const auto& one : append_->automatic) stops.push_back(one.get());
    for (const Request& one : append_->requested) stops.push_back(one.checkpoint.get());
    std::ranges::sort(stops, {}, &StateCheckpoint::position);
    std::int64_t done = 0;
    const auto runUntil = [&](std::int64_t end) {
        runMixer((*model_)[asSize(index)],
                 {.history = before(done),
                  .columns = columns + done * sizes.channels(),
                  .gates = gates + done * sizes.gates(),
                  .matrix = layer.matrix.data(),
                  .out = out + done * sizes.outputs(),
                  .tokens = end - done},
                 scratch_, pool);
        done = end;
    };
    for (StateCheckpoint* const stop : stops) {
        runUntil(stop->position - offset_);
        layout_.write(*stop, index, before(done), layer.matrix.data());
    }
    runUntil(tokens);

    const auto keep = [&](std::vector<float>& into, const float* rows, std::int64_t width,
                          std::int64_t from) {
        const std::int64_t skipped = std::max<std::int64_t>(from - offset_, 0);
        into.assign(rows + std::min(skipped, tokens) * width, rows + tokens * width);
    };
    keep(layer.newColumns, columns, sizes.channels(), append_->first - sizes.kernel + 1);
    keep(layer.newGates, gates, sizes.gates(), append_->first);
}

void StateStore::commitAppend() {
    LACUNA_REQUIRE(append_.has_value(), "an append is open");
    const Append append = *std::exchange(append_, std::nullopt);
    const std::int64_t end = offset_ + append.tokens;
    for (int i = 0; i < layers(); ++i) {
        Layer& layer = own(i);
        const std::int64_t dropped = append.first - first_;
        moveRows(layer.columns, std::min(dropped * shape(i).channels(), std::ssize(layer.columns)),
                 layer.newColumns);
        moveRows(layer.gates, std::min(dropped * shape(i).gates(), std::ssize(layer.gates)),
                 layer.newGates);
        LACUNA_REQUIRE(append.tokens == 0 || layer.matrixAt == -1, "every layer has run");
        if (append.tokens > 0) layer.matrixAt = end;
    }
    for (const auto& one : append.automatic) automatic_.push_back(one);
    std::erase_if(automatic_, [&](const auto& one) { return one->position < append.first; });
    first_ = append.first;
    offset_ = end;
    for (const Request& one : append.requested) requested_.keep({one.checkpoint, one.reason});
    std::erase_if(awaited_, [end](const Awaited& one) { return one.position <= end; });
}

void StateStore::abortAppend() {
    append_.reset();
    for (Layer& layer : layers_) {
        layer.newColumns.clear();
        layer.newGates.clear();
    }
}

std::int64_t StateStore::tokensAgain(std::int64_t length) const {
    if (length >= first_) return 0;
    const CheckpointPool::Kept* const nearest = requested_.newestWithin(length);
    return nearest == nullptr ? length : length - nearest->position();
}

Status StateStore::rollback(std::int64_t tokens) {
    LACUNA_REQUIRE(!append_, "no rollback inside an append");
    if (tokens < 0)
        return fail(ErrorCode::InvalidArgument,
                    format("rollback of {} tokens, expected 0 or more", tokens));
    if (tokens == 0) return {};
    const std::int64_t length = offset_ - std::min(tokens, offset_);
    if (const std::int64_t again = tokensAgain(length); again > 0)
        return fail(ErrorCode::Unsupported,
                    format("rollback of {} tokens: the recurrent layers can go back {} tokens; for "
                           "more, {} tokens have to be read again",
                           tokens, rollbackLimit(), again));
    if (length >= first_) {
        truncate(length);
    } else {
        try {
            StateCheckpointPtr held = requested_.use(length);
            startAt(held != nullptr ? layout_.decoded(std::move(held))
                                    : std::make_shared<const StateCheckpoint>());
        } catch (const std::bad_alloc&) {
            return noMemory("the states of a checkpoint");
        }
    }
    requested_.dropAfter(length);
    awaited_.clear();  // they were positions of another text
    return {};
}

/// @pre first_ <= length <= offset_
void StateStore::truncate(std::int64_t length) {
    for (int i = 0; i < layers(); ++i) {
        own(i).columns.resize(
            asSize((length - first_) * shape(i).channels() + shape(i).historyNumbers()));
        own(i).gates.resize(asSize((length - first_) * shape(i).gates()));
        if (own(i).matrixAt > length) own(i).matrixAt = -1;
    }
    std::erase_if(automatic_, [length](const auto& one) { return one->position > length; });
    offset_ = length;
}

/// The store holds `checkpoint` and nothing since. @pre it is in float32
void StateStore::startAt(StateCheckpointPtr checkpoint) {
    offset_ = first_ = checkpoint->position;
    for (int i = 0; i < layers(); ++i) {
        const std::int64_t history = shape(i).historyNumbers();
        if (checkpoint->numbers.empty())
            own(i).columns.assign(asSize(history), 0.0F);
        else
            own(i).columns.assign(layout_.columns(*checkpoint, i),
                                  layout_.columns(*checkpoint, i) + history);
        own(i).gates.clear();
        own(i).matrixAt = -1;
    }
    automatic_.assign(1, std::move(checkpoint));
}

Status StateStore::beginSpeculation(int most) {
    LACUNA_REQUIRE(!append_, "no speculation begins inside an append");
    if (most < 0)
        return fail(ErrorCode::InvalidArgument,
                    format("speculation over {} tokens, expected 0 or more", most));
    if (speculation_)
        return fail(ErrorCode::InvalidArgument,
                    "speculation is open already; commit it before the next one");
    // A checkpoint where it begins makes a rewind cheap: only accepted tokens are computed again.
    if (automatic_.back()->position != offset_) {
        try {
            for (int i = 0; i < layers(); ++i) fetchMatrix(i, nullptr);
            automatic_.push_back(stateAt(offset_, StateType::Float32));
        } catch (const std::bad_alloc&) {
            return noMemory("the state before speculative tokens");
        }
    }
    speculation_ = offset_;
    return {};
}

void StateStore::endSpeculation() {
    LACUNA_REQUIRE(speculation_.has_value(), "a speculation is open");
    const std::int64_t start = *std::exchange(speculation_, std::nullopt);
    if (start % options_.spacing != 0 && start != first_)
        std::erase_if(automatic_, [start](const auto& one) { return one->position == start; });
}

void StateStore::limitCheckpoints(const StateCheckpoints& checkpoints) {
    requestedType_ = checkpoints.type;
    requested_.setLimit(checkpoints.bytes);
}

Status StateStore::requestCheckpoint(std::int64_t position, CheckpointReason reason) {
    LACUNA_REQUIRE(!append_, "no checkpoint is requested inside an append");
    if (requested_.raise(position, reason)) return {};
    const std::int64_t bytes = layout_.bytes(requestedType_);
    if (bytes > requested_.limit())
        return fail(ErrorCode::Unsupported,
                    format("a checkpoint takes {} bytes, more than the limit of {}", bytes,
                           requested_.limit()));
    if (position < first_)
        return fail(
            ErrorCode::InvalidArgument,
            format("checkpoint at {}: the states before {} were dropped", position, first_));
    try {
        if (position > offset_) {
            const auto after = std::ranges::lower_bound(awaited_, position, {}, &Awaited::position);
            if (after == awaited_.end() || after->position != position)
                awaited_.insert(after, {position, reason});
            else
                after->reason = std::max(after->reason, reason);
        } else if (position > 0) {
            requested_.reserve(1);
            // The next append needs these matrices as well.
            if (position == offset_)
                for (int i = 0; i < layers(); ++i) fetchMatrix(i, nullptr);
            requested_.keep({stateAt(position, requestedType_), reason});
        }
    } catch (const std::bad_alloc&) {
        return noMemory("a checkpoint");
    }
    return {};
}

std::int64_t StateStore::checkpointGrowth(std::int64_t tokens) const {
    const auto near = std::ranges::count_if(
        awaited_, [end = offset_ + tokens](const Awaited& one) { return one.position <= end; });
    return std::min(near * layout_.bytes(requestedType_),
                    std::max<std::int64_t>(requested_.limit() - requested_.bytes(), 0));
}

Result<std::unique_ptr<StateStore>> StateStore::clone() const {
    LACUNA_REQUIRE(!append_ && !speculation_, "a copy is made between steps");
    try {
        std::unique_ptr<StateStore> copy(new StateStore(model_, options_));
        copy->offset_ = offset_;
        copy->first_ = first_;
        copy->automatic_ = automatic_;
        copy->requested_ = requested_;
        copy->requestedType_ = requestedType_;
        copy->awaited_ = awaited_;
        for (int i = 0; i < layers(); ++i) {
            copy->own(i).columns = own(i).columns;
            copy->own(i).gates = own(i).gates;
            // The matrix is rebuilt on the first use, since most copies are only stored.
            copy->own(i).matrix = {};
            copy->own(i).matrixAt = -1;
        }
        return copy;
    } catch (const std::bad_alloc&) {
        return noMemory("a copy of recurrent states");
    }
}

std::string StateStore::save() const {
    LACUNA_REQUIRE(!append_ && !speculation_, "a state is saved between steps");
    std::string out(kStateMagic);
    putWord(out, kStateVersion);
    putWord(out, static_cast<std::uint32_t>(layers()));
    for (int i = 0; i < layers(); ++i) putMixer(out, shape(i));
    putWord(out, first_);
    putWord(out, offset_);
    for (int i = 0; i < layers(); ++i) {
        const StateCheckpoint& oldest = *automatic_.front();
        putNumbers(out, own(i).columns);
        putNumbers(out, own(i).gates);
        if (first_ > 0)
            putNumbers(out, {layout_.columns(oldest, i) + shape(i).historyNumbers(),
                             asSize(shape(i).matrixNumbers())});
    }
    putWord(out, static_cast<std::uint64_t>(requested_.all().size()));
    for (const CheckpointPool::Kept& one : requested_.all()) {
        putWord(out, static_cast<std::uint32_t>(one.reason));
        putWord(out, one.uses);
        layout_.save(out, *one.checkpoint);
    }
    sealState(out);
    return out;
}

Result<std::unique_ptr<StateStore>> StateStore::load(std::string_view bytes,
                                                     std::shared_ptr<const StateModel> model,
                                                     const StateOptions& options) {
    LACUNA_TRY(const auto body, unsealState(bytes));
    ByteReader reader(body);
    LACUNA_TRY(const std::uint32_t version, readStart(reader, kStateMagic, kStateVersion));
    std::string expected;
    putWord(expected, static_cast<std::uint32_t>(model->size()));
    for (const MixerWeights& one : *model) putMixer(expected, one.shape);
    const auto found = reader.takeText(expected.size());
    if (!found || *found != expected)
        return fail(ErrorCode::Incompatible,
                    "saved cache: its recurrent layers are not those of the model");
    const auto first = reader.read<std::int64_t>();
    const auto offset = reader.read<std::int64_t>();
    // Every token has gates or columns in the file, so the remaining bytes limit their number.
    if (!first || !offset || *first < 0 || *offset < *first ||
        static_cast<std::uint64_t>(*offset - *first) > reader.remaining())
        return corruptState("the lengths of its recurrent states");
    LACUNA_TRY(auto store, create(std::move(model), options));
    try {
        auto oldest = *first > 0 ? store->layout_.allocate(*first, StateType::Float32)
                                 : std::make_shared<StateCheckpoint>();
        const std::int64_t tokens = *offset - *first;
        for (int i = 0; i < store->layers(); ++i) {
            const MixerShape& sizes = store->shape(i);
            Layer& layer = store->own(i);
            std::vector<float> matrix;
            if (!readNumbers(reader, layer.columns,
                             tokens * sizes.channels() + sizes.historyNumbers()) ||
                !readNumbers(reader, layer.gates, tokens * sizes.gates()) ||
                (*first > 0 && !readNumbers(reader, matrix, sizes.matrixNumbers())))
                return corruptState(format("it ends within recurrent layer {}", i));
            layer.matrixAt = -1;
            if (*first == 0) continue;
            store->layout_.write(*oldest, i, layer.columns.data(), matrix.data());
        }
        store->automatic_.assign(1, std::move(oldest));
        if (version > kBareStateVersion) LACUNA_TRY_STATUS(store->loadCheckpoints(reader, *offset));
    } catch (const std::bad_alloc&) {
        return noMemory("saved recurrent states");
    }
    if (reader.remaining() > 0) return corruptState("bytes after its recurrent states");
    store->first_ = *first;
    store->offset_ = *offset;
    return store;
}

/// Errors: Corrupt.
Status StateStore::loadCheckpoints(ByteReader& reader, std::int64_t offset) {
    const auto count = reader.read<std::uint64_t>();
    if (!count || *count > reader.remaining()) return corruptState("the number of its checkpoints");
    std::vector<CheckpointPool::Kept> kept;
    std::int64_t before = 0;
    for (std::uint64_t i = 0; i < *count; ++i) {
        const auto reason = reader.read<std::uint32_t>();
        const auto uses = reader.read<std::int64_t>();
        if (!reason || *reason > static_cast<std::uint32_t>(CheckpointReason::Divergence) ||
            !uses || *uses < 1 || *uses > CheckpointPool::kMaxUses)
            return corruptState("a checkpoint of its recurrent states");
        LACUNA_TRY(auto checkpoint, layout_.load(reader));
        if (checkpoint->position <= before || checkpoint->position > offset)
            return corruptState("the positions of its checkpoints");
        before = checkpoint->position;
        kept.push_back({std::move(checkpoint), static_cast<CheckpointReason>(*reason), *uses});
    }
    requested_.adopt(std::move(kept));
    return {};
}

StateBytes StateStore::bytes() const {
    constexpr std::int64_t kNumber = sizeof(float);
    StateBytes bytes;
    for (const Layer& layer : layers_) {
        bytes.current += std::ssize(layer.matrix) * kNumber;
        bytes.inputs += (std::ssize(layer.columns) + std::ssize(layer.gates)) * kNumber;
    }
    for (const auto& one : automatic_) bytes.automatic += one->bytes();
    bytes.requested = requested_.bytes();
    return bytes;
}

void StateStore::visitBlocks(const std::function<void(const void*, std::int64_t)>& visit) const {
    const StateBytes all = bytes();
    visit(this, all.current + all.inputs);
    for (const auto& one : automatic_) visit(one.get(), one->bytes());
    for (const CheckpointPool::Kept& one : requested_.all())
        visit(one.checkpoint.get(), one.checkpoint->bytes());
}

std::int64_t StateStore::estimateBytes(const StateModel& model, const StateOptions& options,
                                       std::int64_t tokens) {
    const std::int64_t spacing = options.spacing;
    const std::int64_t checkpoints = std::min<std::int64_t>(tokens / spacing, 2);
    const std::int64_t inputs = std::min(tokens, 2 * spacing - 1);
    std::int64_t numbers = 0;
    for (const MixerWeights& one : model) {
        const MixerShape& sizes = one.shape;
        numbers += sizes.matrixNumbers() + sizes.historyNumbers() +
                   inputs * (sizes.channels() + sizes.gates()) + checkpoints * sizes.stateNumbers();
    }
    return numbers * std::int64_t{sizeof(float)};
}

LayerState StateStore::layer(int index) const {
    LayerState state;
    const float* const history = columnsBefore(index, offset_);
    state.history.assign(history, history + shape(index).historyNumbers());
    if (own(index).matrixAt == offset_) {
        state.matrix = own(index).matrix;
    } else {
        std::vector<float> scratch;
        rebuild(index, offset_, state.matrix, scratch, nullptr);
    }
    return state;
}

void StateStore::checkInvariants() const {
    LACUNA_REQUIRE(0 <= first_ && first_ <= offset_, "the inputs end at the newest token");
    LACUNA_REQUIRE(!automatic_.empty() && automatic_.front()->position == first_,
                   "the inputs begin at the oldest checkpoint");
    for (std::size_t i = 1; i < automatic_.size(); ++i)
        LACUNA_REQUIRE(automatic_[i - 1]->position < automatic_[i]->position, "checkpoints ascend");
    LACUNA_REQUIRE(automatic_.back()->position <= offset_, "no checkpoint is ahead");
    for (int i = 0; i < layers(); ++i) {
        LACUNA_REQUIRE(std::ssize(own(i).columns) ==
                           (offset_ - first_) * shape(i).channels() + shape(i).historyNumbers(),
                       "every token since has a column");
        LACUNA_REQUIRE(std::ssize(own(i).gates) == (offset_ - first_) * shape(i).gates(),
                       "every token since has gates");
        LACUNA_REQUIRE(own(i).matrixAt == -1 || own(i).matrixAt <= offset_ || append_,
                       "no matrix is ahead");
    }
    for (const CheckpointPool::Kept& one : requested_.all())
        LACUNA_REQUIRE(one.position() > 0 && one.position() <= offset_,
                       "requested checkpoints are of this text");
    LACUNA_REQUIRE(requested_.bytes() <= requested_.limit(), "checkpoints are within the limit");
}

}  // namespace lacuna
