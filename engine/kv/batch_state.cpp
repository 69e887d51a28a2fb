// A batch as a copy and as bytes. Little-endian: "LACUNAKB", u32 version, five words of the shape,
// u32 window (0: none), rows, column slots, column index, u64 columns, int32 columns [slots], then
// per row u64 padding, cursor and length of its own saved bytes, and those. Last u64: XXH3 of all
// before.

#include <cstring>
#include <limits>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/kv/batch_cache.h"
#include "engine/kv/batch_rules.h"
#include "engine/kv/cache_state.h"
#include "engine/kv/state_words.h"

namespace lacuna {
namespace {

constexpr std::string_view kBatchMagic = "LACUNAKB";
constexpr std::uint32_t kBatchStateVersion = 1;

}  // namespace

Result<BatchCache> BatchCache::clone() const {
    LACUNA_REQUIRE(!appending_, "clone outside an append");
    BatchCache copy(shape_, window_);
    copy.columns_ = columns_;
    copy.announced_ = announced_;
    for (const Row& row : rows_) {
        LACUNA_TRY(auto cache, row.cache->clone());
        copy.rows_.push_back({std::move(cache), row.padding, row.cursor, row.length});
    }
    return copy;
}

Result<std::string> BatchCache::save() const {
    LACUNA_REQUIRE(!appending_, "save outside an append");
    if (announced_ >= 0)
        return fail(ErrorCode::InvalidArgument, "save of a batch whose finalize is due");
    std::string out(kBatchMagic);
    putWord(out, kBatchStateVersion);
    putShape(out, shape_);
    putWord(out, static_cast<std::uint32_t>(window_ ? window_->size : 0));
    putWord(out, static_cast<std::uint32_t>(rows_.size()));
    putWord(out, static_cast<std::uint32_t>(columns_.slots()));
    putWord(out, static_cast<std::uint32_t>(columns_.next));
    putWord(out, static_cast<std::uint64_t>(columns_.offset));
    for (const std::int32_t column : columns_.positions) putWord(out, column);
    for (const Row& row : rows_) {
        LACUNA_TRY(const std::string bytes, row.cache->save());
        putWord(out, static_cast<std::uint64_t>(row.padding));
        putWord(out, static_cast<std::uint64_t>(row.cursor));
        putWord(out, static_cast<std::uint64_t>(bytes.size()));
        out += bytes;
    }
    sealState(out);
    return out;
}

Result<BatchCache> BatchCache::load(std::string_view bytes) {
    LACUNA_TRY(const auto body, unsealState(bytes));
    ByteReader reader(body);
    LACUNA_TRY_STATUS(readStart(reader, kBatchMagic, kBatchStateVersion));
    LACUNA_TRY(const KvShape shape, readShape(reader));
    const auto size = reader.read<std::uint32_t>();
    const auto rows = reader.read<std::uint32_t>();
    const auto slots = reader.read<std::uint32_t>();
    const auto next = reader.read<std::uint32_t>();
    const auto offset = reader.read<std::uint64_t>();
    if (!offset || *size > std::numeric_limits<std::int32_t>::max() || *next > *slots)
        return corruptState("the header of the batch is cut or contradicts itself");
    std::optional<WindowRule> window;
    if (*size > 0) window = WindowRule{WindowKind::Ring, static_cast<int>(*size), 0};
    if (auto status = checkBatchWindow(window); !status) return corruptState(status.error().what);
    BatchCache batch(shape, window);
    const auto columns = reader.take(std::uint64_t{*slots} * sizeof(std::int32_t));
    if (!columns) return corruptState("it ends within the columns");
    batch.columns_.positions.resize(*slots);
    if (*slots > 0) std::memcpy(batch.columns_.positions.data(), columns->data(), columns->size());
    batch.columns_.next = static_cast<int>(*next);
    batch.columns_.offset = static_cast<std::int64_t>(*offset);
    for (std::uint32_t i = 0; i < *rows; ++i) {
        const auto padding = reader.read<std::uint64_t>();
        const auto cursor = reader.read<std::uint64_t>();
        const auto length = reader.read<std::uint64_t>();
        const auto part = length ? reader.take(*length) : std::nullopt;
        if (!part) return corruptState(format("it ends within row {}", i));
        LACUNA_TRY(auto cache,
                   loadCache({reinterpret_cast<const char*>(part->data()), part->size()}));
        LACUNA_TRY(const auto own, rowWindow(*cache));
        const auto tokens = static_cast<std::uint64_t>(cache->offset().value);
        const bool fits = *cursor == *padding + tokens || (tokens == 0 && *cursor <= *padding);
        if (!(cache->shape() == shape) || own != window || !fits || *cursor > *padding + tokens)
            return corruptState(format("row {} contradicts the batch", i));
        batch.rows_.push_back({std::move(cache), static_cast<std::int64_t>(*padding),
                               static_cast<std::int64_t>(*cursor)});
    }
    return batch;
}

}  // namespace lacuna
