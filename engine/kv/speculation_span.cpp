#include "engine/kv/speculation_span.h"

#include "engine/base/string_format.h"

namespace lacuna {

Status SpeculationSpan::begin(int most, std::int64_t tokens) {
    if (most < 0)
        return fail(ErrorCode::InvalidArgument,
                    format("speculation over {} tokens, expected 0 or more", most));
    if (open())
        return fail(ErrorCode::InvalidArgument,
                    "speculation is open already; commit it before the next one");
    start_ = tokens;
    most_ = most;
    return {};
}

Status SpeculationSpan::checkRewind(int count, std::int64_t tokens) const {
    if (!open())
        return fail(ErrorCode::InvalidArgument,
                    "no speculation is open; begin one before tokens that may be taken back");
    const std::int64_t appended = tokens - *start_;
    if (count < 0 || count > appended || count > most_)
        return fail(ErrorCode::InvalidArgument,
                    format("rewind of {} tokens: {} were appended since speculation began over at "
                           "most {}",
                           count, appended, most_));
    return {};
}

Status SpeculationSpan::commit() {
    if (!open()) return fail(ErrorCode::InvalidArgument, "no speculation is open");
    start_.reset();
    return {};
}

}  // namespace lacuna
