#include <algorithm>
#include <map>

#include "engine/base/string_format.h"
#include "engine/template/jinja_calls.h"

// Filters that order or aggregate: sorting, grouping, extremes, sums.

namespace lacuna::jinja {
namespace {

enum class Letters { AsWritten, Lowered };

Letters lettersOf(const CallArgs& args, std::size_t index) {
    return args.flag(index, "case_sensitive", false) ? Letters::AsWritten : Letters::Lowered;
}

Value keyOf(const Value& value, Letters letters, WorkBudget* work) {
    if (!value.asText() || letters == Letters::AsWritten) return value;
    return Value::text(inCase(*value.asText(), LetterCase::Lower, work));
}

/// Returns the sort key of an item: the item itself or the value at a path.
Result<Value> keyAt(const Value& item, const Value* path, Letters letters, WorkBudget* work) {
    spend(work);
    if (!path || path->isNone()) return keyOf(item, letters, work);
    LACUNA_TRY(const Value value, atPath(item, *path, work));
    return keyOf(value, letters, work);
}

/// Returns a list of keys for paths separated by commas (`a,b`).
Result<Value> keysAt(const Value& item, const Value* paths, Letters letters, WorkBudget* work) {
    if (!paths || !paths->asText()) return keyAt(item, paths, letters, work);
    LACUNA_TRY(const Value all,
               splitFromLeft(*paths->asText(), MarkedText(std::string(",")), -1, work));
    List keys;
    for (const Value& path : *all.asList()) {
        LACUNA_TRY(Value key, keyAt(item, &path, letters, work));
        keys.push_back(std::move(key));
    }
    return Value::list(std::move(keys));
}

struct Keyed {
    Value key;
    Value item;
};

/// Keys are compared many times, so their total size is limited like that of one text.
Status checkKeys(const std::vector<Keyed>& all) {
    std::size_t bytes = 0;
    for (const Keyed& one : all) bytes += one.key.asText() ? one.key.asText()->size() : 0;
    return checkTextSize(bytes);
}

enum class Direction { Rising, Falling };

/// Merge sort, stable in both directions. The standard sort cannot be used because a comparison may
/// fail.
Status sortByKey(std::vector<Keyed>& all, Direction direction, WorkBudget* work) {
    LACUNA_TRY_STATUS(checkKeys(all));
    std::vector<Keyed> merged;
    for (std::size_t width = 1; width < all.size(); width *= 2) {
        merged.clear();
        merged.reserve(all.size());
        for (std::size_t begin = 0; begin < all.size(); begin += 2 * width) {
            const std::size_t middle = std::min(begin + width, all.size());
            const std::size_t end = std::min(begin + 2 * width, all.size());
            std::size_t left = begin;
            std::size_t right = middle;
            if (!spend(work, end - begin)) return {};
            while (left < middle && right < end) {
                LACUNA_TRY(int order, ordered(all[right].key, all[left].key, work));
                if (direction == Direction::Falling) order = -order;
                merged.push_back(std::move(order < 0 ? all[right++] : all[left++]));
            }
            while (left < middle) merged.push_back(std::move(all[left++]));
            while (right < end) merged.push_back(std::move(all[right++]));
        }
        all.swap(merged);
    }
    return {};
}

List itemsOf(std::vector<Keyed> all) {
    List out;
    out.reserve(all.size());
    for (Keyed& one : all) out.push_back(std::move(one.item));
    return out;
}

Direction directionOf(const CallArgs& args, std::size_t index) {
    return args.flag(index, "reverse", false) ? Direction::Falling : Direction::Rising;
}

Result<Value> sorted(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const Value::ListPtr items, elements(input, args.work));
    std::vector<Keyed> all;
    for (const Value& item : *items) {
        LACUNA_TRY(Value key,
                   keysAt(item, args.find(2, "attribute"), lettersOf(args, 1), args.work));
        all.push_back({std::move(key), item});
    }
    LACUNA_TRY_STATUS(sortByKey(all, directionOf(args, 0), args.work));
    return Value::list(itemsOf(std::move(all)));
}

Result<Value> dictSorted(const Value& input, const CallArgs& args) {
    if (!input.asDict())
        return fail(
            ErrorCode::TplRuntime,
            format("the filter \"dictsort\" needs a dictionary; found a {}", input.kindName()));
    LACUNA_TRY(const auto by, args.text(1, "by"));
    const std::string part = by ? by->bytes() : "key";
    if (part != "key" && part != "value")
        return fail(ErrorCode::TplRuntime, "dictsort sorts by \"key\" or \"value\"");
    std::vector<Keyed> all;
    for (const auto& [key, value] : input.asDict()->entries())
        all.push_back({keyOf(part == "key" ? key : value, lettersOf(args, 0), args.work),
                       Value::list({key, value}, ListKind::Tuple)});
    LACUNA_TRY_STATUS(sortByKey(all, directionOf(args, 2), args.work));
    return Value::list(itemsOf(std::move(all)));
}

Result<Value> grouped(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const Value::ListPtr items, elements(input, args.work));
    const Value* path = args.find(0, "attribute");
    const Value* other = args.find(1, "default");
    if (!path) return fail(ErrorCode::TplRuntime, "the filter \"groupby\" needs an attribute");
    std::vector<Keyed> all;
    for (const Value& item : *items) {
        LACUNA_TRY(Value key, atPath(item, *path, args.work));
        if (key.isUndefined() && other) key = *other;
        all.push_back(
            {keyOf(key, lettersOf(args, 2), args.work), Value::list({std::move(key), item})});
    }
    LACUNA_TRY_STATUS(sortByKey(all, Direction::Rising, args.work));
    List groups;
    for (std::size_t i = 0; i < all.size();) {
        const Value name = (*all[i].item.asList())[0];  // spelled as in the first element of the
                                                        // group
        List members;
        const std::size_t begin = i;
        for (; i < all.size(); ++i) {
            LACUNA_TRY(const bool same, equal(all[i].key, all[begin].key, args.work));
            if (!same) break;
            members.push_back((*all[i].item.asList())[1]);
        }
        groups.push_back(Value::list({name, Value::list(std::move(members))}, ListKind::Group));
    }
    return Value::list(std::move(groups));
}

Result<Value> unique(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const Value::ListPtr items, elements(input, args.work));
    Dict seen;
    List out;
    std::size_t bytes = 0;
    for (const Value& item : *items) {
        LACUNA_TRY(Value key,
                   keyAt(item, args.find(1, "attribute"), lettersOf(args, 0), args.work));
        bytes += key.asText() ? key.asText()->size() : 0;
        LACUNA_TRY_STATUS(checkTextSize(bytes));
        spend(args.work, stepsOf(key));
        if (seen.find(key)) continue;
        LACUNA_TRY_STATUS(seen.set(std::move(key), Value()));
        out.push_back(item);
    }
    return Value::list(std::move(out), ListKind::Stream);
}

template <Direction direction>
Result<Value> extreme(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const Value::ListPtr items, elements(input, args.work));
    if (items->empty()) return Value::undefined("an empty list has no minimum or maximum");
    std::optional<Keyed> best;
    for (const Value& item : *items) {
        LACUNA_TRY(Value key,
                   keyAt(item, args.find(1, "attribute"), lettersOf(args, 0), args.work));
        if (best) {
            LACUNA_TRY(const int order, ordered(key, best->key, args.work));
            if (direction == Direction::Rising ? order <= 0 : order >= 0) continue;
        }
        best = Keyed{std::move(key), item};
    }
    return best->item;
}

/// Each addition creates a value, which takes as long as walking several elements.
constexpr std::uint64_t kStepsOfAnAddition = 4;

Result<Value> summed(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const Value::ListPtr items, elements(input, args.work));
    const Value* path = args.find(0, "attribute");
    const Value* start = args.find(1, "start");
    Value sum = start ? *start : Value::integer(0);
    if (sum.asText()) return fail(ErrorCode::TplRuntime, "the filter \"sum\" cannot add strings");
    for (const Value& item : *items) {
        if (!spend(args.work, kStepsOfAnAddition)) break;
        Value part = item;
        if (path && !path->isNone()) {
            LACUNA_TRY(part, atPath(item, *path, args.work));
        }
        if (sum.isWhole() && part.isWhole()) {
            sum = Value::integer(sum.toInteger());
            part = Value::integer(part.toInteger());
        }
        LACUNA_TRY(sum, applyBinary(BinaryOp::Add, sum, part, args.work));
    }
    return sum;
}

}  // namespace

Filter orderFilter(std::string_view name) {
    static const std::map<std::string_view, Filter> table = {
        {"dictsort", dictSorted},
        {"groupby", grouped},
        {"max", extreme<Direction::Rising>},
        {"min", extreme<Direction::Falling>},
        {"sort", sorted},
        {"sum", summed},
        {"unique", unique},
    };
    const auto found = table.find(name);
    return found == table.end() ? nullptr : found->second;
}

}  // namespace lacuna::jinja
