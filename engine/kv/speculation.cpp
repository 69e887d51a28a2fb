#include "engine/kv/speculation.h"

#include "engine/base/string_format.h"

namespace lacuna {

Status SpeculationSpan::begin(int most) {
    if (most < 0)
        return fail(ErrorCode::InvalidArgument,
                    format("speculation over {} tokens, expected 0 or more", most));
    if (open())
        return fail(ErrorCode::InvalidArgument,
                    "speculation is open already; commit it before the next one");
    start_ = cache_.offset().value;
    most_ = most;
    return {};
}

Status SpeculationSpan::rewind(int tokens) {
    if (!open())
        return fail(ErrorCode::InvalidArgument,
                    "no speculation is open; begin one before tokens that may be removed again");
    const std::int64_t appended = cache_.offset().value - *start_;
    if (tokens < 0 || tokens > appended || tokens > most_)
        return fail(
            ErrorCode::InvalidArgument,
            format(
                "rewind of {} tokens: {} were appended since the speculation of at most {} began",
                tokens, appended, most_));
    return cache_.rollback(tokens);
}

Status SpeculationSpan::commit() {
    if (!open()) return fail(ErrorCode::InvalidArgument, "no speculation is open");
    start_.reset();
    return {};
}

}  // namespace lacuna
