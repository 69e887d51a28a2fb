#include "engine/kv/state/state_checkpoint.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/kv/state_words.h"

namespace lacuna {
namespace {

constexpr float kLargestCode = 127.0F;

std::size_t asSize(std::int64_t n) {
    return static_cast<std::size_t>(n);
}

template <class Number>
void putNumbers(std::string& out, const std::vector<Number>& numbers) {
    out.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
}

template <class Number>
bool readNumbers(ByteReader& reader, std::vector<Number>& numbers) {
    const auto bytes = reader.take(numbers.size() * sizeof(Number));
    if (!bytes) return false;
    std::copy(bytes->begin(), bytes->end(), std::as_writable_bytes(std::span(numbers)).begin());
    return true;
}

std::int64_t weightOf(CheckpointReason reason) {
    switch (reason) {
        case CheckpointReason::Regular:
            return 1;
        case CheckpointReason::Message:
            return 4;
        case CheckpointReason::Divergence:
            return 16;
    }
    return 1;
}

}  // namespace

CheckpointLayout::CheckpointLayout(const StateModel& model) {
    std::int64_t plain = 0;
    for (const MixerWeights& one : model) {
        Layer layer;
        layer.columns = one.shape.historyNumbers();
        layer.matrix = one.shape.matrixNumbers();
        layer.rowNumbers = layer.matrix == 0 ? 0 : one.shape.valueDim;
        layer.columnsAt = columns_;
        layer.matrixAt = matrix_;
        layer.rowsAt = rows_;
        layer.plainAt = plain;
        columns_ += layer.columns;
        matrix_ += layer.matrix;
        rows_ += layer.rows();
        plain += layer.columns + layer.matrix;
        layers_.push_back(layer);
    }
}

std::int64_t CheckpointLayout::bytes(StateType type) const {
    constexpr std::int64_t kNumber = sizeof(float);
    if (type == StateType::Float32) return (columns_ + matrix_) * kNumber;
    return (columns_ + rows_) * kNumber + matrix_;
}

std::shared_ptr<StateCheckpoint> CheckpointLayout::allocate(std::int64_t position,
                                                            StateType type) const {
    auto made = std::make_shared<StateCheckpoint>();
    made->position = position;
    const bool coded = type == StateType::Int8 && matrix_ > 0;
    made->numbers.resize(asSize(coded ? columns_ : columns_ + matrix_));
    if (coded) {
        made->codes.resize(asSize(matrix_));
        made->scales.resize(asSize(rows_));
    }
    return made;
}

void CheckpointLayout::write(StateCheckpoint& into, int index, const float* columns,
                             const float* matrix) const {
    const Layer& layer = at(index);
    if (!into.coded()) {
        float* const to = into.numbers.data() + layer.plainAt;
        std::copy_n(columns, layer.columns, to);
        std::copy_n(matrix, layer.matrix, to + layer.columns);
        return;
    }
    std::copy_n(columns, layer.columns, into.numbers.data() + layer.columnsAt);
    std::int8_t* code = into.codes.data() + layer.matrixAt;
    for (std::int64_t row = 0; row < layer.rows(); ++row) {
        const std::span numbers(matrix + row * layer.rowNumbers, asSize(layer.rowNumbers));
        float largest = 0.0F;
        for (const float x : numbers) largest = std::max(largest, std::fabs(x));
        const float scale = largest / kLargestCode;
        const float inverse = largest > 0.0F ? kLargestCode / largest : 0.0F;
        into.scales[asSize(layer.rowsAt + row)] = scale;
        for (const float x : numbers)
            *code++ = static_cast<std::int8_t>(
                std::clamp(std::nearbyint(x * inverse), -kLargestCode, kLargestCode));
    }
}

const float* CheckpointLayout::columns(const StateCheckpoint& from, int layer) const {
    return from.numbers.data() + (from.coded() ? at(layer).columnsAt : at(layer).plainAt);
}

void CheckpointLayout::readMatrix(const StateCheckpoint& from, int index, float* matrix) const {
    const Layer& layer = at(index);
    if (!from.coded()) {
        std::copy_n(columns(from, index) + layer.columns, layer.matrix, matrix);
        return;
    }
    const std::int8_t* code = from.codes.data() + layer.matrixAt;
    for (std::int64_t row = 0; row < layer.rows(); ++row) {
        const float scale = from.scales[asSize(layer.rowsAt + row)];
        for (std::int64_t i = 0; i < layer.rowNumbers; ++i)
            *matrix++ = static_cast<float>(*code++) * scale;
    }
}

StateCheckpointPtr CheckpointLayout::decoded(StateCheckpointPtr checkpoint) const {
    if (!checkpoint->coded()) return checkpoint;
    const auto made = allocate(checkpoint->position, StateType::Float32);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const int layer = static_cast<int>(i);
        float* const to = made->numbers.data() + layers_[i].plainAt;
        std::copy_n(columns(*checkpoint, layer), layers_[i].columns, to);
        readMatrix(*checkpoint, layer, to + layers_[i].columns);
    }
    return made;
}

void CheckpointLayout::save(std::string& out, const StateCheckpoint& checkpoint) const {
    putWord(out, checkpoint.position);
    putWord(out, static_cast<std::uint32_t>(checkpoint.coded() ? 1 : 0));
    putNumbers(out, checkpoint.numbers);
    putNumbers(out, checkpoint.codes);
    putNumbers(out, checkpoint.scales);
}

Result<StateCheckpointPtr> CheckpointLayout::load(ByteReader& reader) const {
    const auto position = reader.read<std::int64_t>();
    const auto coded = reader.read<std::uint32_t>();
    if (!position || !coded || *coded > 1 || (*coded == 1 && matrix_ == 0))
        return corruptState("a checkpoint of its recurrent states");
    const StateType type = *coded == 1 ? StateType::Int8 : StateType::Float32;
    if (static_cast<std::uint64_t>(bytes(type)) > reader.remaining())
        return corruptState("it ends within a checkpoint of its recurrent states");
    const auto made = allocate(*position, type);
    if (!readNumbers(reader, made->numbers) || !readNumbers(reader, made->codes) ||
        !readNumbers(reader, made->scales))
        return corruptState("it ends within a checkpoint of its recurrent states");
    return StateCheckpointPtr(made);
}

void CheckpointPool::setLimit(std::int64_t bytes) {
    limit_ = bytes;
    evict();
}

void CheckpointPool::keep(Kept kept) {
    const auto after = std::ranges::lower_bound(kept_, kept.position(), {}, &Kept::position);
    if (after != kept_.end() && after->position() == kept.position()) {
        after->reason = std::max(after->reason, kept.reason);
        return;
    }
    kept_.insert(after, std::move(kept));
    evict();
}

void CheckpointPool::adopt(std::vector<Kept> kept) {
    kept_ = std::move(kept);
    limit_ = std::max(limit_, bytes());
}

bool CheckpointPool::raise(std::int64_t position, CheckpointReason reason) {
    const auto found = std::ranges::find(kept_, position, &Kept::position);
    if (found == kept_.end()) return false;
    found->reason = std::max(found->reason, reason);
    return true;
}

const CheckpointPool::Kept* CheckpointPool::newestWithin(std::int64_t length) const {
    const auto after = std::ranges::upper_bound(kept_, length, {}, &Kept::position);
    return after == kept_.begin() ? nullptr : &*std::prev(after);
}

StateCheckpointPtr CheckpointPool::use(std::int64_t position) {
    const auto found = std::ranges::find(kept_, position, &Kept::position);
    if (found == kept_.end()) return nullptr;
    found->uses = std::min(found->uses + 1, kMaxUses);
    return found->checkpoint;
}

void CheckpointPool::dropAfter(std::int64_t length) {
    std::erase_if(kept_, [length](const Kept& one) { return one.position() > length; });
}

std::int64_t CheckpointPool::bytes() const {
    std::int64_t bytes = 0;
    for (const Kept& one : kept_) bytes += one.checkpoint->bytes();
    return bytes;
}

void CheckpointPool::evict() {
    while (bytes() > limit_) {
        std::size_t least = 0;
        std::int64_t leastWorth = 0;
        for (std::size_t i = 0; i < kept_.size(); ++i) {
            const std::int64_t before = i == 0 ? 0 : kept_[i - 1].position();
            const std::int64_t worth =
                (kept_[i].position() - before) * kept_[i].uses * weightOf(kept_[i].reason);
            if (i > 0 && worth >= leastWorth) continue;
            least = i;
            leastWorth = worth;
        }
        kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(least));
    }
}

}  // namespace lacuna
