#include <algorithm>
#include <map>

#include "engine/base/string_format.h"
#include "engine/template/jinja_calls.h"
#include "engine/template/jinja_names.h"

// Filters on lists: selecting, mapping and splitting.

namespace lacuna::jinja {
namespace {

constexpr std::int64_t kMaxParts = 100'000;

/// Returns the arguments after the first `count`.
CallArgs after(const CallArgs& args, std::size_t count) {
    CallArgs rest;
    for (std::size_t i = count; i < args.positional.size(); ++i)
        rest.positional.push_back(args.positional[i]);
    rest.named = args.named;
    rest.work = args.work;
    return rest;
}

/// As in Jinja, undefined, none and zero count as an empty list here.
Result<Value::ListPtr> chosenFrom(const Value& input, WorkBudget* work) {
    if (!input.truthy()) return std::make_shared<const List>();
    return elements(input, work);
}

Result<Value> mapped(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const Value::ListPtr items, chosenFrom(input, args.work));
    List out;
    const Value* attribute = args.find(kNamedOnly, "attribute");
    const Value* other = args.find(kNamedOnly, "default");
    LACUNA_TRY(const auto name, args.text(0, "filter"));
    if (!name && !attribute)
        return fail(ErrorCode::TplRuntime, "the filter \"map\" needs the name of a filter");
    if (name && knownFilter(name->bytes()) != Known::Built)
        return fail(ErrorCode::TplUnsupported,
                    format("the filter \"{}\" is not supported", name->bytes()));
    std::size_t bytes = 0;
    for (const Value& item : *items) {
        if (!spend(args.work, 1 + args.positional.size() + args.named.size())) break;
        Value part;
        if (name) {
            LACUNA_TRY(part, applyFilter(name->bytes(), item, after(args, 1)));
        } else {
            LACUNA_TRY(part, atPath(item, *attribute, args.work));
            if (part.isUndefined() && other) part = *other;
        }
        bytes += part.asText() ? part.asText()->size() : 0;
        LACUNA_TRY_STATUS(checkTextSize(bytes));
        out.push_back(std::move(part));
    }
    return Value::list(std::move(out), ListKind::Stream);
}

enum class Keep { Passing, Failing };
enum class Subject { Item, Attribute };

template <Keep keep, Subject by>
Result<Value> chosen(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const Value::ListPtr items, chosenFrom(input, args.work));
    constexpr std::size_t kTestAt = by == Subject::Attribute ? 1 : 0;
    if (args.positional.size() < kTestAt)
        return fail(ErrorCode::TplRuntime, "the filter needs an attribute");
    LACUNA_TRY(const auto test, args.text(kTestAt, "test"));
    if (test && knownTest(test->bytes()) != Known::Built)
        return fail(ErrorCode::TplUnsupported,
                    format("the test \"{}\" is not supported", test->bytes()));
    List out;
    for (const Value& item : *items) {
        if (!spend(args.work, 1 + args.positional.size() + args.named.size())) break;
        Value subject = item;
        if (by == Subject::Attribute) {
            LACUNA_TRY(subject, atPath(item, args.positional[0], args.work));
        }
        bool passes = subject.truthy();
        if (test) {
            LACUNA_TRY(passes, applyTest(test->bytes(), subject, after(args, kTestAt + 1)));
        }
        if (passes == (keep == Keep::Passing)) out.push_back(item);
    }
    return Value::list(std::move(out), ListKind::Stream);
}

Result<Value> join(const Value& input, const CallArgs& args) {
    MarkedText separator;
    if (const Value* given = args.find(0, "d")) {
        LACUNA_TRY(separator, toText(*given, args.work));
    }
    LACUNA_TRY(const Value::ListPtr items, elements(input, args.work));
    List parts = *items;
    if (const Value* attribute = args.find(1, "attribute"))
        for (Value& part : parts) {
            LACUNA_TRY(part, atPath(part, *attribute, args.work));
        }
    LACUNA_TRY(MarkedText out, joinedText(parts, separator, args.work));
    return Value::text(std::move(out));
}

Result<Value> first(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const Value::ListPtr items, elements(input, args.work));
    return items->empty() ? Value::undefined("an empty list has no first element") : items->front();
}

Result<Value> last(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const Value::ListPtr items, elements(input, args.work));
    if (input.asList() && input.listKind() == ListKind::Stream)
        return fail(ErrorCode::TplRuntime,
                    "the result of a filter has no last element; apply `| list` first");
    return items->empty() ? Value::undefined("an empty list has no last element") : items->back();
}

Result<Value> reversed(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const Value::ListPtr items, elements(input, args.work));
    List out(items->rbegin(), items->rend());
    if (!input.asText()) return Value::list(std::move(out), ListKind::Stream);
    LACUNA_TRY(MarkedText text, joinedText(out, MarkedText(), args.work));
    return Value::text(std::move(text));
}

Result<Value> listed(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const Value::ListPtr items, elements(input, args.work));
    return Value::list(List(*items));
}

Result<Value> pairs(const Value& input, const CallArgs& args) {
    if (input.isUndefined()) return Value::list({}, ListKind::Stream);
    if (!input.asDict())
        return fail(
            ErrorCode::TplRuntime,
            format("the filter \"items\" needs a dictionary; found a {}", input.kindName()));
    LACUNA_TRY(const Value all,
               callMethod(input, "items", {.positional = {}, .named = {}, .work = args.work}));
    return Value::list(List(*all.asList()), ListKind::Stream);
}

Result<std::int64_t> partCount(const CallArgs& args, std::string_view name) {
    LACUNA_TRY(const auto count, args.integer(0, name));
    if (count && *count > 0 && *count <= kMaxParts) return *count;
    return fail(ErrorCode::TplRuntime,
                format("a list is divided into parts of 1 to {}", kMaxParts));
}

/// Splits into lists of `linecount` elements, padding the last one.
Result<Value> batched(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const Value::ListPtr items, elements(input, args.work));
    LACUNA_TRY(const std::int64_t count, partCount(args, "linecount"));
    const Value* fill = args.find(1, "fill_with");
    List out;
    List line;
    for (const Value& item : *items) {
        if (std::ssize(line) == count) out.push_back(Value::list(std::exchange(line, {})));
        line.push_back(item);
    }
    if (!line.empty()) {
        while (fill && !fill->isNone() && std::ssize(line) < count) line.push_back(*fill);
        out.push_back(Value::list(std::move(line)));
    }
    return Value::list(std::move(out), ListKind::Stream);
}

/// Splits into `slices` lists of nearly equal length.
Result<Value> sliced(const Value& input, const CallArgs& args) {
    LACUNA_TRY(const Value::ListPtr items, elements(input, args.work));
    LACUNA_TRY(const std::int64_t count, partCount(args, "slices"));
    const Value* fill = args.find(1, "fill_with");
    const std::int64_t each = std::ssize(*items) / count;
    const std::int64_t longer = std::ssize(*items) % count;
    List out;
    auto next = items->begin();
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t size = each + (i < longer ? 1 : 0);
        List part(next, next + size);
        next += size;
        if (fill && !fill->isNone() && i >= longer) part.push_back(*fill);
        out.push_back(Value::list(std::move(part)));
    }
    return Value::list(std::move(out), ListKind::Stream);
}

}  // namespace

Filter listFilter(std::string_view name) {
    static const std::map<std::string_view, Filter> table = {
        {"batch", batched},
        {"first", first},
        {"items", pairs},
        {"join", join},
        {"last", last},
        {"list", listed},
        {"map", mapped},
        {"reject", chosen<Keep::Failing, Subject::Item>},
        {"rejectattr", chosen<Keep::Failing, Subject::Attribute>},
        {"reverse", reversed},
        {"select", chosen<Keep::Passing, Subject::Item>},
        {"selectattr", chosen<Keep::Passing, Subject::Attribute>},
        {"slice", sliced},
    };
    const auto found = table.find(name);
    return found == table.end() ? nullptr : found->second;
}

}  // namespace lacuna::jinja
