#include <algorithm>
#include <array>

#include "engine/base/string_format.h"
#include "engine/template/jinja_calls.h"

// Method lookup, and the methods of dictionaries and lists. No method changes its object.

namespace lacuna::jinja {
namespace {

constexpr auto kTextMethods = std::to_array<std::string_view>(
    {"capitalize",   "casefold",    "center",    "count",      "encode",       "endswith",
     "expandtabs",   "find",        "format",    "format_map", "index",        "isalnum",
     "isalpha",      "isascii",     "isdecimal", "isdigit",    "isidentifier", "islower",
     "isnumeric",    "isprintable", "isspace",   "istitle",    "isupper",      "join",
     "ljust",        "lower",       "lstrip",    "maketrans",  "partition",    "removeprefix",
     "removesuffix", "replace",     "rfind",     "rindex",     "rjust",        "rpartition",
     "rsplit",       "rstrip",      "split",     "splitlines", "startswith",   "strip",
     "swapcase",     "title",       "translate", "upper",      "zfill"});
constexpr auto kDictMethods =
    std::to_array<std::string_view>({"copy", "fromkeys", "get", "items", "keys", "values"});
constexpr auto kDictChanges =
    std::to_array<std::string_view>({"clear", "pop", "popitem", "setdefault", "update"});
constexpr auto kListMethods = std::to_array<std::string_view>({"copy", "count", "index"});
constexpr auto kListChanges = std::to_array<std::string_view>(
    {"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"});

template <class Names>
bool holds(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

Result<Value> getMethod(const Dict& dict, const CallArgs& args) {
    const Value* key = args.find(0, "key");
    if (!key) return fail(ErrorCode::TplRuntime, "get needs a key");
    if (const Value* found = dict.find(*key)) return *found;
    const Value* fallback = args.find(1, "default");
    return fallback ? *fallback : Value();
}

Result<Value> callDictMethod(const Value& object, std::string_view name, const CallArgs& args) {
    const Dict& dict = *object.asDict();
    if (name == "get") return getMethod(dict, args);
    if (!args.empty()) return fail(ErrorCode::TplRuntime, format("{} takes no arguments", name));
    if (name == "copy") return object;
    List out;
    for (const DictEntry& entry : dict.entries()) {
        if (name == "keys")
            out.push_back(entry.key);
        else if (name == "values")
            out.push_back(entry.value);
        else if (name == "items")
            out.push_back(Value::list({entry.key, entry.value}, ListKind::Tuple));
        else
            return fail(ErrorCode::TplUnsupported,
                        format("the dictionary method \"{}\" is not supported", name));
    }
    return Value::list(std::move(out));
}

Result<Value> callListMethod(const Value& object, std::string_view name, const CallArgs& args) {
    if (name == "copy") return object;
    if (args.positional.size() != 1)
        return fail(ErrorCode::TplRuntime, format("{} takes one argument", name));
    std::int64_t count = 0;
    const List& list = *object.asList();
    for (std::size_t i = 0; i < list.size(); ++i) {
        LACUNA_TRY(const bool same, equal(list[i], args.positional[0], args.work));
        if (same && name == "index") return Value::integer(static_cast<std::int64_t>(i));
        count += same ? 1 : 0;
    }
    if (name == "index") return fail(ErrorCode::TplRuntime, "the value is not in the list");
    return Value::integer(count);
}

}  // namespace

MethodUse methodOf(const Value& object, std::string_view name) {
    if (object.asText()) return holds(kTextMethods, name) ? MethodUse::Reads : MethodUse::None;
    if (object.asDict()) {
        if (holds(kDictChanges, name)) return MethodUse::Changes;
        return holds(kDictMethods, name) ? MethodUse::Reads : MethodUse::None;
    }
    if (!object.asList() || object.listKind() == ListKind::Stream) return MethodUse::None;
    if (object.listKind() == ListKind::Plain && holds(kListChanges, name))
        return MethodUse::Changes;
    return holds(kListMethods, name) ? MethodUse::Reads : MethodUse::None;
}

Result<Value> callMethod(const Value& object, std::string_view name, const CallArgs& args) {
    if (!spend(args.work, stepsOf(object) + args.steps())) return Value();
    if (const MarkedText* text = object.asText()) {
        LACUNA_TRY(Value out, callTextMethod(*text, name, args));
        return out.asText() ? textLike(object, *out.asText()) : std::move(out);
    }
    if (object.asDict()) return callDictMethod(object, name, args);
    if (object.asList()) return callListMethod(object, name, args);
    return fail(ErrorCode::TplUnsupported,
                format("the method \"{}\" of a {} is not supported", name, object.kindName()));
}

}  // namespace lacuna::jinja
